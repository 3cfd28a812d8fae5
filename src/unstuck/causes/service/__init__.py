"""Services that reach nobody."""
