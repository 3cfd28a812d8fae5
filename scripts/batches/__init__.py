"""Asks fresh batches of faults (tests/batches) on the lab: each question on a lab of its own, its answer
kept as it was printed.
"""
