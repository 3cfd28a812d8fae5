"""Names of 16 KiB, as a bundle may hold them: no pattern takes long, no answer fills the screen, and the
evidence beside them is read.
"""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from unstuck import api
from unstuck.render.visible import shorten_middle, visible

SIZE = 16384
MESSAGES = (
    (
        'Back-off pulling image "{0}": ErrImagePull: rpc error: code = NotFound desc = failed to resolve '
        'reference "{0}": {0}: not found'
    ),
    'MountVolume.SetUp failed for volume "{0}" : secret "{0}" not found',
    (
        'failed to create containerd task: failed to start container process: exec: "{0}": stat {0}: no '
        "such file or directory"
    ),
    "0/3 nodes are available: 3 node(s) had untolerated taint {{{0}: {0}}}. preemption: {0}",
)
PIECES = (
    "a",
    "a-",
    "a/",
    "a.",
    "aA1",
    "x;id ",
    "a:",
    "(",
    "[",
    "{",
    '"',
    "'",
    "\\",
    "%s",
    "`",
    "<b>",
    "1.",
    "://a@",
    "a=",
    "\n",
    "@",
    "\u4e2d",
    "\u3164",
)


def pod(long: str, message: str) -> dict[str, Any]:
    waiting = {"reason": "ImagePullBackOff", "message": message}
    ended = {"exitCode": 1, "reason": "Error", "message": message}
    return {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {
            "name": "web-0",
            "namespace": "shop",
            "uid": "11111111-1111-4111-8111-111111111111",
            "labels": {"app": long, long: "x"},
        },
        "spec": {
            "containers": [
                {
                    "name": long,
                    "image": long,
                    "command": [long],
                    "volumeMounts": [{"name": long, "mountPath": f"/{long}"}],
                }
            ],
            "volumes": [
                {"name": long, "hostPath": {"path": f"/{long}"}},
                {"name": "s", "secret": {"secretName": long}},
                {"name": "p", "persistentVolumeClaim": {"claimName": long}},
            ],
            "imagePullSecrets": [{"name": long}],
            "nodeSelector": {long: long},
            "serviceAccountName": long,
        },
        "status": {
            "phase": "Pending",
            "conditions": [
                {"type": "Ready", "status": "False", "reason": "ContainersNotReady", "message": message}
            ],
            "containerStatuses": [
                {
                    "name": long,
                    "image": long,
                    "ready": False,
                    "restartCount": 3,
                    "state": {"waiting": waiting},
                    "lastState": {"terminated": ended},
                }
            ],
        },
    }


@pytest.mark.parametrize("piece", PIECES)
def test_a_name_of_16_kib_neither_hangs_nor_fills_the_screen(piece: str, tmp_path: Path) -> None:
    long = (piece * SIZE)[:SIZE]
    message = MESSAGES[PIECES.index(piece) % len(MESSAGES)].format(long)
    file = tmp_path / "pod.json"
    file.write_text(json.dumps(pod(long, message), indent=1))
    began = time.process_time()
    report = api.read(str(file))
    texts = [f(lang) for lang in ("en", "zh") for f in (report.to_text, report.to_markdown)]
    # Some hundredths of a second; a pattern that begins again at each character takes minutes.
    assert time.process_time() - began < 20
    assert all("shop" in text and len(text.splitlines()) < 120 and len(text) < 20_000 for text in texts)


def test_what_is_left_out_is_the_middle() -> None:
    assert shorten_middle("x" * 300) == "x" * 300 and len(shorten_middle("x" * 301)) < 301
    assert shorten_middle(f"begin {'x' * SIZE} end").startswith("begin x") and shorten_middle(
        f"begin {'x' * SIZE} end"
    ).endswith("x end")
    sentence = "\u4e2d" * 20 + "\uff0c"
    assert shorten_middle(sentence * 20) == sentence * 20
    assert len(shorten_middle("a b " * SIZE)) < 2000


@pytest.mark.parametrize(
    "char", ["\u3164", "\u115f", "\u2800", "\ufe00", "\u034f", "\u200b", "\u202e", "\x1b"]
)
def test_a_character_that_shows_nothing_is_shown(char: str) -> None:
    assert char not in visible(f"ad{char}min") and "\\" in visible(f"ad{char}min")
