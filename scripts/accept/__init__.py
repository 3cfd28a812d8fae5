"""Acceptance: runs the checks of an area's promises in full, and writes the page with their outcome.

`make accept` takes hours and resumes after an interruption; `make accept ONLY=fresh-machine` runs one area. A
page is `docs/accept/<area>.md`; `make test` fails if one is missing.
"""
