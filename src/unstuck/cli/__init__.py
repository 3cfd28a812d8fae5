"""The command line: thin, where the parts are put together."""
