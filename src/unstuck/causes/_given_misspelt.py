"""A variable of a container that is nearly one which a well-known program reads."""

from __future__ import annotations

from difflib import SequenceMatcher

from unstuck.causes._value_source import ValueSource
from unstuck.causes._variables import find_variable_place, list_whole_variables
from unstuck.diagnosis.sign import unique
from unstuck.diagnosis.text import Messages
from unstuck.facts.core import Ref
from unstuck.facts.derive.pods import find_container_spec
from unstuck.facts.lookup import Facts
from unstuck.knowledge.program_variables import PROGRAM_VARIABLES, ProgramVariables

say = Messages(__name__)

# So alike one word of two names may be, and so long is a shortened one at least.
_ALIKE, _SHORT = 0.75, 3


def find_misspelt(pod: Ref, container: str | None, snap: Facts) -> ValueSource:
    """Return the variable that has one word other than a known one of the same program, which is not set."""
    spec = find_container_spec(pod, container, snap)
    if spec is None:
        return ValueSource()
    whole = list_whole_variables(pod, container, snap)
    names = unique((*spec.env, *whole.names))
    for name in names:
        known = next((p for p in PROGRAM_VARIABLES if name.startswith(p.start)), None)
        meant = _find_meant(name, known, names) if known else ""
        if known and meant:
            return ValueSource(
                say(
                    "; {place} is set: it is nearly {meant}, which {program} reads",
                    place=find_variable_place(pod, container, name, snap),
                    meant=meant,
                    program=known.program,
                ),
                say(
                    "name it {meant} in place of {name} in the template, if that is meant",
                    meant=meant,
                    name=name,
                ),
                whole.wants,
                (name,),
            )
    return ValueSource(wants=whole.wants)


def _find_meant(name: str, known: ProgramVariables, names: tuple[str, ...]) -> str:
    if name in known.names:
        return ""
    return next((one for one in known.names if one not in names and _is_near(name, one)), "")


def _is_near(name: str, meant: str) -> bool:
    """Tell whether two names have the same words but one, and that one is shortened or misspelt."""
    ours, theirs = name.split("_"), meant.split("_")
    differ = [(a, b) for a, b in zip(ours, theirs, strict=False) if a != b]
    if len(ours) != len(theirs) or len(differ) != 1:
        return False
    one, other = differ[0]
    short = min(len(one), len(other)) >= _SHORT and (one.startswith(other) or other.startswith(one))
    return short or SequenceMatcher(None, one, other).ratio() > _ALIKE
