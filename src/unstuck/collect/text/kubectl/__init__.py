"""What kubectl prints: descriptions, tables, events, refusals, versions."""
