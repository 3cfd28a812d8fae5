"""Services without reachable endpoints."""
