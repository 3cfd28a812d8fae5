"""What a container's own program says of why it cannot go on."""
