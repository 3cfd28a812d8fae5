"""A multi-line message continues until another record begins: a program's output within an Event's
message.
"""

from __future__ import annotations

import pytest

from tests.text.support import read
from unstuck.facts.aspects.objects import Events

ROWS = (
    "Events:\n"
    "  Warning  FailedPostStartHook  40s (x3 over 70s)  kubelet  PostStartHook failed\n"
    "{between}"
    "  Warning  BackOff              2s (x4 over 33s)   kubelet  Back-off restarting failed container\n"
)
WORDS = 'Exec lifecycle hook ([/bin/sh -c /init.sh]) for Container "db" failed, message:\n/init.sh: line 3: psql: command not found\nwaiting\n'
OTHERS = {
    "klog": "E1121 02:59:18.479595       1 main.go:20] lease lost\n",
    "a dated line": "2026-11-21T02:59:18Z lease lost\n",
    "the kernel": "[  612.402112] eth0: link up\n",
    "a table": "NAME   READY   STATUS\nweb-0  1/1     Running\n",
    "an object": "apiVersion: v1\nkind: Pod\n",
    "a prompt": "$ kubectl get pods\n",
    "a blank line": "words\n\nmore\n",
}


def messages(text: str) -> list[str]:
    return [e.message for f in read(text).facts if isinstance(f, Events) for e in f.items]


def test_what_a_program_wrote_stands_in_the_message_of_its_event() -> None:
    first, second = messages(ROWS.format(between=WORDS))
    assert first.splitlines() == ["PostStartHook failed", *WORDS.splitlines()]
    assert second == "Back-off restarting failed container"


@pytest.mark.parametrize("other", OTHERS)
def test_what_begins_something_else_is_in_no_message(other: str) -> None:
    assert not [m for m in messages(ROWS.format(between=OTHERS[other])) if OTHERS[other].split()[0] in m]


def test_a_row_that_is_cut_before_the_schedulers_count_is_read() -> None:
    assert read("default-scheduler  0/3 nodes are available: 3 Insufficient cpu.\n").facts
