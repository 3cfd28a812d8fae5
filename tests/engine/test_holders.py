"""The holders of an object under deletion."""

from __future__ import annotations

from tests.render.support import POD, make_deleted_pod, make_snapshot
from unstuck.engine.holders import find_holders
from unstuck.facts.aspects.objects import Finalizers
from unstuck.facts.core import Source


def test_each_finalizer_is_named_once_and_one_without_a_name_not_at_all() -> None:
    told = Finalizers(
        about=POD, src=Source("paste.yaml:3"), names=("", "example.com/b", "example.com/a", "example.com/b")
    )
    assert [one.finalizer for one in find_holders(POD, make_snapshot(*make_deleted_pod(), told))] == [
        "example.com/b",
        "example.com/a",
    ]
