"""Files on a node that cannot be changed or removed."""
