"""The program that copies a missing Secret or ConfigMap from another Namespace, and the reason why this one
has no copy: by the annotations of the original and of other copies.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from unstuck.diagnosis.asking import ask_why
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import NO_TEXT, Messages, Text, who
from unstuck.diagnosis.verdict import Step
from unstuck.facts.aspects.objects import Labels
from unstuck.facts.aspects.references import Mark, Namesakes
from unstuck.facts.core import Fact, Ref, Want
from unstuck.facts.lookup import Facts
from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex
from unstuck.knowledge.copiers import COPIERS, Copier

say = Messages(__name__)

READS: frozenset[type[Fact]] = frozenset({Namesakes, Labels})
# Anybody may write such a pattern: one that repeats a group, or branches more often, may take forever.
_UNTRIED = regex(r"\)[*+?{]|\{|\[[^\]]*(?:\[|--|&&|~~|\|\|)")
_BRANCHES = regex(r"[*+?|(]")
_MANY = 5
_PAIRS = regex(r"[\w./-]{1,300}(?:==?[\w.-]{0,63})?(?:,[\w./-]{1,300}(?:==?[\w.-]{0,63})?)*")


@record()
class CopyFinding(Record):
    """The controller that copies an object, and the reason it skips this Namespace. says: a clause; empty if
    no copier is known. help: the remedy.
    """

    says: Text = NO_TEXT
    help: tuple[Step, ...] = ()
    wants: tuple[Want, ...] = ()


def find_copier(missing: Ref, snap: Facts, verify: Text) -> CopyFinding:
    """Return the copier of objects of this name to other Namespaces, with the setting that excludes it
    here.
    """
    marks = unique(m for f in snap.of(Namesakes, missing) for m in f.marks)
    for copier, of in _list_copiers(marks):
        origin = _find_origin(copier, of)
        rules = tuple(m for m in of if m.of == origin)
        space = missing.within or ""
        if narrow := next((m for m in rules if _lists_spaces(m, copier) and not _takes(m, space)), None):
            return _tell_list(missing, narrow, copier, verify)
        if chosen := next((m for m in rules if _word(m) in copier.selectors and m.value), None):
            return _tell_selector(missing, chosen, copier, snap, verify)
        return CopyFinding(
            say("; {copier} copies it from {origin}", copier=copier.name, origin=who(origin)),
            (
                Step(
                    say(
                        "check whether {copier} is running, and what it logs about {origin} and Namespace "
                        "{space}",
                        copier=copier.name,
                        origin=who(origin),
                        space=space,
                    ),
                    verify=verify,
                ),
            ),
        )
    return CopyFinding()


def _list_copiers(marks: tuple[Mark, ...]) -> Iterator[tuple[Copier, tuple[Mark, ...]]]:
    """Yield the known programs that have left marks, then any that lists Namespaces with a copy."""
    for copier in COPIERS:
        if of := tuple(m for m in marks if _domain(m) == copier.domain):
            yield copier, of
    spaces = {m.of.within for m in marks}
    for mark in marks:
        listed = {w.strip() for w in mark.value.split(",")}
        if mark.of.within not in listed and listed & spaces:
            yield Copier(_domain(mark), _domain(mark), "", (_word(mark),)), (mark,)


def _domain(mark: Mark) -> str:
    return mark.key.partition("/")[0]


def _word(mark: Mark) -> str:
    return mark.key.partition("/")[2]


def _find_origin(copier: Copier, marks: tuple[Mark, ...]) -> Ref:
    """Return the original: the object that a copy names as its origin, else the object with the rules."""
    for mark in marks:
        if _word(mark) in copier.origins:
            space, _, name = mark.value.rpartition("/")
            return Ref(mark.of.kind, space or name, mark.of.name)
    ruled = (m.of for m in marks if _word(m) in (*copier.spaces, *copier.selectors))
    return next(ruled, marks[0].of)


def _lists_spaces(mark: Mark, copier: Copier) -> bool:
    return _word(mark) in copier.spaces and bool(mark.value.strip())


def _takes(mark: Mark, space: str) -> bool:
    """Tell whether its list has the Namespace; a pattern that is not tried, or does not parse, is taken to
    have it.
    """
    return any(_matches(p, space) for w in mark.value.split(",") if (p := w.strip()))


def _matches(pattern: str, space: str) -> bool:
    if pattern in ("*", space) or _UNTRIED.search(pattern) or len(_BRANCHES.findall(pattern)) > _MANY:
        return True
    try:
        return re.fullmatch(pattern, space) is not None
    except re.error:
        return True


def _tell_list(missing: Ref, mark: Mark, copier: Copier, verify: Text) -> CopyFinding:
    says = say(
        "; {copier} copies it from {origin} into the Namespaces of annotation {key}, which are {value}: "
        "{space} is none of them",
        copier=copier.name,
        origin=who(mark.of),
        key=mark.key,
        value=mark.value,
        space=missing.within,
    )
    add = Step(
        say(
            "add {space} to annotation {key} of {origin}, if it should have the {kind}",
            space=missing.within,
            key=mark.key,
            origin=who(mark.of),
            kind=missing.kind,
        ),
        where="source",
        verify=verify,
    )
    return CopyFinding(says, (add,))


def _tell_selector(missing: Ref, mark: Mark, copier: Copier, snap: Facts, verify: Text) -> CopyFinding:
    space = Ref("Namespace", None, missing.within)
    labels = next((f for f in snap.of(Labels, space) if f.whole), None)
    says = say(
        "; {copier} copies it from {origin} into the Namespaces with label {value}",
        copier=copier.name,
        origin=who(mark.of),
        value=mark.value,
    )
    look = Step(
        say("see why {origin} has not been copied there", origin=who(mark.of)),
        command=ask_why(mark.of),
        verify=verify,
    )
    if labels is None:
        return CopyFinding(says, (look,), (Want(Labels, space),))
    if not _PAIRS.fullmatch(mark.value) or _has_labels(labels, mark.value):
        return CopyFinding(says, (look,))
    says += say(", which Namespace {space} does not have", space=missing.within)
    add = Step(
        say(
            "add the label {value} to Namespace {space}, if it should have the {kind}",
            space=missing.within,
            value=mark.value,
            kind=missing.kind,
        ),
        where="source",
        verify=verify,
    )
    return CopyFinding(says, (add,))


def _has_labels(labels: Labels, selector: str) -> bool:
    have = dict(labels.items)
    pairs = (p.replace("==", "=").partition("=") for p in selector.split(","))
    return all(key in have and (not equals or have[key] == value) for key, equals, value in pairs)
