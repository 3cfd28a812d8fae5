"""A container's back-off with a kubelet's log as the only evidence."""

from __future__ import annotations

import pytest

from tests.bundle.make import make_tar
from tests.text.support import NOW, UID, YAML, pick, read_facts
from unstuck.collect.bundle import read_bundle
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.core import Ref

NEW = (
    'E1121 00:{minute:02d}:18.123456    1234 pod_workers.go:1301] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" for \\"c\\" '
    'with CrashLoopBackOff: \\"back-off 40s restarting failed container=c pod=p_f({uid})\\"" pod="f/p" podUID="{uid}"\n'
)
OLD = (
    'E1121 00:{minute:02d}:18.123456    1234 pod_workers.go:186] Error syncing pod {uid}, skipping: failed to "StartContainer" for "c" '
    'with CrashLoopBackOff: "Back-off 40s restarting failed container=c pod=p_f({uid})"\n'
)
LATER = "I1121 00:{minute:02d}:18.123456    1234 kubelet.go:2000] nothing of note\n"


def told(text: str) -> list[tuple[Ref, str, str, str]]:
    return [
        (f.about, i.name, i.state, i.reason)
        for f in pick(read_facts(text), ContainerStatuses)
        for i in f.items
    ]


@pytest.mark.parametrize("line", [NEW, OLD], ids=["1.19 on", "before"])
def test_it_is_a_container_that_waits(line: str) -> None:
    text = "".join(line.format(minute=m, uid=UID) for m in (1, 2, 3)) + LATER.format(minute=7)
    assert told(text) == [(Ref("Pod", "f", "p", UID), "c", "waiting", "CrashLoopBackOff")]


def test_a_log_that_goes_on_without_saying_it_again_says_no_more_that_it_is_so() -> None:
    assert told(NEW.format(minute=1, uid=UID) + LATER.format(minute=9)) == []


def test_what_the_object_shows_counts() -> None:
    shown = YAML + "  containerStatuses:\n  - {name: c, ready: true, restartCount: 1, state: {running: {}}}\n"
    assert {state for _, _, state, _ in told(f"{shown}\n\n{NEW.format(minute=1, uid=UID)}")} == {"running"}


def test_of_a_bundle_the_objects_tell() -> None:
    found = read_bundle("b", NOW, data=make_tar({"kubelet.log": NEW.format(minute=1, uid=UID).encode()}))
    assert pick(found.facts, ContainerStatuses) == []
