"""A server with arbitrary answers: each question still ends in facts or a refusal."""

from __future__ import annotations

import itertools
import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from tests.examples import scale_examples
from tests.kube.cluster import cluster, load_recorded
from tests.kube.test_objects import JUNK
from unstuck.collect.kube.collector import _ANSWERERS
from unstuck.errors import UnstuckError
from unstuck.facts.core import Ref, Refused, Want

OBJECTS = load_recorded("objects.json")
ABOUT = [
    Ref("Cluster"),
    Ref("Pod", "k-try", "rich"),
    Ref("Node", None, "lab-1"),
    Ref("Namespace", None, "k-try"),
    Ref("Deployment", "k-try", "web"),
    Ref("ConfigMapList", "k-try"),
    Ref("StorageClassList"),
    Ref("Container", "k-try/rich", "c"),
    Ref("Widget.k-try.example", "k-try", "left"),
    Ref("Pod"),
    Ref("", "", ""),
]
WANTS = [Want(kind, about) for kind in _ANSWERERS for about in ABOUT]
DOCUMENTS = st.sampled_from(
    [*OBJECTS, load_recorded("apis.json"), load_recorded("groups.json"), load_recorded("api.json")]
)
BODIES = st.one_of(
    DOCUMENTS,
    st.builds(
        lambda items, junk: {"items": [*items, junk], "metadata": junk}, st.lists(DOCUMENTS, max_size=3), JUNK
    ),
    st.recursive(
        JUNK,
        lambda v: (
            st.lists(v, max_size=3)
            | st.dictionaries(st.sampled_from(["items", "metadata", "groups", "status"]), v)
        ),
    ),
)


def encoded(value: object) -> bytes:
    try:
        return json.dumps(value).encode()
    except (TypeError, ValueError):
        return b"\xff{"


ASKED = st.lists(st.sampled_from(WANTS), min_size=1, max_size=6)


class Anything(dict[str, object]):
    """Documents for every path: the bodies in turn."""

    def __init__(self, status: int, bodies: list[bytes]) -> None:
        super().__init__()
        self._status, self._bodies = status, itertools.cycle(bodies)

    def get(self, *_: object) -> object:
        return self._status, next(self._bodies)


@given(st.lists(BODIES, min_size=1, max_size=4), st.sampled_from([200, 200, 200, 404]), ASKED)
@settings(max_examples=scale_examples(40), deadline=None, suppress_health_check=[HealthCheck.too_slow])
def test_every_question_ends_in_facts_or_a_refusal(bodies, status, wants):
    with cluster(Anything(status, [encoded(b) for b in bodies])) as c:
        facts = list(c.collector.collect(wants))
        for want in wants:
            assert any(
                isinstance(f, want.fact) or (isinstance(f, Refused) and f.want == want.fact.__name__)
                for f in facts
            )
        try:
            c.collector.start(Ref("po", "k-try", "rich"))
            c.collector.survey("k-try")
        except UnstuckError as e:
            assert "\n" not in str(e)


def test_a_list_that_never_ends_is_read_to_a_limit(monkeypatch):
    monkeypatch.setattr("unstuck.collect.kube.transport.session.PAGES", 5)
    page = {"metadata": {"continue": "again"}, "items": [{"metadata": {"name": "x", "uid": "u"}}]}
    with cluster({"/api/v1/namespaces/k-try/configmaps": page}) as c:
        from unstuck.facts.aspects.objects import Names

        (names,) = [
            f
            for f in c.collector.collect([Want(Names, Ref("ConfigMapList", "k-try"))])
            if isinstance(f, Names)
        ]
        assert not names.whole
        assert len(c.asked()) <= 20


@pytest.mark.parametrize("message", ["a\nb", "\x1b[31mred", "x" * 10_000])
def test_the_servers_words_stay_on_one_line(message):
    with (
        cluster({"/api/v1/namespaces/shop/pods/x": (403, {"kind": "Status", "message": message})}) as c,
        pytest.raises(UnstuckError) as e,
    ):
        c.collector.start(Ref("Pod", None, "x"))
    assert "\n" not in str(e.value)
    assert len(str(e.value)) < 1000
