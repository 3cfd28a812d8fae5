"""Two texts give the same facts together, in either order, as separately: no format takes another one's
lines.
"""

from __future__ import annotations

from functools import cache
from hashlib import blake2b
from itertools import permutations
from textwrap import dedent

import pytest

from tests.text.formats import SAMPLES
from tests.text.support import DESCRIBE, NOW, UID, YAML
from tests.text.test_lines import EVENT_FORMS, TEARDOWN
from unstuck.collect.text.read import read_text
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact

TEXTS = {
    **SAMPLES,
    "describe": DESCRIBE,
    "yaml": YAML,
    **{f"events-{n}": dedent(text) for n, text in enumerate(EVENT_FORMS, 1)},
    "log": TEARDOWN.format(second=1, uid=UID),
}
# All text below its command is a program's own output.
TAKES_ALL = {"pod-logs"}
# Texts that begin in the middle, and so may continue an equally indented text above them, or be continued
# below.
CUT_OUT = {
    "fragment",
    "fragment-lost",
    "fragment-shifted",
    "fragment-json",
    "condition",
    "ps-columns-header",
    "describe-failed",
}
OBJECTS = {"yaml", "describe", *(name for name in TEXTS if name.startswith("describe-")), "table-custom"}
# The command determines the text below it, in any form.
OF_A_COMMAND = {("ps-daemons", "ps-columns-header"), ("unit-cat", "dmesg-seconds")}

Told = tuple[object, ...]


def _told(fact: Fact) -> Told:
    said = (fact.operation, fact.error, fact.key, fact.path) if isinstance(fact, Failure) else ()
    # The other text may give the owner of a nameless one.
    return (type(fact).__name__, *said, fact.about.name if fact.about.kind not in ("Node", "Pod") else None)


@cache
def _says(text: str) -> frozenset[Told]:
    return frozenset(map(_told, read_text(text, "paste.txt", NOW).facts))


def _may_be_lost(first: str, second: str) -> bool:
    if first in TAKES_ALL or (first, second) in OF_A_COMMAND:
        return True
    return bool({first, second} & CUT_OUT) and {first, second} <= CUT_OUT | OBJECTS


PAIRS = [pair for pair in permutations(TEXTS, 2) if not _may_be_lost(*pair)]


def _lost(first: str, second: str, between: str) -> frozenset[Told]:
    one, other = (TEXTS[name].strip("\n") + "\n" for name in (first, second))
    return (_says(one) | _says(other)) - _says(one + between + other)


def _drawn(pair: tuple[str, str]) -> bool:
    return blake2b(" ".join(pair).encode(), digest_size=2).digest()[0] % 10 == 0


@pytest.mark.parametrize("between", ["", "\n", "I see this as well:\n"])
def test_a_tenth_of_pairs(between: str) -> None:
    assert {pair: lost for pair in filter(_drawn, PAIRS) if (lost := _lost(*pair, between))} == {}


@pytest.mark.slow
@pytest.mark.parametrize("between", ["", "\n", "I see this as well:\n"])
def test_every_pair(between: str) -> None:
    assert {pair: lost for pair in PAIRS if (lost := _lost(*pair, between))} == {}
