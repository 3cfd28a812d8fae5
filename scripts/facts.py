"""Finds the facts, causes and vocabulary that contain a word, with the makers and readers of facts: `make
facts WORD=lease`.
"""

from __future__ import annotations

import difflib
import re
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path

from scripts.fields_read import find_places
from scripts.pipes import run_piped

from unstuck.collect.kube.observables import API_OBSERVABLES
from unstuck.collect.kube.rights import RIGHTS
from unstuck.collect.node.observables import NODE_OBSERVABLES
from unstuck.engine import discover
from unstuck.facts.codec import find_fact_types
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, list_field_names

SOURCE = Path(__file__).parents[1] / "src" / "unstuck"
PAGES = SOURCE.parents[1] / "docs" / "en"
_WORD = re.compile(r"[a-z][a-z-]{2,}[a-z]")
HELP = """how to go on:
  a field of an object: `unstuck read --show-facts -o json -` with the object's YAML pasted prints every fact
    that is read of it, of any kind, custom ones too: their status stands in Reported and Conditions, what
    they name in References, a `paused` or `suspend` in Switches
  words that a component prints: the same with the message pasted; CONTRIBUTING.md, "A new message"; all
    words: docs/en/vocabulary.md
  all facts with all fields: make facts; all causes, a line each: docs/en/causes.md
  if it is in none of these: CONTRIBUTING.md, "A new fact"
"""
_MOST = 12


def main(argv: list[str]) -> int:
    """Print each fact, cause, vocabulary word and place of reading with the word, else the nearest words and
    a hint; return 0.

    Without a word: all facts.
    """
    word = _normalise(argv[0]) if argv else ""
    facts = [
        (name, fact)
        for name, fact in sorted(find_fact_types().items())
        if word in _normalise(_make_page(name, fact))
    ]
    for name, fact in facts:
        sys.stdout.write("\n".join(_describe(name, fact)) + "\n\n")
    if not word:
        return 0
    others = {
        "cause": list(_list_causes(word)),
        "word of a Failure": list(_list_vocabulary(word)),
        "read in": list(_read_in(argv[0])),
    }
    for kind, lines in others.items():
        sys.stdout.write("".join(f"{kind}: {line}\n" for line in lines[:_MOST]))
    if not facts:
        near = (
            []
            if any(others.values())
            else difflib.get_close_matches(argv[0].lower(), sorted(_list_known_words()), 6, 0.7)
        )
        sys.stdout.write(f"no fact has {argv[0]!r} in its name, its fields or their description")
        sys.stdout.write((f"; near it: {', '.join(near)}" if near else "") + f"\n{HELP}")
    return 0


def _normalise(text: str) -> str:
    """Normalise a text for comparison: `pid_max`, `pid-max` and `pidMax` are equal."""
    return re.sub(r"[-_]", "", text.lower())


def _read_in(word: str) -> Iterator[str]:
    """Yield the places where `collect` reads such a field, file or word, and the possible facts."""
    last = word.rpartition(".")[2]
    for place in find_places(SOURCE / "collect", lambda text: _normalise(last) in _normalise(text)):
        facts = [
            name
            for name, fact in sorted(find_fact_types().items())
            if {name, *(r.__name__ for r in _list_records(fact))} & place.names
        ]
        yield f"{place}{', for ' if facts else ''}{', '.join(facts[:4])}{', …' if len(facts) > 4 else ''}"


def _list_causes(word: str) -> Iterator[str]:
    """Yield the causes whose id, title or page contains the word, first those with the word in their id or
    title.
    """
    causes = [(c, (PAGES / "causes" / f"{c.id}.md")) for c in discover()]
    for cause in (c for c, _ in causes if word in _normalise(f"{c.id} {c.title.en}")):
        yield f"{cause.id}: {cause.title.en}"
    for cause, page in causes:
        if (
            word not in _normalise(f"{cause.id} {cause.title.en}")
            and page.exists()
            and word in _normalise(page.read_text("utf-8"))
        ):
            yield f"{cause.id}: {cause.title.en} (on its page)"


def _list_vocabulary(word: str) -> Iterator[str]:
    """Yield the operations, error words, stages and reasons whose meaning contains the word."""
    rows = re.findall(r"^\| `([^`]+)` \| (.+?) \|", (PAGES / "vocabulary.md").read_text("utf-8"), re.M)
    return (f"{name}: {meaning}" for name, meaning in rows if word in _normalise(f"{name} {meaning}"))


def _list_known_words() -> set[str]:
    """Return the words of all facts and causes."""
    pages = [_make_page(name, fact) for name, fact in find_fact_types().items()] + [
        f"{c.id} {c.title.en}" for c in discover()
    ]
    return set(_WORD.findall(" ".join(pages).lower()))


def _make_page(name: str, fact: type[Fact]) -> str:
    """Return the words of a fact: its name, its fields and docstring, and those of the records in its
    fields.
    """
    return " ".join(
        (
            name,
            *(text for r in (fact, *_list_records(fact)) for text in (r.__doc__ or "", *list_field_names(r))),
        )
    )


def _describe(name: str, fact: type[Fact]) -> Iterator[str]:
    """Yield a fact's lines: its meaning, its makers, its readers."""
    yield f"{name}  ({fact.__module__.removeprefix('unstuck.').replace('.', '/')}.py; cost: {fact.cost})"
    yield f"  {' '.join((fact.__doc__ or '').split())}"
    own = [name for name in list_field_names(fact) if name not in list_field_names(Fact)]
    yield f"  fields: {', '.join(_list_typed(fact, own))}"
    yield from _describe_records(fact)
    yield f"  made in: {', '.join(_find_makers(name)) or 'nowhere'}"
    yield from _list_declarations(fact)
    if rights := RIGHTS.get(fact):
        yield f"  rights: {', '.join(sorted({f'{r.verb} {r.resource}' for r in rights})[:6])}"
    if fact.ask:
        yield f"  by hand: {fact.ask}"
    reading = [c.id for c in discover() if fact in c.reads]
    yield (
        f"  read by {len(reading)} "
        f"causes{': ' if reading else ''}{', '.join(reading[:6])}{', …' if len(reading) > 6 else ''}"
    )


def _list_typed(kind: type[Record], fields: Iterable[str]) -> list[str]:
    """Return `name: type` for each of these fields."""
    types = {n: t for base in reversed(kind.__mro__) for n, t in getattr(base, "__annotations__", {}).items()}
    return [f"{name}: {types.get(name, '?')}" for name in fields]


def _describe_records(kind: type[Record]) -> Iterator[str]:
    """Yield the records in a fact's fields, each with its docstring and fields."""
    for item in _list_records(kind):
        yield (
            f"    {item.__name__}: {' '.join((item.__doc__ or '').split())} Fields: "
            f"{', '.join(_list_typed(item, list_field_names(item)))}"
        )


def _list_records(kind: type[Record]) -> list[type[Record]]:
    """Return the record types in a fact's fields, defined in its module or imported there."""
    module = sys.modules[kind.__module__]
    words = dict.fromkeys(
        re.findall(
            r"\b[A-Z]\w+",
            " ".join(
                _list_typed(kind, [n for n in list_field_names(kind) if n not in list_field_names(Fact)])
            ),
        )
    )
    held = [getattr(module, w, None) for w in words]
    return [h for h in held if isinstance(h, type) and issubclass(h, Record) and h not in (kind, Ref)]


def _list_declarations(fact: type[Fact]) -> Iterator[str]:
    """Yield the source that answers a fact, and for a node's fact the rest of its declaration."""
    for asked in (o for o in API_OBSERVABLES if o.fact is fact):
        yield f"  answered by: the API server, collect/kube/questions, {asked.reader}"
    for place, told in enumerate(NODE_OBSERVABLES, 1):
        if told.fact is fact:
            readers = ", ".join(f"{reader} of a {kind}" for kind, reader in told.readers.items())
            yield (
                f"  answered by: a node, collect/node, {readers}; looked at as number {place}, "
                f"{told.surveyed}"
            )
            yield f"  whole: {told.extent}"
            yield (
                f"  by script: {', '.join(told.script or ()) or 'never in full'}; told to tenants: "
                f"{told.tenants}"
            )


def _find_makers(name: str) -> list[str]:
    """Return the files of `collect` and `wording` that make such a fact."""
    made = re.compile(rf"\b{name}\(")
    files = (p for package in ("collect", "wording") for p in sorted((SOURCE / package).rglob("*.py")))
    return [p.relative_to(SOURCE).as_posix() for p in files if made.search(p.read_text("utf-8"))]


if __name__ == "__main__":
    raise SystemExit(run_piped(main, sys.argv[1:]))
