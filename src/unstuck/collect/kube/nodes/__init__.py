"""What only a node tells, by way of the API server: its agent, or a Pod that looks once."""
