"""Objects that refer to a missing one."""
