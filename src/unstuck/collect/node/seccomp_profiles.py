"""Reads the denied calls of a seccomp profile that a Pod's spec names.

Source: opencontainers/runtime-spec config-linux.md (seccomp); Kubernetes pkg/kubelet/kuberuntime/helpers.go
(getSeccompProfile: `localhostProfile` lies below the kubelet's directory `seccomp`).
"""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from unstuck.collect.node.view import NodeView
from unstuck.facts.aspects.node_files import SeccompRules
from unstuck.facts.core import Ref, Source

_LARGEST = 256 << 10
_MOST, _LONGEST = 600, 64
_DENIES = ("SCMP_ACT_ERRNO", "SCMP_ACT_KILL", "SCMP_ACT_TRAP")
_ALLOWS = ("SCMP_ACT_ALLOW", "SCMP_ACT_LOG", "SCMP_ACT_NOTIFY", "SCMP_ACT_TRACE")


def seccomp_rules(view: NodeView, about: Ref) -> SeccompRules | None:
    """Return the profile's rules; None if the file is missing, or may not be touched."""
    name = about.name or ""
    path = name if name.startswith("/") else f"{view.kubelet.root_dir}/{name}"
    if ".." in path.split("/") or not path.endswith(".json") or not view.may_touch(path):
        return None
    text = view.kubelet.files.text(path, _LARGEST)
    if text is None:
        return None
    try:
        document = json.loads(text)
    except (ValueError, RecursionError):
        document = None
    where = f"{view.name} {path}"
    default = document.get("defaultAction") if isinstance(document, dict) else None
    if not isinstance(default, str):
        return SeccompRules(about=about, src=Source(where), readable=False)
    denied = tuple(dict.fromkeys(_list_names(document, _DENIES, whatever=True)))[:_MOST]
    allowed = tuple(dict.fromkeys(_list_names(document, _ALLOWS, whatever=False)))[:_MOST]
    return SeccompRules(
        about=about,
        src=Source(where, f"{default[:_LONGEST]}; denied: {', '.join(denied[:8])}"),
        readable=True,
        default=default[:_LONGEST],
        denied=tuple(n for n in denied if n not in allowed),
        allowed=allowed,
    )


def _list_names(document: dict[str, Any], actions: tuple[str, ...], *, whatever: bool) -> Iterator[str]:
    """Yield the calls of the rules with such an action. whatever: only rules without argument conditions."""
    rules = document.get("syscalls")
    for rule in rules if isinstance(rules, list) else ():
        action = rule.get("action") if isinstance(rule, dict) else None
        if not isinstance(action, str) or not action.startswith(actions) or (whatever and rule.get("args")):
            continue
        names = rule.get("names")
        for name in names if isinstance(names, list) else (rule.get("name"),):
            if isinstance(name, str) and name.isidentifier():
                yield name[:_LONGEST]
