"""The access to nodes that a question may use, and the caller's consent before anything is created."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from typing import TYPE_CHECKING, Protocol

from unstuck.facts.record import Record, record

if TYPE_CHECKING:
    from unstuck.collect.kube.nodes.leftover_probes import LeftoverProbe as LeftPod
    from unstuck.collect.kube.nodes.probe_pod import Plan


class Consent(Protocol):
    """Decides whether one-shot Pods may be created."""

    def __call__(self, plans: Sequence[Plan], /) -> bool:
        """Return whether all of these Pods may be created. Called from the thread that asks, at most once
        for each set of nodes.
        """


@record()
class Nodes(Record):
    """Access to nodes that a question may use, the cheapest first. The installed agent is always asked;
    nothing is changed on a node.

    here: this machine is the node, or one of them; its root is mounted at `root`. touch: with `here`, network
    and FUSE mounts are touched; a process may wait there until they answer. seconds: with `here`, for each
    look at this machine; None: 4.5 s. ssh: the host to log in to with the ssh of this machine; `{node}` in it
    is replaced by the Node's name. probe: create a one-shot Pod on a node that nothing else reaches. Without
    it one is created only if `consent` agrees. probe_image: the Pod's image; None: that of the installed
    agent. probe_namespace: the Pod's Namespace; None: a default one. consent: asked before Pods are created,
    also with `probe`; None: `probe` alone decides. tell_left: receives the Pods that a killed client had left
    behind, each deleted by now or with the reason why not. guard: entered, with the callable that deletes the
    Pods again, before any is created: for a program that may be ended by a signal.
    """

    here: bool = False
    root: str = "/"
    ssh: str | None = None
    probe: bool = False
    probe_image: str | None = None
    probe_namespace: str | None = None
    consent: Consent | None = None
    tell_left: Callable[[Sequence[LeftPod]], None] | None = None
    touch: bool = False
    seconds: float | None = None
    guard: Callable[[Callable[[], None]], AbstractContextManager[None]] | None = None
