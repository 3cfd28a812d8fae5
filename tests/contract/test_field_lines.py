"""Reported lines of programs in place of a case's line: the same pair does not match."""

from __future__ import annotations

from dataclasses import replace

import pytest

from tests.contract.support import Loaded, judge_case, load_all
from unstuck.diagnosis.verdict import Match

CHOWN = ("field.capability-missing", "chown, and all capabilities are dropped")
TOKEN = ("field.value-malformed", "a token with a newline, in a header")
LINK = ("field.variable-unset", "the port is an address of a Service")
AUDIENCE = ("field.token-unfit", "another audience is expected")
LINES = [
    (
        *CHOWN,
        'nginx: [emerg] chown("/var/cache/nginx/client_temp", 101) failed (1: Operation not permitted)',
        "CHOWN",
    ),
    (*CHOWN, "s6-overlay-suexec: fatal: unable to setgid to root: Operation not permitted", "SETGID"),
    (*CHOWN, "setpriv: setgroups failed: Operation not permitted", "SETGID"),
    (*CHOWN, "chown: /var/lib/metrics: Operation not permitted", "CHOWN"),
    (
        *TOKEN,
        'level=fatal msg="HTTP request failed: net/http: invalid header field value for \\"Authorization\\""',
        "newline",
    ),
    (*TOKEN, 'error getting metric: net/http: invalid header field name \\"token\\\\n\\"', "newline"),
    (
        *TOKEN,
        "java.lang.IllegalArgumentException: Unexpected char 0x0a at 47 in Authorization value",
        "newline",
    ),
    (
        *LINK,
        'invalid REDIS_PORT: strconv.Atoi: parsing "tcp://10.96.6.210:6379": invalid syntax',
        "REDIS_PORT",
    ),
    (*LINK, "listen tcp: address tcp://10.96.6.210:6379: too many colons in address", "REDIS_PORT"),
    (
        *LINK,
        "Error: Invalid value for '--port': 'tcp://10.96.6.210:6379' is not a valid integer.",
        "REDIS_PORT",
    ),
    (*LINK, "    Value: tcp://10.96.6.210:6379", "REDIS_PORT"),
    (
        *AUDIENCE,
        (
            '[invalid bearer token, token audiences ["vault"] is invalid for the target audiences '
            '["https://api.example"]]'
        ),
        "api.example",
    ),
]


def find_case(cause: str, title: str) -> Loaded:
    return next(c for c in load_all() if (c.cause.id, c.case.title) == (cause, title))


@pytest.mark.parametrize(("cause", "title", "line", "says"), LINES)
def test_a_reported_line_concerns_the_pair(cause: str, title: str, line: str, says: str) -> None:
    loaded = find_case(cause, title)
    texts = tuple(
        (i, f"{t.splitlines()[0]}\n{line}\n" if i.startswith("text paste") else t)
        for i, t in loaded.case.texts
    )
    other = Loaded(loaded.cause, replace(loaded.case, texts=texts))
    verdict = judge_case(other.cause, other.subject, other.snapshot)
    assert isinstance(verdict, Match) and says in verdict.finding.says.en
