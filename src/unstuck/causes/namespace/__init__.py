"""Obstacles to a Namespace's deletion."""
