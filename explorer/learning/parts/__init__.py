"""Parts: what is learned of a function piece by piece, each by what that reads."""
