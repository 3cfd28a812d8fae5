"""`--explain` shows each sign with its facts and the judgement."""

from __future__ import annotations

from tests.render.support import make_deleted_pod, make_node_facts, make_snapshot, report
from unstuck.render.explain import explain, lay_out_by_family


def test_every_sign_with_its_value_its_facts_and_what_it_asks() -> None:
    out = explain(report(make_snapshot(*make_deleted_pod())), "en", 100, False)
    assert "test.flagged" in out and "a file carries i" in out
    assert "asks FlaggedFiles(Pod default/ed-immut)" in out
    assert "Phase  api  /api/v1/namespaces/default/pods/ed-immut  phase Failed" in out


def test_what_matched_comes_first_and_what_was_ruled_out_last() -> None:
    out = explain(report(make_snapshot(*make_deleted_pod(), *make_node_facts())), "en", 100, False)
    assert out.index("test.flagged  proven") < out.index("test.mount-busy  ruled out")
    assert "Failure ~" in out


def test_causes_are_listed_by_family() -> None:
    assert (
        lay_out_by_family([("b.y", "two"), ("a.x", "one"), ("a.z", "three")], False)
        == "a\n  a.x  one\n  a.z  three\n\nb\n  b.y  two\n"
    )
