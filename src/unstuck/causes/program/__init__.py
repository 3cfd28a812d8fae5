"""The reasons that a container's program itself gives for its failure."""
