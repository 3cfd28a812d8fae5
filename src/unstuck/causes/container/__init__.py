"""How a container runs, and how its runs end."""
