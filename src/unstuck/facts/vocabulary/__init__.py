"""The closed sets of words for facts, causes and answers: one type each, against which mypy checks every use.

A word is added in its type and in its table of meanings (`meanings`); a test compares both with the words
that `wording` and the readers produce. The types are separate, so that a command which explains no word does
not load the explanations.
"""
