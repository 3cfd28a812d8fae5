"""Which facts know a word, who makes them and which causes read them: `make facts WORD=lease`."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from unstuck.collect.kube.observables import API_OBSERVABLES
from unstuck.collect.kube.rights import RIGHTS
from unstuck.collect.node.observables import NODE_OBSERVABLES
from unstuck.engine import discover
from unstuck.facts.codec import fact_types
from unstuck.facts.core import Fact
from unstuck.facts.record import names

SOURCE = Path(__file__).parents[1] / "src" / "unstuck"


def main(argv: list[str]) -> int:
    """Print each fact with the word in its name, its page or its fields; 1 where there is none. Without a word: all of them."""
    word = argv[0].lower() if argv else ""
    found = [(name, fact) for name, fact in sorted(fact_types().items()) if word in _page(name, fact).lower()]
    for name, fact in found:
        sys.stdout.write("\n".join(_shown(name, fact)) + "\n\n")
    if not found:
        sys.stderr.write(f"no fact says {word!r}; `make facts` lists all, docs/en/vocabulary.md the words that a Failure holds\n")
    return int(not found)


def _page(name: str, fact: type[Fact]) -> str:
    return " ".join((name, fact.__doc__ or "", *names(fact)))


def _shown(name: str, fact: type[Fact]) -> Iterator[str]:
    """Yield its lines: what it is, who makes it, who reads it."""
    yield f"{name}  ({fact.__module__.removeprefix('unstuck.').replace('.', '/')}.py; cost: {fact.cost})"
    yield f"  {' '.join((fact.__doc__ or '').split())}"
    yield f"  fields: {', '.join(n for n in names(fact) if n not in names(Fact))}"
    yield f"  made in: {', '.join(_makers(name)) or 'nowhere'}"
    yield from _declared(fact)
    if rights := RIGHTS.get(fact):
        yield f"  rights: {', '.join(sorted({f'{r.verb} {r.resource}' for r in rights})[:6])}"
    if fact.ask:
        yield f"  by hand: {fact.ask}"
    reading = [c.id for c in discover() if fact in c.reads]
    yield f"  read by {len(reading)} causes{': ' if reading else ''}{', '.join(reading[:6])}{', …' if len(reading) > 6 else ''}"


def _declared(fact: type[Fact]) -> Iterator[str]:
    """Yield who answers it, and what else is declared of a node's fact."""
    for asked in (o for o in API_OBSERVABLES if o.fact is fact):
        yield f"  answered by: the API server, collect/kube/questions, {asked.reader}"
    for place, told in enumerate(NODE_OBSERVABLES, 1):
        if told.fact is fact:
            readers = ", ".join(f"{reader} of a {kind}" for kind, reader in told.readers.items())
            yield f"  answered by: a node, collect/node, {readers}; looked at as number {place}, {told.surveyed}"
            yield f"  by script: {', '.join(told.script or ()) or 'never in full'}; told to tenants: {told.tenants}"


def _makers(name: str) -> list[str]:
    """Return the files of `collect` and `wording` in which such a fact is made."""
    made = re.compile(rf"\b{name}\(")
    files = (p for package in ("collect", "wording") for p in sorted((SOURCE / package).rglob("*.py")))
    return [p.relative_to(SOURCE).as_posix() for p in files if made.search(p.read_text("utf-8"))]


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
