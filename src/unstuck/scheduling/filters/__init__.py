"""The scheduler's filter plugins, one module each, under the names that they have there."""
