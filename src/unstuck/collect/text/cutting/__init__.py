"""How a text is cut into pieces, and what every format needs: places, rows, ages, a known message in a line."""
