"""Fields that do not meet what they must meet: the other side is there to be read."""
