"""Whose a Go stack is: the program's own packages stand in it, before those that it is built with.

Source: the modules' paths; a vendored package's begins with the path of the program that vendors it (runtime/traceback.go prints both).
"""

from __future__ import annotations

import re

from unstuck.facts.regex import regex

_PROGRAMS = (
    ("github.com/containerd/containerd", "containerd"),
    ("github.com/docker/docker", "dockerd"),
    ("github.com/moby/moby", "dockerd"),
    ("github.com/Mirantis/cri-dockerd", "cri-dockerd"),
    ("github.com/cri-o/cri-o", "crio"),
    ("k8s.io/kubernetes/cmd/kubelet", "kubelet"),
    ("k8s.io/kubernetes/pkg/kubelet", "kubelet"),
    ("github.com/coreos/etcd", "etcd"),
    ("go.etcd.io/etcd", "etcd"),
)
_FRAME = regex(rf"^\s{{0,8}}(?P<module>{'|'.join(module.replace('.', '[.]') for module, _ in _PROGRAMS)})(?=[/.])", re.MULTILINE)


def program_of(stack: str) -> str | None:
    """Return the daemon in whose packages a stack's innermost known frame lies; None where no frame is one of a known daemon's."""
    found = _FRAME.search(stack)
    return dict(_PROGRAMS)[found["module"]] if found else None
