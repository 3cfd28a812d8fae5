"""Faults of control groups on a Node."""
