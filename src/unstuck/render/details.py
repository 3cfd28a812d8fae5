"""Translates this tool's own reasons for unanswered questions; messages of a server or a kernel stay
verbatim.
"""

from __future__ import annotations

import re

from unstuck.diagnosis.text import Messages
from unstuck.render.words import Lang

say = Messages(__name__)

# This tool's own phrases, with slots for foreign words.
_OWN = tuple(
    (re.compile(own), said)
    for own, said in (
        (r"no answer within the deadline", say("no answer within the deadline")),
        (r"no answer within (?P<seconds>\S+) s", say.template("no answer within {seconds} s")),
        (r"only the first (?P<n>\d+) were looked at", say.template("only the first {n} were looked at")),
        (r"not looked at, after (?P<n>\d+) types", say.template("not looked at, after {n} types")),
        (r"GET (?P<path>\S+): more than (?P<size>\d+ MiB)", say.template("GET {path}: more than {size}")),
        (
            r"GET (?P<path>\S+): more than (?P<size>\d+ MiB) once it is decoded",
            say.template("GET {path}: more than {size} once it is decoded"),
        ),
        (
            r"GET (?P<path>\S+): more than (?P<size>\d+ MiB) with what else is held",
            say.template("GET {path}: more than {size} with what else is held"),
        ),
        (r"the server's answer is no list", say("the server's answer is no list")),
        (r"the answer does not unpack", say("the answer does not unpack")),
        (r"does not tell its types", say("does not tell its types")),
        (r"the logs of its owners may not be read", say("the logs of its owners may not be read")),
        (
            r"the logs of the control plane may not be read",
            say("the logs of the control plane may not be read"),
        ),
    )
)


def translate_detail(detail: str, lang: Lang) -> str:
    """Return the detail of a `Refused` in this language, verbatim if there is no translation."""
    if lang == "zh":
        for own, said in _OWN:
            if found := own.fullmatch(detail):
                return said.zh.format(**found.groupdict())
    return detail
