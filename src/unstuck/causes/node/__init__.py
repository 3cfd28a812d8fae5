"""What is wrong with a machine."""
