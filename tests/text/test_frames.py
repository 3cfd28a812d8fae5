"""Every sentence known to `wording` reads alike in every frame.

The current results of each frame are in `frames.toml`: figures that may only rise. A random tenth and one of
each frame is checked in every run, the whole in the slow one (`scripts/accept/areas/reports.py`).
"""

from __future__ import annotations

import sys
import tomllib
from collections import Counter
from collections.abc import Iterable
from hashlib import blake2b
from pathlib import Path

import pytest

from tests.text.frames import FRAMES, Frame
from tests.text.support import NOW
from unstuck.collect.text.read import read_text
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref, Source
from unstuck.wording.match import PATTERNS, find_failures

# For each frame: the minimum share of equal readings, and the maximum number of different ones.
FLOORS: dict[str, tuple[float, int]] = tomllib.loads((Path(__file__).parent / "frames.toml").read_text())
SEED = "22"
MOST_OTHER_CUTS = 160
# An error word for a mere failure.
VAGUE = ("other", "call-failed", "failed")
# Operation, error and names of a failing call.
Told = tuple[str, str, frozenset[str]]
_NAMES = ("container", "host", "key", "path", "volume")


def _told(failure: Failure) -> Told:
    names = {f"{n}={getattr(failure, n)}" for n in _NAMES if getattr(failure, n) is not None}
    # The Namespace of a named object may come from the frame.
    named = failure.object
    return (
        failure.operation,
        failure.error,
        frozenset(names | ({f"object={named.kind}/{named.name}"} if named else set())),
    )


def _known() -> dict[str, frozenset[Told]]:
    """Return every sentence with its facts by itself."""
    texts = dict.fromkeys(e.text for p in PATTERNS for e in p.examples)
    return {
        t: frozenset(map(_told, find_failures(t, about=Ref("Pod", None, "p"), src=Source("test"))))
        for t in texts
    }


KNOWN = _known()
# A goroutine's stack is no sentence: its lines are separate records in most frames. tests/text/test_halves.py
# has them.
SENTENCES = [s for s, told in KNOWN.items() if told and not ("goroutine " in s and "\n" in s)]
SILENT = [s for s, told in KNOWN.items() if not told]


def _outcome(sentence: str, text: str) -> str:
    """Return `same`, `lost`, or `other` for a different reading. An unknown error is no different reading."""
    got = {_told(f) for f in read_text(text, "paste.txt", NOW).facts if isinstance(f, Failure)}
    said = KNOWN[sentence]
    if any(not any(g[:2] == s[:2] and g[2] <= s[2] for s in said) for g in got if g[1] not in VAGUE):
        return "other"
    return "same" if all(any(g[:2] == s[:2] and g[2] <= s[2] for g in got) for s in said) else "lost"


def _seeded(text: str) -> int:
    return int.from_bytes(blake2b(f"{SEED} {text}".encode(), digest_size=4).digest())


def _drawn(sentence: str) -> bool:
    return _seeded(sentence) % 10 == 0


def _ask(frame: Frame, sentences: Iterable[str]) -> tuple[Counter[str], list[str]]:
    counted, other = Counter[str](), list[str]()
    for sentence in sentences:
        outcome = _outcome(sentence, frame(sentence))
        counted[outcome] += 1
        if outcome == "other":
            other.append(sentence)
    return counted, other


@pytest.mark.parametrize("name", FRAMES)
def test_a_tenth_in_each_frame(name: str) -> None:
    share, most = FLOORS[name]
    counted, other = _ask(FRAMES[name], filter(_drawn, SENTENCES))
    assert len(other) <= most, other
    # A random tenth differs from the whole by chance.
    assert 100 * counted["same"] / counted.total() >= share - 10


def test_every_frame_has_a_floor() -> None:
    assert FLOORS.keys() == FRAMES.keys()


@pytest.mark.slow
@pytest.mark.parametrize("name", FRAMES)
def test_every_sentence_in_each_frame(name: str) -> None:
    counted, other = _ask(FRAMES[name], SENTENCES)
    share = 100 * counted["same"] / counted.total()
    sys.stdout.write(f"\n{name:32} {share:6.2f} % of {counted.total()}, {len(other)} tell something else\n")
    least, most = FLOORS[name]
    assert share >= least
    assert len(other) <= most, other


@pytest.mark.slow
def test_what_is_left_of_a_cut_sentence_tells_no_other_thing() -> None:
    """Print the share that is told by how much of the sentence is left."""
    told, asked, other = Counter[int](), Counter[int](), list[str]()
    for sentence in SENTENCES:
        for tenth in range(5, 10):
            cut = _cut(sentence, tenth)
            outcome = _outcome(sentence, cut)
            asked[tenth] += 1
            told[tenth] += outcome == "same"
            if outcome == "other":
                other.append(cut)
    for tenth in sorted(asked):
        sys.stdout.write(
            f"\n{tenth * 10} % left: {100 * told[tenth] / asked[tenth]:6.2f} % of {asked[tenth]}"
        )
    sys.stdout.write(f"\n{len(other)} of {asked.total()} tell something else\n")
    assert len(other) <= MOST_OTHER_CUTS, other


def _cut(sentence: str, tenth: int) -> str:
    """Return this many tenths of a sentence, from its beginning, its end or its middle."""
    left = len(sentence) * tenth // 10
    seed = _seeded(f"{tenth} {sentence}")
    start = (0, len(sentence) - left, seed // 3 % (len(sentence) - left + 1))[seed % 3]
    return sentence[start : start + left]
