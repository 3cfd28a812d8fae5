"""Causes that lie in the version of a component."""
