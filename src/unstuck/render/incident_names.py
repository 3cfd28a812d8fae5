"""The name of an incident in one line: the full name of one affected object, for copying, and the number of
other objects.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from datetime import datetime
from types import MappingProxyType

from unstuck.diagnosis.answer import Answer, CauseMatch, Incident
from unstuck.diagnosis.text import called, format_duration, told_apart
from unstuck.facts.core import Ref
from unstuck.facts.vocabulary.kinds import CREATORS
from unstuck.render.page import Page
from unstuck.render.scan_selection import list_examined
from unstuck.render.visible import shorten_middle, visible

# Source: `kubectl api-resources`; other kinds are written in full.
_SHORT: Mapping[str, str] = MappingProxyType(
    {
        "DaemonSet": "ds",
        "Deployment": "deploy",
        "Namespace": "ns",
        "PersistentVolume": "pv",
        "PersistentVolumeClaim": "pvc",
        "ReplicaSet": "rs",
        "ReplicationController": "rc",
        "StatefulSet": "sts",
    }
)
_COUNTED: Mapping[str, str] = MappingProxyType({"PersistentVolume": "PV", "PersistentVolumeClaim": "PVC"})
_MINUTE, _HOUR, _DAY = 60, 3600, 86400


def abbreviate(ref: Ref) -> str:
    """Return `shop/deploy/web` or `node/lab-1`: the Namespace, then the name as typed in kubectl."""
    name = ref.name or ref.uid or ref.block or "?"
    typed = f"{_SHORT.get(ref.kind, ref.kind.lower())}/{name}"
    return visible(shorten_middle(f"{ref.within}/{typed}" if ref.within else typed))


def name_subjects(incident: Incident, report: Answer, page: Page) -> tuple[str, str]:
    """Return (the first object's name, the number of other objects)."""
    read = list_examined(incident)
    first = report.diagnoses[incident.representative].subject
    heads = _render_heads(incident, read, first)
    one = first if first in heads else heads[0]
    rest = Counter(m.kind for m in read if m not in heads)
    counts = [
        page.word("n_of_kind", n=n, kind=_kind(kind, n, page))
        for kind, n in sorted(rest.items(), key=lambda r: (-r[1], r[0]))
    ]
    others = page.word("others", n=len(heads) - 1) if len(heads) > 1 else ""
    alike = page.word("and_alike", n=len(incident.alike)) if incident.alike else ""
    # An unnamed object is named after its place in the input.
    name = abbreviate(one) if one.name else page.text(called(one))
    return name, visible(others + "".join(page.word("comma") + c for c in counts) + alike)


def _render_heads(incident: Incident, read: tuple[Ref, ...], first: Ref) -> list[Ref]:
    """Return the members that give the group its name."""
    nodes = [m for m in read if m.kind == "Node"] if incident.trouble == "nodes" else []
    # People know owners by name; their Pods are only counted.
    creators = [m for m in read if m.kind in CREATORS]
    return nodes or creators or [m for m in read if m.kind == first.kind] or list(read) or [first]


def format_reach(reach: Iterable[tuple[str, int]], page: Page) -> str:
    """Return `600 Pods · 12 Deployments`."""
    return " · ".join(
        page.word("n_of_kind", n=n, kind=_kind(kind, n, page))
        for kind, n in sorted(reach, key=lambda r: (-r[1], r[0]))
    )


def describe_sighting(cause: CauseMatch, page: Page) -> str:
    """Return `seen on Pod shop/web-0 (node n-1) and 1 more`; "" if the subject itself shows the cause."""
    if cause.via is None:
        return ""
    who, n = told_apart(cause.via), len(cause.also)
    if cause.node:
        who += page.word("at_node", node=cause.node)
    return page.word("seen_on_more", who=who, n=n) if n else page.word("seen_on", who=who)


def _kind(kind: str, n: int, page: Page) -> str:
    kind = _COUNTED.get(kind, kind)
    return f"{kind}s" if n > 1 and page.lang == "en" and kind.isalpha() else kind


def format_age(since: datetime | None, page: Page) -> str:
    """Return `77s`, `12m`, `3h20m`, `5d`, in kubectl's form; "" if unknown."""
    if since is None:
        return ""
    span = page.at - since
    seconds = max(0, int(span.total_seconds()))
    if seconds < 2 * _MINUTE:
        en = f"{seconds}s"
    elif seconds < 2 * _HOUR:
        en = f"{seconds // _MINUTE}m"
    elif seconds < 2 * _DAY:
        minutes = seconds % _HOUR // _MINUTE
        en = f"{seconds // _HOUR}h{minutes}m" if minutes else f"{seconds // _HOUR}h"
    else:
        en = f"{seconds // _DAY}d"
    return format_duration(span).zh if page.lang == "zh" else en
