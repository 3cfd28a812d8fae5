"""A probe of another protocol than its port's: by the port's name, and by what the program's log says."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Literal

from unstuck.causes.container._probe_answers import AnswerMeaning, find_meaning
from unstuck.diagnosis.text import Messages, Text
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Handler, LastLines
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec, make_container_ref
from unstuck.facts.lookup import Facts
from unstuck.facts.regex import regex

say = Messages(__name__)

Protocol = Literal["grpc", "http", "https", ""]
# Names of ports as meshes and charts write them: `http`, `http-web`, `https-metrics`, `grpc-api`.
_NAME = regex(r"(?P<word>grpc|https?|tls|ssl|web)(?:$|[-_\d])")
_OF_LOG: tuple[tuple[Protocol, re.Pattern[str]], ...] = (
    ("grpc", regex(r"(?i)\bgrpc\b.{0,40}\b(?:server|listen|serving|started|on)\b")),
    ("https", regex(r"(?i)https://(?:\[|0\.0\.0\.0|\*|localhost|127\.|:)|\bhttps\b.{0,30}\b(?:listen|serv)")),
    (
        "http",
        regex(
            r"(?i)(?<!\w)http://(?:\[|0\.0\.0\.0|\*|localhost|127\.|:)"
            r"|\bhttp\b.{0,30}\b(?:listen|serv|start)|(?:listen|serv)\w*\b.{0,30}\bhttp\b"
        ),
    ),
)
# Answers of a server that speaks another protocol, or none at all.
_FOREIGN = regex(
    r"(?i)malformed HTTP|HTTP/1\.x transport|first record does not look like a TLS|unimplemented"
    r"|failed to connect|unexpected EOF|\bEOF\b|connection reset|frame too large|http2|timeout"
    r"|context deadline exceeded|error reading server preface|statuscode: 400"
)
_OF_NAME: Mapping[str, Protocol] = MappingProxyType[str, Protocol](
    {"grpc": "grpc", "http": "http", "https": "https", "tls": "https", "ssl": "https", "web": "http"}
)


def find_answer_meaning(
    pod: Ref, failure: Failure, handler: Handler | None, name: str | None, snap: Facts
) -> AnswerMeaning | None:
    """Return the meaning of a probe's answer: another protocol at its port first."""
    return find_other_protocol(pod, failure, handler, name, snap) or find_meaning(failure, handler)


def find_other_protocol(
    pod: Ref, failure: Failure, handler: Handler | None, name: str | None, snap: Facts
) -> AnswerMeaning | None:
    """Return the protocol of the port, if the probe speaks another; None if they agree or it is unknown."""
    asks = _find_protocol_of_probe(handler)
    if handler is None or not asks or not _FOREIGN.search(failure.message):
        return None
    spec = find_container_spec(pod, name, snap)
    called = next((n for n, number in spec.ports if handler.port in (n, str(number))), "") if spec else ""
    by_name = _find_protocol_of_name(called)
    by_log, line = _find_protocol_of_log(list_lines(pod, name, snap), handler.port)
    speaks = by_log or by_name
    if not speaks or speaks == asks or {speaks, asks} == {"grpc", "https"}:
        return None
    says = say("it asks {asks} of a port that speaks {speaks}", asks=_call(asks), speaks=_call(speaks))
    if by_name == speaks:
        says += say("; that port is called {called}", called=called)
    if by_log:
        says += say("; its log says “{line}”", line=line[:120])
    return AnswerMeaning(says, _advise(asks, speaks), settled=True)


def list_lines(pod: Ref, name: str | None, snap: Facts) -> list[str]:
    """Return the lines that were read of the container's logs."""
    return [line for f in snap.of(LastLines, make_container_ref(pod, name)) for line in f.lines]


def _find_protocol_of_probe(handler: Handler | None) -> Protocol:
    if handler is None or handler.how not in ("http", "grpc"):
        return ""
    return "grpc" if handler.how == "grpc" else "https" if handler.scheme == "HTTPS" else "http"


def _find_protocol_of_name(name: str) -> Protocol:
    found = _NAME.match(name)
    return _OF_NAME[found["word"]] if found else ""


def _find_protocol_of_log(lines: Iterable[str], port: str) -> tuple[Protocol, str]:
    """Return the protocol of the first server that the log reports at this port, and its line."""
    if port and not port.isdigit():
        return "", ""
    at_port = (line for line in lines if f":{port}" in line or f"port {port}" in line)
    return next(((p, line) for line in at_port for p, words in _OF_LOG if words.search(line)), ("", ""))


def _call(protocol: Protocol) -> Text:
    if protocol == "grpc":
        return say("gRPC health")
    return say("HTTPS") if protocol == "https" else say("plain HTTP")


def _advise(asks: Protocol, speaks: Protocol) -> Text:
    if speaks == "grpc":
        return say(
            "use a grpc probe in place of httpGet, or a tcpSocket probe, or probe a port that speaks HTTP"
        )
    if asks == "grpc":
        return say(
            "use httpGet with a path of the program in place of the grpc probe, or probe the port that "
            "serves gRPC health"
        )
    if speaks == "https":
        return say("set scheme: HTTPS in the probe's httpGet, or probe a port that speaks plain HTTP")
    return say("set scheme: HTTP in the probe's httpGet, or have the program serve TLS on that port")
