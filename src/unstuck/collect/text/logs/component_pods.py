"""Recognises a component's own log below a command that prints a container's log: kube-proxy, a CSI driver, a
network plugin.

The log of such a program is about the cluster and is read by the rules for a node's log and for single
messages; the log of any other program is not. It is recognised by the name of its Pod or container, by its
Namespace or, with only an id, by klog's headers. Source: the manifests of kubeadm, k3s and RKE (which runs
them in containers named `kubelet`, `kube-proxy`), of CSI drivers and network plugins.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from unstuck.collect.text.cutting import message
from unstuck.collect.text.cutting.piece import Piece
from unstuck.collect.text.logs import node_log
from unstuck.facts.aspects.host import LogSeen
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Fact
from unstuck.facts.regex import regex
from unstuck.wording.klog import is_klog

_NAMED = regex(
    r"^(?:k8s_)?(?:kube-(?:apiserver|controller-manager|scheduler|proxy|multus|flannel|router|ovn)|kubelet$"
    r"|etcd|coredns|kube-dns|cilium|calico|canal|flannel"
    r"|weave|multus|antrea|ovnkube|aws-node|azure-(?:cni|npm)|whereabouts|local-path-provisioner|longhorn"
    r"|rook-ceph|cloud-controller"
    r"|cluster-autoscaler|metrics-server|konnectivity|snapshot-controller|(?:[a-z0-9.-]{1,60}-)?(?:csi|cni)"
    r"(?:-|$)"
    r"|[a-z0-9.-]{1,60}-(?:device-plugin|provisioner|attacher|resizer|snapshotter|csi[a-z]{0,20})(?:-|$))"
)
_ID = regex(r"[0-9a-f]{6,64}")
_SYSTEMS = ("kube-system",)


def read_component(
    piece: Piece, rows: Sequence[tuple[int, str]], names: Sequence[str], namespace: str | None
) -> Iterator[Fact]:
    """Yield the facts of a component's log; only from a paste, for a bundle's logs have their own readers.

    rows: (index within the piece, line without the runtime's frame). names: of its Pod, container or image.
    """
    own = namespace in _SYSTEMS or any(_NAMED.match(name.rpartition("/")[2]) for name in names if name)
    records = any(is_klog(line) for _, line in rows)
    nameless = all(_ID.fullmatch(name) for name in names if name)
    if not piece.context.short or not (own or (records and nameless)):
        return
    lines = [""] * len(piece.lines)
    for n, line in rows:
        lines[n] = line
    # The machine that ran kubectl says nothing about the owner of the log.
    elsewhere = piece.command is not None and piece.command.program == "kubectl"
    command = replace(piece.command, host=None) if piece.command and elsewhere else piece.command
    log = replace(piece, lines=tuple(lines), command=command)
    by = next((name for name in reversed(names) if name), "") or "component"
    told = (
        node_log.read(log).facts
        if records
        else [f for part in _list_single_lines(log) for f in message.read(part).facts]
    )
    for fact in told:
        if isinstance(fact, Failure) and fact.operation != "program-run":
            yield replace(fact, reporter=by)
        elif not isinstance(fact, LogSeen | Failure):
            yield fact


def _list_single_lines(log: Piece) -> Iterator[Piece]:
    """Yield the known messages of a log without klog's headers."""
    n = 0
    while n < len(log.lines):
        end = message.find(log.lines, n, log.command) if log.lines[n].strip() else None
        if end is not None:
            yield replace(log, lines=log.lines[n:end], start=log.start + n)
        n = end or n + 1
