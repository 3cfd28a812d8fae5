"""Objects of a real cluster with fields that are null, absent, of another type or of a later version,
answered by all causes.

Never a traceback, and never a proof beyond the undamaged object's. `objects/*.json` were read from a real
1.34 API server with a fault in it: the subject, when it was read, the objects around it.
"""

from __future__ import annotations

import copy
import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cache
from itertools import chain
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import scale_examples
from unstuck.collect.objects import facts_of
from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.engine import diagnose, discover
from unstuck.engine.incidents import group_incidents
from unstuck.facts.codec import parse_time
from unstuck.facts.core import Fact, Ref
from unstuck.facts.snapshot import Snapshot
from unstuck.render.explain import explain
from unstuck.render.json import write_json
from unstuck.render.text import write_text
from unstuck.render.words import Lang

pytestmark = pytest.mark.slow

HERE = Path(__file__).parent / "objects"
Step = str | int


@dataclass(frozen=True)
class Scene:
    name: str
    subject: Ref
    at: datetime
    objects: list[Any]


def load(path: Path) -> Scene:
    doc = json.loads(path.read_text())
    at = parse_time(doc["at"])
    assert at is not None
    return Scene(path.stem, Ref(**doc["subject"]), at, doc["objects"])


SCENES = [load(p) for p in sorted(HERE.glob("*.json"))]
# Its absence has a meaning: an object without it is not being deleted, and so is a different object, not a
# damaged one.
MEANS_BY_ABSENCE = {"deletionTimestamp", "deletionGracePeriodSeconds"}


def told_by(scene: Scene, obj: Any) -> list[Fact]:
    return list(facts_of(obj, "/api/v1/x", scene.at))


def judged(scene: Scene, told: Iterable[list[Fact]]) -> tuple[Snapshot, Diagnosis]:
    snap = Snapshot(list(chain.from_iterable(told)), scene.at, ["live:lab"])
    return snap, diagnose(scene.subject, snap, discover())


def answered(scene: Scene, objects: list[Any]) -> tuple[Snapshot, Diagnosis]:
    return judged(scene, (told_by(scene, obj) for obj in objects))


def proven(diagnosis: Diagnosis) -> set[tuple[str, str]]:
    """Return the cause and the kind of its culprit; a damaged name means another object."""
    return {(t.id, t.finding.culprit.kind) for t in diagnosis.causes if t.confidence == "proven"}


@cache
def told_by_the_whole(name: str) -> list[list[Fact]]:
    scene = next(s for s in SCENES if s.name == name)
    return [told_by(scene, obj) for obj in scene.objects]


@cache
def given_by_the_whole(name: str) -> frozenset[tuple[str, str]]:
    scene = next(s for s in SCENES if s.name == name)
    return frozenset(proven(answered(scene, scene.objects)[1]))


def rendered(snap: Snapshot, diagnosis: Diagnosis, langs: Sequence[Lang] = ("en", "zh")) -> None:
    """Render the answer in every format; a failing format is a separate error."""
    report = Answer(snap.now, snap.sources, (diagnosis,), group_incidents([diagnosis]), "0")
    for lang in langs:
        assert write_text(report, lang, 100, False).endswith("\n")
        assert explain(report, lang, 100, True)
    assert json.loads(write_json(report))["schema"] == "unstuck/v1"


def paths(value: Any, at: tuple[Step, ...] = ()) -> Iterator[tuple[Step, ...]]:
    """Yield every path in a document."""
    if at:
        yield at
    inner = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in inner:
        yield from paths(item, (*at, key))


def at(doc: Any, path: tuple[Step, ...]) -> tuple[Any, Step]:
    for step in path[:-1]:
        doc = doc[step]
    return doc, path[-1]


# Values of wrong types: none of them is a name, a number or a time of the object.
JUNK: list[Any] = [
    None,
    True,
    0,
    -1,
    3.5,
    1e308,
    "",
    "\x1b[2J\u202e",
    [],
    {},
    [None],
    [[]],
    [{}],
    {"": None},
    {"a": {"b": [1]}},
    "9" * 400,
]


@st.composite
def damage(draw: st.DrawFn) -> tuple[Scene, list[Any]]:
    """Draw a scene with one to four places removed, null, of another type, or with unknown fields."""
    scene = draw(st.sampled_from(SCENES))
    objects = copy.deepcopy(scene.objects)
    for _ in range(draw(st.integers(1, 4))):
        places = [p for p in paths(objects) if not MEANS_BY_ABSENCE & set(p)]
        if not places:
            break
        holder, key = at(objects, draw(st.sampled_from(places)))
        match draw(st.sampled_from(["remove", "null", "junk", "junk", "more"])):
            case "remove" if isinstance(holder, dict):
                del holder[key]
            case "more" if isinstance(holder[key], dict):
                holder[key] |= {
                    "laterField": draw(st.sampled_from(JUNK)),
                    "x-future": {"kind": "New", "spec": holder[key].get("kind")},
                }
            case "junk":
                junk = draw(st.sampled_from([j for j in JUNK if type(j) is not type(holder[key])]))
                holder[key] = copy.deepcopy(junk)
            case _:
                holder[key] = None
    return scene, objects


@given(damage(), st.sampled_from(("en", "zh")))
@settings(
    max_examples=scale_examples(600),
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large],
)
def test_a_damaged_object_gives_no_proof_that_the_whole_does_not_give(
    damaged: tuple[Scene, list[Any]], lang: Lang
) -> None:
    scene, objects = damaged
    told = [told_by(scene, obj) for obj in objects]
    if told == told_by_the_whole(scene.name):
        return  # the damaged part is never read: the whole object is answered below
    snap, diagnosis = judged(scene, told)
    assert proven(diagnosis) <= given_by_the_whole(scene.name)
    rendered(snap, diagnosis, (lang,))


def test_a_kill_that_names_nobody_does_not_prove_that_nobody_killed() -> None:
    """A container without a probe ends by itself; one that an event tells of a probe's kill may be this
    one.
    """
    scene = next(s for s in SCENES if s.name == "liveness")
    objects = copy.deepcopy(scene.objects)
    for obj in objects:
        obj.pop("involvedObject", None)
        for container in obj.get("spec", {}).get("containers", ()):
            container.pop("livenessProbe", None)
    assert proven(answered(scene, objects)[1]) <= given_by_the_whole(scene.name)
    assert "container.exits-by-itself" in {
        id_ for id_, _ in proven(answered(scene, [o for o in objects if o["kind"] != "Event"])[1])
    }


@pytest.mark.parametrize("scene", SCENES, ids=lambda s: s.name)
def test_the_whole_object_is_answered(scene: Scene) -> None:
    snap, diagnosis = answered(scene, scene.objects)
    assert diagnosis.subject.uid == scene.subject.uid and diagnosis.state.name != "fine"
    rendered(snap, diagnosis)


def nothing(holder: Any, key: Step) -> None:
    holder[key] = None


def gone(holder: Any, key: Step) -> None:
    if isinstance(holder, dict):
        del holder[key]


def empty(holder: Any, key: Step) -> None:
    if isinstance(holder[key], dict | list | str):
        holder[key] = type(holder[key])()


def harmed(doc: Any, path: tuple[Step, ...], harm: Callable[[Any, Step], None]) -> Any:
    """Return the document with one damaged place: containers on the path are copied, the rest is shared."""
    inner = copy.copy(doc)
    if len(path) == 1:
        harm(inner, path[0])
    else:
        inner[path[0]] = harmed(doc[path[0]], path[1:], harm)
    return inner


@pytest.mark.parametrize("scene", SCENES, ids=lambda s: s.name)
@pytest.mark.parametrize("harm", [nothing, gone, empty], ids=lambda h: h.__name__)
def test_each_single_place(scene: Scene, harm: Callable[[Any, Step], None]) -> None:
    """Every field of every object once: null, absent, empty."""
    whole = given_by_the_whole(scene.name)
    told = [told_by(scene, obj) for obj in scene.objects]
    # An unread field changes no fact, and equal facts give equal answers (tests/contract/test_monotone.py).
    asked = {(which, tuple(facts)) for which, facts in enumerate(told)}
    for path in paths(scene.objects):
        if MEANS_BY_ABSENCE & set(path) or "managedFields" in path:
            continue
        which = int(path[0])
        object_ = harmed(scene.objects, path, harm)[which]
        if object_ == scene.objects[which]:
            continue
        facts = told_by(scene, object_)
        if (which, tuple(facts)) in asked:
            continue
        asked.add((which, tuple(facts)))
        _, diagnosis = judged(scene, [*told[:which], facts, *told[which + 1 :]])
        assert proven(diagnosis) <= whole, path
