"""Finds the program of a Go stack: its own packages are in it, before the libraries.

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
_FRAME = regex(
    rf"^\s{{0,8}}(?P<module>{'|'.join(module.replace('.', '[.]') for module, _ in _PROGRAMS)})(?=[/.])",
    re.MULTILINE,
)


def find_program(stack: str) -> str | None:
    """Return the daemon whose package holds a stack's innermost known frame; None if no frame belongs to a
    known daemon.
    """
    match = _FRAME.search(stack)
    return dict(_PROGRAMS)[match["module"]] if match else None
