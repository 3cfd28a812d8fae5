"""The closed sets of words for facts, causes and answers: one type each, checked by mypy in every use.

A word is added in its type and in its table of meanings (`meanings`); a test compares both with the words
that `wording` and the readers produce. The types are separate, so that commands without explanations do not
load the meanings.
"""
