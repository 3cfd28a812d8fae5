"""Claims, volumes and their classes."""
