"""Message patterns as data, read once into `Failure` facts; each with where it was seen."""
