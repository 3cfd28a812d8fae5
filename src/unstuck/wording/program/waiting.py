"""Words of a script that waits for another program; read only if nothing says that it failed."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import HOST, LastWord, words

_PORT = r"(?::(?P<{0}>\d{{1,5}}))?"

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "waits",
        words(
            rf"(?:[Ww]aiting|[Ww]ait|WAITING)(?: \d{{1,6}} ?s(?:ec(?:ond)?s?)?)? (?:for|on|until)(?: (?:the|a|service|host|server|connection|to|pod|database|port))* [\"'`]?(?:[a-z]{{2,9}}://)?"
            rf"(?P<name>{HOST})[\"'`]?{_PORT.format('port')}"
            rf"|(?P<name_2>{HOST}){_PORT.format('port_2')} (?:is (?:not (?:yet )?(?:ready|available|up|reachable|running|responding)|unavailable|unreachable|down)|- no response|- rejecting connections)"
        ),
        ("ait", "WAITING", " is ", " - "),
        (
            Seen("scripts", "any", "their own words, as wait-for-it and docker-entrypoint write them"),
            Seen("PostgreSQL", "9.3–17", "src/bin/scripts/pg_isready.c"),
        ),
        (
            Example("waiting for db", "waits name=db"),
            Example("wait-for-it.sh: waiting 15 seconds for redis:6379", "waits name=redis port=6379"),
            Example("orders-db:5432 - no response", "waits name=orders-db port=5432"),
            Example(
                "Waiting for the service auth.shop.svc:8080 to come up...",
                "waits name=auth.shop.svc port=8080",
            ),
            Example("Waiting for http://cart:8080/healthz", "waits name=cart port=8080"),
            Example("postgres is unavailable - sleeping", "waits name=postgres"),
        ),
        vague=True,
    ),
)
