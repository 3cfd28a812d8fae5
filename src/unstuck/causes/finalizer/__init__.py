"""Finalizers that nobody clears."""
