"""Faults of a component's version."""
