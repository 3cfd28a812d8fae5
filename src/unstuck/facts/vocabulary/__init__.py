"""The closed sets of words that facts, causes and answers are written in: one type each, which mypy holds every use against.

A word is added in its type and in its table of meanings (`meanings`); a test compares both with what `wording` and the readers produce.
The types stand alone, so that a command which explains no word does not load the explanations.
"""
