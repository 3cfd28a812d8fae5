"""The aspects that can be observed, grouped by their source."""
