"""Asks fresh batches of faults (tests/batches) on the lab: each question on a separate lab, its answer kept
as printed.
"""
