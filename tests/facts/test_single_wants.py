"""Questions about single items survive the transport to a node; other input is rejected."""

from __future__ import annotations

import json

import pytest

from unstuck.facts.aspects.node_files import ConfigMentions
from unstuck.facts.aspects.node_paths import NodePath
from unstuck.facts.aspects.node_processes import NumberedProcess, PodSysctls
from unstuck.facts.core import Ref, Want
from unstuck.facts.single_wants import LONGEST, MOST, read_wants, write_wants

PATH = Want(NodePath, Ref("File", "n", "/srv/data"))


def test_there_and_back() -> None:
    wants = (
        PATH,
        Want(NumberedProcess, Ref("Process", "n", "7")),
        Want(ConfigMentions, Ref("ConfigWord", "n", "é")),
    )
    assert read_wants(write_wants((*wants, *wants)), "n") == wants


def test_questions_about_a_pod_are_not_among_them() -> None:
    assert write_wants((Want(PodSysctls, Ref("Pod", "f", "web", "u")),)) == ""


def test_a_long_list_is_cut() -> None:
    many = [Want(NodePath, Ref("File", "n", f"/{'x' * 400}/{i}")) for i in range(100)]
    text = write_wants(many)
    assert len(text) <= LONGEST and 0 < len(read_wants(text, "n")) <= MOST


@pytest.mark.parametrize(
    "text",
    [
        "",
        "{}",
        "[",
        "[" * 3000,
        json.dumps([["NodePath", "Pod", "web"]]),
        json.dumps([["Nothing", "File", "/x"]]),
        json.dumps([["NodePath", "File", "/x\n/y"]]),
        json.dumps([["NodePath", "File", 7], "x", None]),
        json.dumps([["Events", "File", "/x"]]),
    ],
)
def test_what_is_no_question_is_left_out(text: str) -> None:
    assert read_wants(text, "n") == ()
