"""A command with a placeholder explains it, and how to fill it in; a word that only looks like one is left
alone.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.diagnosis.command import command
from unstuck.diagnosis.text import Text
from unstuck.diagnosis.verdict import Step
from unstuck.render.page import Page
from unstuck.render.placeholders import find_placeholders
from unstuck.render.steps import lay_out_steps
from unstuck.render.words import Lang


@pytest.mark.parametrize(
    ("typed", "how"),
    [
        ("kubectl describe node/NODE", {"NODE": "kubectl get nodes"}),
        ("unstuck why node/NODE", {"NODE": "kubectl get nodes"}),
        ("kubectl describe pod/POD -n NAMESPACE", {"POD, NAMESPACE": "kubectl get pods -A"}),
        ("kubectl annotate storageclass/NAME a=b", {"NAME": "kubectl get storageclass`"}),
        ("ssh-keyscan HOST", {"HOST": "the host's name"}),
        ("kubectl edit limitrange/NAME -n shop", {"NAME": "kubectl get limitrange -n shop"}),
        ("kubectl create secret generic NAME -n shop", {"NAME": "of your choice"}),
        ("curl -sv https://REGISTRY:443/v2/", {"REGISTRY": "of the image"}),
        ("kubectl get nodes -o custom-columns=NAME:.metadata.name,CIDR:.spec.podCIDR", {}),
        ("lsblk -o NAME,TYPE /dev/sda", {}),
        ("kill -USR1 811", {}),
    ],
)
def test_what_is_missing_is_told_with_how_to_get_it(typed: str, how: dict[str, str]) -> None:
    told = dict(find_placeholders(typed.split()))
    assert told.keys() == how.keys()
    assert all(words in told[word].en and told[word].zh for word, words in how.items())


@pytest.mark.parametrize(
    ("lang", "words"), [("en", "replace NODE with the node's name"), ("zh", "将 NODE 换成节点名")]
)
def test_it_stands_below_the_command(lang: Lang, words: str) -> None:
    step = Step(Text("let Pods in", "允许调度"), "node:NODE", command("kubectl uncordon node/NODE"))
    lines = [
        "".join(span.text for span in line)
        for line in lay_out_steps((step,), Page(lang, 100, datetime(2026, 11, 21, tzinfo=UTC)))
    ]
    assert any("kubectl uncordon node/NODE" in line and "NODE:" not in line for line in lines)
    assert any(words in line for line in lines)
