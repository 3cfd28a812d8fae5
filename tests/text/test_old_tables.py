"""Tables with the columns of old kubectl, and of unknown kinds, are read by their header."""

from __future__ import annotations

from tests.text.support import pick, read_facts
from unstuck.facts.aspects.objects import Conditions, Phase
from unstuck.facts.core import Ref

OLD = """NAME      CAPACITY   ACCESSMODES   STATUS      CLAIM           REASON    AGE
data-1    1Gi        RWO           Available                             1m
data-2    1Gi        RWO           Bound       default/first             1m

NAME      STATUS    VOLUME    CAPACITY   ACCESSMODES   AGE
first     Bound     data-2    0                        1m
second    Pending   data-2    0                        1m
"""
CUSTOM = """➜  ~ k get vane -n shop
NAME     STORE    INTERVAL   STATUS           READY
vane-a   main     1h         VaneSyncError    False
vane-b            1h         VaneSynced       True
"""


def test_titles_of_before_1_11() -> None:
    assert {(f.about.kind, f.about.name, f.phase) for f in pick(read_facts(OLD), Phase)} == {
        ("PersistentVolume", "data-1", "Available"),
        ("PersistentVolume", "data-2", "Bound"),
        ("PersistentVolumeClaim", "first", "Bound"),
        ("PersistentVolumeClaim", "second", "Pending"),
    }


def test_a_custom_kind_is_not_ready_in_its_own_word() -> None:
    (found,) = pick(read_facts(CUSTOM), Conditions)
    assert found.about == Ref("vane", "shop", "vane-a")
    assert [(c.type, c.status, c.reason) for c in found.items] == [("Ready", "False", "VaneSyncError")]


def test_the_place_in_a_prompt_of_zsh_is_no_program() -> None:
    (found,) = pick(read_facts(CUSTOM.replace("➜  ~ k", "➜  app git:(main) ✗ kubectl")), Conditions)
    assert found.about.within == "shop"
