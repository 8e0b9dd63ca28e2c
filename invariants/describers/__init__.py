"""What the describers of all models share."""
