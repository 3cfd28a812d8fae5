"""The scheduler's filter plugins, one module each, named after the plugin."""
