"""The call stack from a command to a rule is short: a traceback of a rule shows each layer once."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from types import FrameType
from typing import Any

import pytest

from tests.kube.small import Small, make_healthy_cluster, make_pod_with_map, small
from unstuck.cli.run import run

MOST = 10
DESCRIBED = """\
Events:
  Type     Reason       Age   From     Message
  ----     ------       ----  ----     -------
  Warning  FailedMount  2m    kubelet  MountVolume.SetUp failed for volume "cm" : configmap "app-conf" not found
"""


def stack_of_first_rule(args: Sequence[str]) -> list[str]:
    """Return our own frames from `run` to the first rule on this thread."""
    stacks: list[list[str]] = []

    def look(frame: FrameType, event: str, _: Any) -> None:
        if (
            event != "call"
            or stacks
            or frame.f_code.co_name != "_rule"
            or "/unstuck/causes/" not in frame.f_code.co_filename
        ):
            return
        above: FrameType | None = frame
        stack = []
        while above:
            _, ours, path = above.f_code.co_filename.rpartition("/src/unstuck/")
            if ours:
                stack.append(f"{path}:{above.f_code.co_name}")
            above = above.f_back
        stacks.append(stack[::-1])
        sys.setprofile(None)

    sys.setprofile(look)
    try:
        run(args, "unstuck")
    finally:
        sys.setprofile(None)
    assert stacks, "no rule ran"
    return stacks[0]


def held(stack: Sequence[str]) -> None:
    assert stack[0] == "cli/run.py:run"
    assert len(stack) - 2 <= MOST, stack


def test_read(tmp_path: Path) -> None:
    text = tmp_path / "events.txt"
    text.write_text(DESCRIBED)
    held(stack_of_first_rule(["read", str(text)]))


@pytest.mark.parametrize("args", [["why", "pod/web-1"], ["why"], ["scan"]], ids=" ".join)
def test_a_cluster(args: Sequence[str], tmp_path: Path) -> None:
    with small(Small([*make_healthy_cluster(), make_pod_with_map("web-1", "default")]), tmp_path) as (
        _,
        kubeconfig,
    ):
        held(stack_of_first_rule([*args, "--kubeconfig", str(kubeconfig)]))
