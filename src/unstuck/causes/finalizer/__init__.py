"""Finalizers that are not cleared."""
