"""Faults of the container runtime of a Node."""
