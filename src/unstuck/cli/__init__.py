"""The command line: thin, it puts the parts together."""
