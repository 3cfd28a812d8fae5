"""What an object's own controller says is wrong with it."""
