"""Completes the words of a reported error from the lines around it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from unstuck.collect.masking import mask
from unstuck.collect.text.beside.values import find_open_value
from unstuck.facts.aspects.pod import Complaint
from unstuck.facts.regex import regex
from unstuck.wording.program.devices import find_device
from unstuck.wording.program.own_start import find_recovery
from unstuck.wording.program.usages import find_usage

# An addition may stand this many lines below.
_AROUND = 3
# A wait reports each of its looks.
_AROUND_A_WAIT = 200
_WAITED = regex(
    r"\b[Ww]aiting for (?P<resource>pod|job|deployment|statefulset) (?P<namespace>[a-z0-9-]{1,63})/"
    r"(?P<name>[a-z0-9](?:[a-z0-9.-]{0,251}[a-z0-9])?) to \w"
)
# A verbose client writes the headers between a request and its response.
_AROUND_A_RESPONSE = 12
_REQUEST = regex(r"\b(?P<verb>GET|POST|PUT|PATCH|DELETE|HEAD) (?P<path>https?://[^\s\"'<>\\|]{3,300})")
# A row of `helm history`, whose operation never ended. Source: helm pkg/cmd/history.go.
_PENDING = regex(
    r"^\s*\d{1,6}\s+[A-Z][a-z]{2} [A-Z][a-z]{2} .{10,40}?\bpending-(?:install|upgrade|rollback)\b.{0,200}"
)
_DETAIL = regex(r"^.{0,80}?\bDETAIL: {1,2}(?P<said>\S.{1,300})$")


def add_detail(said: Complaint, lines: Sequence[str], at: int) -> Complaint:
    """Complete a complaint from the lines below it: PostgreSQL's DETAIL with the missing name, or a server's
    report on its recovery.
    """
    if said.error == "credentials-refused" and not said.name:
        below = lines[at + 1] if at + 1 < len(lines) else ""
        return replace(said, name=mask(find_open_value(lines[at], below)))
    if said.error == "option-unknown":
        return replace(said, path=said.path or find_usage(lines[at + 1 : at + 1 + _AROUND]))
    if said.error == "server-not-ready" and (recovery := find_recovery(lines)):
        return replace(said, detail=mask(recovery))
    if said.error == "request-refused" and said.at and not said.path:
        return _add_request(said, lines[max(0, at - _AROUND_A_RESPONSE) : at])
    if said.error == "lock-held" and not said.name:
        rows = (m[0] for one in lines if (m := _PENDING.match(one)))
        return replace(said, detail=mask(" ".join(next(rows, "").split())))
    if said.error == "device-failed" and not said.name:
        return replace(said, name=find_device(lines[max(0, at - _AROUND) : at]))
    if said.error == "wait-ended" and not said.name:
        return _add_waited(said, lines[:at])
    below = next((line for line in lines[at + 1 : at + 1 + _AROUND] if line.strip()), "")
    found = _DETAIL.match(below) if said.reason else None
    return (
        replace(said, reason=f"{said.reason.rstrip(' .')}: {mask(found['said']).strip(' .')}")
        if found
        else said
    )


def _add_request(said: Complaint, above: Sequence[str]) -> Complaint:
    """Add the request above a response, as verbose clients write the two."""
    found = next((m for line in reversed(above) if (m := _REQUEST.search(line))), None)
    return replace(said, verb=found["verb"], path=mask(found["path"])) if found else said


def _add_waited(said: Complaint, above: Sequence[str]) -> Complaint:
    """Add the object that the last line about the progress of the wait names."""
    for line in reversed(above[-_AROUND_A_WAIT:]):
        if found := _WAITED.search(line):
            return replace(said, resource=found["resource"], namespace=found["namespace"], name=found["name"])
    return said
