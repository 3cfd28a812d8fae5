"""What containers may use."""
