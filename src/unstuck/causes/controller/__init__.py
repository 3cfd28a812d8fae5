"""Controllers that never finish, or never begin, their own work."""
