"""Event rows, as `describe` and `kubectl get events` print them, in their forms since 1.5.

- `Type  Reason  Age (xN over AGE)  From  Message` below `Events:` (1.7 on; `From` was `kubelet, NODE` until
  1.18)
- `FirstSeen  LastSeen  Count  From  SubObjectPath  Type  Reason  Message` (≤ 1.6)
- `LAST SEEN  TYPE  REASON  OBJECT  MESSAGE` (1.14 on), with `NAMESPACE` first and with the wide columns
- the same of `kubectl events` (1.23 on), with the kind as its object has it and `AGE (xN over AGE)`
- `LASTSEEN  FIRSTSEEN  COUNT  NAME  KIND  SUBOBJECT  TYPE  REASON  SOURCE  MESSAGE` (≤ 1.13)
- `At TIME - event for NAME: {kubelet NODE} REASON: MESSAGE`, as Kubernetes' end-to-end tests log them

Sources: staging/src/k8s.io/kubectl/pkg/describe/describe.go, pkg/printers/internalversion/printers.go
(1.5–1.34), test/e2e/framework/debug/dump.go. Rows are read by their words, not by columns: a paste loses its
alignment as often as not.
"""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from unstuck.collect.objects.kinds import find_kind
from unstuck.collect.text.cutting.ages import AGE, subtract_age
from unstuck.facts.aspects.objects import Event
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex
from unstuck.wording.klog import parse_rfc3339

_TYPE = r"(?P<type>Normal|Warning)"
_REASON = r"(?P<reason>[A-Z][A-Za-z0-9]{1,127})"
_NS = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_WHEN = rf"(?P<last>{AGE})(?:\s+\(x(?P<count>\d{{1,7}}) over (?P<first>{AGE})\))?"
# Provisioners of the first years say `rook.io/block POD UID` (lib/controller/controller.go of
# kubernetes-incubator/external-storage).
_FROM = (
    r"(?P<from>[\w./-]{1,253}(?:, ?[\w.-]{1,253}| [\w.-]{1,253} [0-9a-f]{8}"
    r"(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?)"
)
_SUB = r"(?:(?P<sub>spec\.\S{1,253})\s+)?"
_MESSAGE = r"(?P<message>\S.*)?$"
_CONTAINER = regex(r"spec\.(?:init|ephemeral)?[cC]ontainers\{(?P<name>[a-z0-9-]{1,63})\}")

_DESCRIBED = regex(rf"^\s*{_TYPE}\s+{_REASON}\s+{_WHEN}\s+{_FROM}\s+{_MESSAGE}")
_DESCRIBED_OLD = regex(
    rf"^\s*(?P<first>{AGE})\s+(?P<last>{AGE})\s+(?P<count>\d{{1,7}})\s+"
    r"(?P<from>\{?[\w./-]{1,253}(?:,? [\w.-]{1,253})? ?\}?)\s+"
    rf"{_SUB}{_TYPE}\s+{_REASON}\s+{_MESSAGE}"
)
# Before 1.3 no type was shown: braces mark the component.
_DESCRIBED_OLDEST = regex(
    rf"^\s*(?P<first>{AGE})\s+(?P<last>{AGE})\s+(?P<count>\d{{1,7}})\s+"
    r"(?P<from>\{[\w./-]{1,253}(?:,? [\w.-]{1,253})? ?\})\s+"
    rf"{_SUB}{_REASON}\s+{_MESSAGE}"
)
_LISTED = regex(
    rf"^\s*(?:(?P<ns>{_NS})\s+)?{_WHEN}\s+{_TYPE}\s+{_REASON}\s+"
    rf"(?P<kind>[A-Za-z][A-Za-z0-9.]{{1,100}})/(?P<name>[a-z0-9][a-z0-9.:-]{{0,252}})\s+{_MESSAGE}"
)
# Until 1.4 times were shown, not ages.
_OLD_AGE = rf"(?:{AGE}|\d{{4}}-\d\d-\d\dT\d\d:\d\d:\d\d(?:Z|[+-]\d\d:\d\d))"
_LISTED_OLD = regex(
    rf"^\s*(?:(?P<ns>{_NS})\s+)?(?P<last>{_OLD_AGE})\s+(?P<first>{_OLD_AGE})\s+(?P<count>\d{{1,7}})\s+"
    rf"(?P<event>[a-z0-9][a-z0-9.-]{{0,252}})\s+(?P<kind>[A-Z][A-Za-z]{{1,62}})\s+{_SUB}{_TYPE}\s+{_REASON}"
    r"\s+"
    r"(?P<from>\{[\w./-]{1,253}(?:,? [\w.-]{1,253})? ?\}|[\w./-]{1,253}(?:, ?[\w.-]{1,253})?)"
    rf"\s+{_MESSAGE}"
)
_LOGGED = regex(
    r"^.{0,64}\bAt (?P<day>\d{4}-\d\d-\d\d) (?P<time>\d\d:\d\d:\d\d)(?:\.\d+)? \+0000 UTC - event for "
    r"(?P<name>[a-z0-9][a-z0-9.-]{0,252}): "
    rf"(?P<from>\{{(?P<who>[\w./-]{{1,253}})(?: [\w.-]{{1,253}})? ?\}}) {_REASON}: {_MESSAGE}"
)
# Components whose Events are about Pods.
_OF_PODS = ("kubelet", "default-scheduler", "taint-eviction-controller", "attachdetach-controller")
_WIDE = regex(
    r"^(?:(?P<sub>spec\.\S{1,253})\s{2,})?(?P<from>[\w./-]{1,253}(?:, [\w.-]{1,253})?)\s{2,}"
    r"(?P<message>\S.*?)\s{2,}"
    rf"(?P<first>{AGE})\s+(?P<count>\d{{1,7}})\s+\S{{1,253}}$"
)

HEADERS = (
    regex(r"^\s*Type\s+Reason\s+Age\s+From\s+Message\s*$"),
    regex(
        r"^\s*First ?Seen\s+Last ?Seen\s+Count\s+From\s+Sub[oO]bject(?:Path)?\s+Type\s+Reason\s+Message\s*$"
    ),
    regex(
        r"^(?:NAMESPACE\s+)?LAST SEEN\s+TYPE\s+REASON\s+OBJECT\s+(?:SUBOBJECT\s+SOURCE\s+)?MESSAGE(?:"
        r"\s+FIRST SEEN\s+COUNT\s+NAME)?\s*$"
    ),
    regex(
        r"^(?:NAMESPACE\s+)?LAST ?SEEN\s+FIRST ?SEEN\s+COUNT\s+NAME\s+KIND\s+SUBOBJECT\s+TYPE\s+REASON"
        r"\s+SOURCE\s+MESSAGE\s*$"
    ),
)
RULE = regex(r"^\s*(?:-{2,}\s+){2,}-{2,}\s*$")


@dataclass(frozen=True, slots=True)
class EventRow:
    """One row. about: the object it names; None in a describe, about the described object. container: of
    its SubObjectPath.
    """

    event: Event
    about: Ref | None
    container: str | None = None


def is_row(line: str) -> bool:
    """Tell whether the line is such a row in any form."""
    return parse_row(line, None, None) is not None


def parse_row(line: str, now: datetime | None, namespace: str | None) -> EventRow | None:
    """Return the row of a line in any form; None for every other line. namespace: for objects in a row
    without such a column.
    """
    line = line[:16384]
    if "Warning" not in line and "Normal" not in line:
        oldest = _DESCRIBED_OLDEST.match(line) if "}" in line else None
        if " - event for " in line and (logged := _LOGGED.match(line)):
            return _make_logged_row(logged.groupdict(), now, namespace)
        return _make_row({"type": "Warning", **oldest.groupdict()}, now, namespace) if oldest else None
    for form in (_DESCRIBED, _LISTED, _DESCRIBED_OLD, _LISTED_OLD):
        found = form.match(line)
        if found:
            return _make_row(found.groupdict(), now, namespace)
    return None


def _make_row(g: dict[str, str | None], now: datetime | None, namespace: str | None) -> EventRow:
    message = (g.get("message") or "").strip()
    if g.get("kind") and not g.get("from") and (wide := _WIDE.match(message)):
        g = {**g, **wide.groupdict()}
        message = wide["message"]
    reporter = (
        (g.get("from") or "").strip("{} ,").replace(" ", ", ")
        if "{" in (g.get("from") or "")
        else g.get("from") or ""
    )
    last, first = _parse_when(g["last"], now), _parse_when(g.get("first"), now)
    sub = _CONTAINER.search(g.get("sub") or "")
    event = Event(
        reason=g["reason"] or "",
        message=message,
        warning=g["type"] == "Warning",
        count=max(1, int(g.get("count") or 1)),
        first=first or last,
        last=last,
        reporter=reporter,
    )
    return EventRow(event, _find_object(g, namespace), sub["name"] if sub else None)


def _make_logged_row(g: dict[str, str | None], now: datetime | None, namespace: str | None) -> EventRow:
    """Make a row without a type; its kind follows from the reporter alone."""
    kind = "Pod" if g["who"] in _OF_PODS else None
    return _make_row(
        {**g, "type": "Warning", "last": f"{g['day']}T{g['time']}Z", "kind": kind}, now, namespace
    )


def _parse_when(shown: str | None, now: datetime | None) -> datetime | None:
    if shown and shown.startswith("20"):
        return parse_rfc3339(shown)
    return subtract_age(shown or "", now) if now else None


def _find_object(g: dict[str, str | None], namespace: str | None) -> Ref | None:
    kind, name = g.get("kind"), g.get("name")
    if kind and g.get("event"):
        # The Event's own name is its object's and a stamp: `web-0.15f2c1…`.
        name = (g["event"] or "").rpartition(".")[0] or g["event"]
    if not kind or not name:
        return None
    own = find_kind(kind)
    if own is None:
        return Ref(kind, g.get("ns") or namespace, name)
    return Ref(own.ref_kind, (g.get("ns") or namespace) if own.namespaced else None, name)
