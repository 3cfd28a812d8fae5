"""Acceptance: what an area promises, run in full, and the page that says how it went.

`make accept` takes hours and goes on where it was ended; `make accept ONLY=fresh-machine` runs one area. A page is
`docs/accept/<area>.md`; `make test` is red where one is missing.
"""
