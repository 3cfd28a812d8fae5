"""A node's answer through third parties: a hostile answer can neither break the reader nor make claims about
other objects.
"""

from __future__ import annotations

import json
from datetime import UTC, datetime
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.collect.untrusted_facts import LARGEST, ReportError, read_report
from unstuck.facts.aspects.cluster import NodeNames
from unstuck.facts.aspects.host import DaemonState, Host, MountHolders, PathUses, PodDirectory, Proc, Use
from unstuck.facts.aspects.objects import Conditions, Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.unreached import Unreached
from unstuck.facts.codec import Saved, save, to_json
from unstuck.facts.core import Fact, Ref, Same, Source
from unstuck.facts.snapshot import Snapshot

NODE = "lab-2"
POD = Ref("Pod", "shop", "web-0", "9e9856b0-4ab1-4233-af3d-f5b9b16f40a7")
HERE = Ref("Node", None, NODE)
SRC = Source(f"{NODE} /proc")
HOST = Host(about=HERE, src=SRC, kernel="6.1")
DIRECTORY = PodDirectory(about=POD, src=SRC, exists=True)
AT = datetime(2026, 1, 1, tzinfo=UTC)


def read(*facts: Fact, pod: Ref | None = POD) -> list[Fact]:
    return read_report(json.dumps(save(Saved(Snapshot(facts, AT), None), "1")), NODE, pod)


def doc(fact: Fact, **changed: Any) -> str:
    return json.dumps(
        {"format": 1, "at": "2026-01-01T00:00:00Z", "facts": [{**to_json(fact), **changed}, to_json(HOST)]}
    )


def test_what_a_node_may_tell_is_kept() -> None:
    said = Failure(about=POD, src=SRC, operation="volume-tear-down", error="EPERM", whole=False)
    held = MountHolders(about=Ref("Mount", NODE, "/x"), src=SRC, items=())
    here = Placement(about=POD, src=SRC, node=HERE)
    uses = PathUses(
        about=POD, src=SRC, items=(Use(Proc(7, "sleep", pod="another Pod (hidden)"), "fd", "/x"),)
    )
    kept = {HOST, DIRECTORY, said, held, here, uses}
    assert set(read(*kept)) == kept


@pytest.mark.parametrize(
    "fact",
    [
        PodDirectory(
            about=Ref("Pod", "shop", "other", "9e9856b0-4ab1-4233-af3d-f5b9b16f40a8"), src=SRC, exists=True
        ),
        PodDirectory(about=Ref("Pod", "shop", "other", POD.uid), src=SRC, exists=True),
        PodDirectory(
            about=Ref("Pod", "shop", "web-0", "9e9856b0-4ab1-4233-af3d-f5b9b16f40a8"), src=SRC, exists=True
        ),
        PodDirectory(about=Ref("Pod", block="x"), src=SRC, exists=True),
        MountHolders(about=Ref("Mount", "lab-3", "/x"), src=SRC, items=()),
        Conditions(about=POD, src=SRC, items=()),
        NodeNames(about=Ref("Cluster"), src=SRC, refs=(HERE,)),
        Same(about=POD, src=SRC, other=Ref("Pod", "shop", "other")),
        Unreached(about=HERE, src=SRC, way="ssh", why="denied"),
        Failure(
            about=POD,
            src=SRC,
            operation="sync",
            error="other",
            object=Ref("Secret", "shop", "s", "some-uid"),
            whole=False,
        ),
        Host(about=Ref("Node", None, NODE, "some-uid"), src=SRC),
    ],
)
def test_what_it_may_not_tell_is_dropped(fact: Fact) -> None:
    assert read(fact, HOST) == [HOST]


def test_of_pods_nothing_is_believed_where_none_was_asked_about() -> None:
    assert read(DIRECTORY, HOST, pod=None) == [HOST]


@pytest.mark.parametrize(
    "fact",
    [
        Host(about=Ref("Node", None, "lab-3"), src=SRC),
        Placement(about=POD, src=SRC, node=Ref("Node", None, "lab-3")),
    ],
)
def test_an_answer_that_speaks_of_another_node_is_no_answer(fact: Fact) -> None:
    with pytest.raises(ReportError) as e:
        read(fact, HOST)
    assert e.value.foreign


def test_it_cannot_pass_for_the_api() -> None:
    (fact,) = read(Host(about=HERE, src=Source("/api/v1/nodes/lab-2", "Ready")))
    assert fact.src.where == f"{NODE} /api/v1/nodes/lab-2"


@pytest.mark.parametrize(
    "changed",
    [
        {"kernel": 7},
        {"kernel": None},
        {"boot": "9999-12-31T23:59:59-23:59"},
        {"boot": "0001-01-01T00:00:00Z"},
        {"whole": "yes"},
        {"sysctls": [["a", 1]]},
        {"src": {"where": 7}},
        {"src": {"where": "x", "quote": {"a": 1}}},
        {"src": []},
        {"about": 7},
        {"kernel": []},
        {"type": "NoSuchFact"},
        {"type": ["Host"]},
        {"about": {"kind": "Node", "name": "lab-2", "within": 7}},
    ],
)
def test_values_of_other_types_are_dropped(changed: dict[str, Any]) -> None:
    assert read_report(doc(HOST, **changed), NODE, POD) in ([HOST], [])


@pytest.mark.parametrize(
    "changed",
    [{"proc": {"pid": 1e400, "comm": "x"}}, {"daemon": "nonesuch"}, {"proc": {"pid": True, "comm": "x"}}],
)
def test_numbers_and_words_of_no_use_are_dropped(changed: dict[str, Any]) -> None:
    daemon = DaemonState(about=HERE, src=SRC, daemon="kubelet", running=True, proc=Proc(1, "x"))
    assert read_report(doc(daemon, **changed), NODE, POD) == [HOST]


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"format": 99}',
        "[" * 100_000,
        "9" * 5000,
        " " * (LARGEST + 1),
    ],
)
def test_what_is_no_snapshot_is_refused_in_a_few_words(text: str) -> None:
    with pytest.raises(ReportError) as e:
        read_report(text, NODE, POD)
    assert len(str(e.value)) <= 200


VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.text(max_size=8)
    | st.sampled_from(["lab-2", "lab-3", "Node", "Pod"]),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(st.sampled_from(["kind", "name", "pid", "comm", "x"]), inner, max_size=3)
    ),
    max_leaves=6,
)


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["Host", "DaemonState", "PathUses", "Failure", "Placement", "Refused"]), st.data()
        ),
        max_size=2,
    ),
    VALUES,
)
def test_nothing_breaks_the_reader(kinds: list[tuple[str, Any]], value: Any) -> None:
    facts = []
    for kind, data in kinds:
        facts.append(
            {
                "type": kind,
                "about": {"kind": "Node", "name": NODE},
                "src": {"where": "x"},
                "running": True,
                "items": value,
            }
        )
        facts[-1][
            data.draw(
                st.sampled_from(
                    ["about", "src", "kernel", "proc", "items", "node", "operation", "whole", "want"]
                )
            )
        ] = value
    text = json.dumps({"format": 1, "at": "2026-01-01T00:00:00Z", "facts": facts})
    try:
        found = read_report(text, NODE, POD)
    except ReportError:
        return
    Snapshot(found, AT)
    assert all(r.kind != "Node" or r.name == NODE for r in (f.about for f in found))
