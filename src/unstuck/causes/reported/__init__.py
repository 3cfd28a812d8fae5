"""Faults reported by an object's own controller."""
