"""A container's program's own reasons why it cannot go on."""
