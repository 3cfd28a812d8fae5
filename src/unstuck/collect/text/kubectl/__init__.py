"""Output of kubectl: descriptions, tables, events, refusals, versions."""
