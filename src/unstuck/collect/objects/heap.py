"""A program's heap limit in a container's command line and environment: the option alone is kept.

Sources: java(1) `-Xmx`, `-XX:MaxHeapSize`; node(1) `--max-old-space-size`, in MiB; Go runtime `GOMEMLIMIT`.
"""

from __future__ import annotations

from collections.abc import Iterator

from unstuck.collect.objects import doc
from unstuck.facts.quantity import parse_amount
from unstuck.facts.regex import regex

_JAVA = regex(
    r"(?:^|[\s\"'=])(?P<option>-Xmx|-XX:MaxHeapSize=)(?P<n>\d{1,15})(?P<unit>[kKmMgGtT]?)(?=$|[\s\"',])"
)
_NODE = regex(r"(?:^|[\s\"'=])(?P<option>--max[-_]old[-_]space[-_]size=)(?P<n>\d{1,9})(?=$|[\s\"',])")
_GO = regex(r"(?P<n>\d{1,15})(?P<unit>B|[KMGT]iB)?")
_UNITS = {"": 1, "k": 1 << 10, "m": 1 << 20, "g": 1 << 30, "t": 1 << 40}
_OPTIONS = (
    *(
        "JAVA_OPTS",
        "JAVA_TOOL_OPTIONS",
        "JDK_JAVA_OPTIONS",
        "_JAVA_OPTIONS",
        "JAVA_OPTIONS",
        "JVM_OPTS",
        "CATALINA_OPTS",
        "ES_JAVA_OPTS",
    ),
    *("KAFKA_HEAP_OPTS", "LS_JAVA_OPTS", "SPARK_DAEMON_JAVA_OPTS", "NODE_OPTIONS"),
)
_GO_LIMIT = "GOMEMLIMIT"
_READ = frozenset((*_OPTIONS, _GO_LIMIT))
_LONGEST = 4096


def heap_of(row: doc.Doc) -> tuple[tuple[str, int], ...]:
    """Return (option as written, bytes) for each option that limits the heap, in their order."""
    return tuple(dict.fromkeys(_find_heaps(row)))


def _find_heaps(row: doc.Doc) -> Iterator[tuple[str, int]]:
    environment = {
        name: doc.text(e, "value") for e in doc.rows(row, "env") if (name := doc.text(e, "name")) in _READ
    }
    for text in (
        *doc.strings(row, "command"),
        *doc.strings(row, "args"),
        *(environment[name] for name in _OPTIONS if name in environment),
    ):
        for m in _JAVA.finditer(text[:_LONGEST]):
            yield f"{m['option']}{m['n']}{m['unit']}", int(m["n"]) * _UNITS[m["unit"].lower()]
        for m in _NODE.finditer(text[:_LONGEST]):
            yield f"{m['option']}{m['n']}", int(m["n"]) << 20
    written = environment.get(_GO_LIMIT, "")
    if go := _GO.fullmatch(written):
        size = parse_amount("memory", go["n"] + (go["unit"] or "").rstrip("B"))
        if size is not None:
            yield f"{_GO_LIMIT}={written}", size
