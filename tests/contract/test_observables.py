"""Each observable is declared in full; a missing part is reported with the fact and the file to edit."""

from __future__ import annotations

import re
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any, get_args

import pytest
from scripts.observables import API, HERE, MADE_ELSEWHERE, NODE, find_missing

from unstuck.collect.kube.observables import API_OBSERVABLES, ApiObservable
from unstuck.collect.node.declaration import Begun, Section
from unstuck.collect.node.observables import NODE_OBSERVABLES
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.leftovers import PodDirectories
from unstuck.facts.aspects.limits import Limits
from unstuck.facts.aspects.node_limits import Clock
from unstuck.facts.aspects.sockets import Listening
from unstuck.facts.codec import find_fact_types
from unstuck.facts.core import Fact
from unstuck.facts.record import record

ROOT = Path(__file__).parents[2]
OF_NODE = next(o for o in NODE_OBSERVABLES if o.fact is Listening)
OF_API = next(o for o in API_OBSERVABLES if o.fact is Limits)


@pytest.mark.parametrize(
    "fact", [pytest.param(fact, id=name) for name, fact in sorted(find_fact_types().items())]
)
def test_nothing_is_missing(fact: type[Fact]) -> None:
    assert not find_missing(fact), "\n".join(find_missing(fact))


@pytest.mark.parametrize(
    ("changed", "said", "file"),
    [
        ({"readers": {}}, "no reader", NODE),
        (
            {"readers": {"Pod": "sockets.hearing"}},
            "no reader: write hearing()",
            "src/unstuck/collect/node/sockets.py",
        ),
        ({"readers": {"Pod": "ears.listening"}}, "names no function", NODE),
        ({"readers": {"Pod": "sockets"}}, "names no function", NODE),
        (
            {"readers": {"Node": "sockets.listeners"}},
            "takes (NodeView, Ref), not (NodeView)",
            "src/unstuck/collect/node/sockets.py",
        ),
        ({"readers": {"Pod": "pods.mounts"}}, "returns PodMounts", "src/unstuck/collect/node/pods.py"),
        ({"extent": ""}, "of what a whole one has seen all", NODE),
        ({"missing": None}, "no reason why there may be none", NODE),
        ({"script": None}, "what the shell script must have recorded", NODE),
        ({"tenants": None}, "to whom the agent may tell it", NODE),
    ],
)
def test_what_a_nodes_fact_lacks_is_named(changed: dict[str, Any], said: str, file: str) -> None:
    lacking = replace(OF_NODE, **changed)
    (line,) = find_missing(Listening, node=[lacking])
    assert line.startswith("Listening: ") and said in line and file in line
    assert (ROOT / file).is_file()


@pytest.mark.parametrize(
    ("changed", "said", "file"),
    [
        ({"rights": None}, "no rights", API),
        ({"rights": ("patch Pod",)}, "'patch Pod' is no right", API),
        ({"rights": ("list Pods",)}, "'list Pods' is no right", API),
        (
            {"reader": "limits.unlimited"},
            "no reader: write unlimited()",
            "src/unstuck/collect/kube/questions/limits.py",
        ),
        ({"reader": "nowhere.at_all"}, "names no function", API),
    ],
)
def test_what_the_servers_fact_lacks_is_named(changed: dict[str, Any], said: str, file: str) -> None:
    (line,) = find_missing(Limits, api=[replace(OF_API, **changed)])
    assert line.startswith("Limits: ") and said in line and file in line
    assert (ROOT / file).is_file()


def test_a_fact_that_nobody_answers_is_named() -> None:
    (line,) = find_missing(Limits, api=[])
    assert line.startswith("Limits: nobody answers it") and all(file in line for file in (NODE, API, HERE))


def test_a_fact_that_is_declared_twice_is_named() -> None:
    assert any("more than once" in line for line in find_missing(Limits, api=[OF_API, OF_API]))
    assert any("more than once" in line for line in find_missing(Limits, elsewhere={"Limits": "texts"}))


def test_a_fact_of_the_other_cost_is_named() -> None:
    # Its reader returns facts of several types.
    any_fact = next(o for o in NODE_OBSERVABLES if o.fact is PodDirectories)
    (line,) = find_missing(Limits, node=[replace(any_fact, fact=Limits)], api=[])
    assert 'its cost is "api"' in line
    (line,) = find_missing(Clock, node=[], api=[ApiObservable(Clock, "objects.object_facts", ())])
    assert 'its cost is "node"' in line


def test_what_the_scaffold_left_open_is_named() -> None:
    @record(kw_only=True)
    class Foo(Fact):
        """…: what is observed."""

        items: tuple[str, ...]

    Foo.__module__ = Limits.__module__
    lines = find_missing(Foo)
    assert [line.partition(":")[0] for line in lines] == ["Foo"] * 3
    assert (
        "no docstring of it" in lines[0]
        and "no nature of items" in lines[1]
        and "nobody answers it" in lines[2]
    )


def test_nothing_is_said_of_a_fact_that_is_not_there() -> None:
    assert set(MADE_ELSEWHERE) <= set(find_fact_types())


def test_sections_are_those_of_the_shell_script() -> None:
    assert set(get_args(Section)) == set(
        re.findall(
            r"^ +section ([a-z]+) \d",
            (ROOT / "src/unstuck/collect/script/collect.sh").read_text("utf-8"),
            re.M,
        )
    )


def test_what_is_begun_early_is_of_the_view() -> None:
    assert all(isinstance(getattr(NodeView, begun), cached_property) for begun in get_args(Begun))
