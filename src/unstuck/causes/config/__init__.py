"""ConfigMaps and Secrets that a Pod names."""
