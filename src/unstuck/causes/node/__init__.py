"""Faults of a machine."""
