"""Cuts a text into pieces, and finds the parts that every format needs: places, rows, ages, a known
message in a line.
"""
