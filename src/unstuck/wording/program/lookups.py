"""Output of the tools that ask name servers: nslookup, dig and host of BIND, nslookup of busybox, and other
tools' line about a name.
"""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import HOST, LastWord, words

_BIND = Seen("BIND", "9.9–9.20", "bin/dig/nslookup.c, bin/dig/host.c, bin/dig/dighost.c")
_BUSYBOX = Seen("busybox", "1.0–1.37", "networking/nslookup.c")

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "reply-misdirected",
        words(
            r"^;; reply from unexpected source: (?P<name>[0-9a-f.:]{2,45})#\d{1,5}, expected (?P<resource>[0-9a-f.:]{2,45})#(?P<port>\d{1,5})"
        ),
        ("reply from unexpected source: ",),
        (_BIND,),
        (
            Example(
                ";; reply from unexpected source: 10.244.1.7#53, expected 10.96.0.10#53",
                "reply-misdirected name=10.244.1.7 port=53 resource=10.96.0.10",
            ),
            Example(
                ";; reply from unexpected source: fd00:1::7#53, expected fd00:96::a#53",
                "reply-misdirected name=fd00:1::7 port=53 resource=fd00:96::a",
            ),
        ),
    ),
    LastWord(
        "name-unanswered",
        words(
            rf"server can't find (?P<name>{HOST}): (?:SERVFAIL|REFUSED|NOTIMP)\b|^Host (?P<name_2>{HOST}) not found: [25]\((?:SERVFAIL|REFUSED)\)"
            rf"|^;; communications error to (?P<resource>[0-9a-f.:]{{2,45}})#\d{{1,5}}: (?:timed out|connection refused|end of file)"
            r"|^;; (?:connection timed out; )?no servers could be reached|^;; connection timed out; trying next origin"
        ),
        (
            "server can't find ",
            "not found: ",
            "communications error to ",
            "no servers could be reached",
            "trying next origin",
        ),
        (_BIND, _BUSYBOX),
        (
            Example(
                "** server can't find shop.example.com: SERVFAIL", "name-unanswered name=shop.example.com"
            ),
            Example("Host shop.example.com not found: 2(SERVFAIL)", "name-unanswered name=shop.example.com"),
            Example(";; connection timed out; no servers could be reached", "name-unanswered"),
            Example(
                ";; communications error to 10.96.0.10#53: timed out", "name-unanswered resource=10.96.0.10"
            ),
        ),
    ),
    LastWord(
        "name-unresolved",
        words(
            rf"server can't find (?P<name>{HOST}): NXDOMAIN|^Host (?P<name_2>{HOST}) not found: 3\(NXDOMAIN\)"
            rf"|^nslookup: can't resolve '(?P<name_3>{HOST})'|^\*\*\* \S{{1,253}} can't find (?P<name_4>{HOST}): Non-existent domain"
            rf"|\b(?:host|for) (?P<name_5>{HOST}): nxdomain \(non-existing domain\)"
        ),
        (
            "server can't find ",
            "not found: ",
            "nslookup: can't resolve ",
            "Non-existent domain",
            "nxdomain (non-existing",
        ),
        (
            _BIND,
            _BUSYBOX,
            Seen("RabbitMQ", "3.6–4", "deps/rabbit/src/rabbit_nodes.erl; Erlang/OTP kernel inet (nxdomain)"),
        ),
        (
            Example(
                "ERROR: epmd error for host mq-0.mq-headless.shop.svc.cluster.local: nxdomain (non-existing domain)",
                "name-unresolved name=mq-0.mq-headless.shop.svc.cluster.local",
            ),
            Example(
                "** server can't find web.shop.svc.cluster.local: NXDOMAIN",
                "name-unresolved name=web.shop.svc.cluster.local",
            ),
            Example("Host web.shop not found: 3(NXDOMAIN)", "name-unresolved name=web.shop"),
            Example(
                "nslookup: can't resolve 'kubernetes.default'", "name-unresolved name=kubernetes.default"
            ),
        ),
    ),
)
