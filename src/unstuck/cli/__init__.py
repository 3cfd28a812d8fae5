"""The command line: a thin layer on the library."""
