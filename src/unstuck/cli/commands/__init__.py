"""One module for each command; each is imported only when it runs."""
