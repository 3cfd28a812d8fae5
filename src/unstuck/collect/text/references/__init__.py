"""What a text names in part: which container a number means, and which partial names mean one object."""
