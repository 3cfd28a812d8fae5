"""Objects that name another one which is not there."""
