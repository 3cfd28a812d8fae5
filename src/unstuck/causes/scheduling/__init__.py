"""Obstacles to placing a Pod on a Node."""
