"""The aspects that can be observed, grouped by who tells them."""
