"""A seccomp profile is described by its denials independent of arguments."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

import pytest

from tests.node.tree import Tree
from unstuck.collect.node.root import Root
from unstuck.collect.node.seccomp_profiles import seccomp_rules
from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_files import SeccompRules
from unstuck.facts.core import Ref

NOW = datetime(2026, 11, 29, 7, 0, tzinfo=UTC)
NAME = "seccomp/strict.json"


def read(tmp_path: Path, text: str, name: str = NAME) -> SeccompRules | None:
    Tree(tmp_path).write(f"/var/lib/kubelet/{NAME}", text)
    return seccomp_rules(NodeView(Root(str(tmp_path)), NOW, "n"), Ref("File", "n", name))


def test_denied_and_allowed(tmp_path: Path) -> None:
    rules = [
        {"names": ["link", "linkat"], "action": "SCMP_ACT_ERRNO"},
        {"names": ["clone"], "action": "SCMP_ACT_ERRNO", "args": [{"index": 0}]},
        {"name": "mkdir", "action": "SCMP_ACT_KILL_PROCESS"},
        {"names": ["read", 7], "action": "SCMP_ACT_ALLOW"},
        "x",
    ]
    found = read(tmp_path, json.dumps({"defaultAction": "SCMP_ACT_ALLOW", "syscalls": rules}))
    assert found is not None and found.readable
    assert (found.default, found.denied, found.allowed) == (
        "SCMP_ACT_ALLOW",
        ("link", "linkat", "mkdir"),
        ("read",),
    )


@pytest.mark.parametrize("text", ["", "[" * 5000, "[]", '{"defaultAction": 7}', '{"defaultAction'])
def test_what_is_no_profile(tmp_path: Path, text: str) -> None:
    found = read(tmp_path, text)
    assert found is not None and not found.readable


@pytest.mark.parametrize("name", ["seccomp/other.json", "seccomp/../strict.json", "pki/kubelet.pem"])
def test_no_such_profile(tmp_path: Path, name: str) -> None:
    assert read(tmp_path, "{}", name) is None
