"""Controllers whose own work never ends, or never begins."""
