"""A reason with its message is a condition, with any surrounding part of its object: YAML or JSON, folded,
cut at either end.
"""

from __future__ import annotations

from textwrap import indent

import pytest

from tests.text.support import read
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Conditions
from unstuck.facts.aspects.pod import ContainerStatuses
from unstuck.facts.core import Fact

MESSAGE = "0/3 nodes are available: 1 Insufficient cpu, 2 node(s) had untolerated taint {dedicated: gpu}."
FORMS = {
    "YAML": f'lastTransitionTime: "2026-11-21T03:00:00Z"\nmessage: \'{MESSAGE}\'\nreason: Unschedulable\nstatus: "False"\ntype: PodScheduled\n',
    "without its type": f"message: '{MESSAGE}'\nreason: Unschedulable\nstatus: \"False\"\n",
    "folded": f"message: '{MESSAGE[:40]}\n  {MESSAGE[40:]}'\nreason: Unschedulable\n",
    "an item": f"- message: '{MESSAGE}'\n  reason: Unschedulable\n",
    "reason first": f'reason: Unschedulable\nmessage: "{MESSAGE}"\n',
    "JSON": f'"message": "{MESSAGE}",\n"reason": "Unschedulable",\n"status": "False",\n"type": "PodScheduled"\n',
    "JSON, cut": f'"reason": "Unschedulable",\n"message": "{MESSAGE}"\n}}\n],\n',
    "below another": f"type: Ready\nstatus: \"True\"\nmessage: '{MESSAGE}'\nreason: Unschedulable\n".partition(
        '"True"\n'
    )[2],
}
OTHERS = {
    "an Event": f"message: '{MESSAGE}'\nreason: Unschedulable\ntype: Warning\n",
    "the server's own": '"status": "Failure",\n"message": "pods is forbidden",\n"reason": "Forbidden",\n',
    "a condition of an unknown kind": 'message: it is late\nreason: Late\nstatus: "False"\ntype: Ready\n',
    "prose": "The reason: nobody knows.\nThe message: we are late.\n",
    "a commit": "reason: the name was wrong\nmessage: rename it\n",
    "no message": 'reason: Unschedulable\nstatus: "False"\n',
}


def facts(text: str) -> list[Fact]:
    return read(text).facts


@pytest.mark.parametrize("margin", ["", "    ", "          "])
@pytest.mark.parametrize("form", FORMS)
def test_the_schedulers_words_in_each_form(form: str, margin: str) -> None:
    got = facts(indent(FORMS[form], margin))
    assert [(f.nodes, f.about.kind) for f in got if isinstance(f, Unschedulable)] == [(3, "Pod")]
    assert [(c.type, c.status, c.message) for f in got if isinstance(f, Conditions) for c in f.items] == [
        ("PodScheduled", "False", MESSAGE)
    ]
    assert not any(f.whole for f in got)


@pytest.mark.parametrize("reason", ["CrashLoopBackOff", "ImagePullBackOff", "CreateContainerConfigError"])
@pytest.mark.parametrize(
    "form", ["waiting:\n  message: {m}\n  reason: {r}\n", '"message": "{m}",\n"reason": "{r}"\n']
)
def test_a_waiting_state_is_a_containers(form: str, reason: str) -> None:
    got = facts(form.format(m="back-off 5m0s", r=reason))
    assert [(s.state, s.reason) for f in got if isinstance(f, ContainerStatuses) for s in f.items] == [
        ("waiting", reason)
    ]


@pytest.mark.parametrize("other", OTHERS)
def test_others_are_none(other: str) -> None:
    assert not [
        f for f in facts(OTHERS[other]) if isinstance(f, Conditions | ContainerStatuses | Unschedulable)
    ]
