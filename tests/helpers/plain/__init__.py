"""What tests of plain runs share."""
