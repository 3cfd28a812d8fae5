"""Fields that do not match their counterpart: the other side can be read."""
