"""The permitted access to nodes for a question, and the caller's consent before anything is created."""

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
        """Return whether all of these Pods may be created. Called from the questioning thread, at most once
        for each set of nodes.
        """


@record()
class Nodes(Record):
    """Permitted access to nodes, cheapest first. The installed agent is always asked; nothing is changed on a
    node.

    here: whether this machine is a node in question; its root is mounted at `root`. touch: with `here`,
    whether network and FUSE mounts are touched; a process may hang there until they respond. seconds: with
    `here`, for each look at this machine; None: 4.5 s. ssh: the host to log in to with the ssh of this
    machine; `{node}` in it is replaced by the Node's name. probe: create a one-shot Pod on a node out of
    reach of all other methods. Without it, a Pod is created only if `consent` agrees. probe_image: the Pod's
    image; None: that of the installed agent. probe_namespace: the Pod's Namespace; None: a default one.
    consent: asked before Pods are created, also with `probe`; None: `probe` alone decides. tell_left:
    receives the leftover Pods of killed clients, each already deleted or with the reason against it. guard:
    entered before any Pod is created, with a callable to delete the Pods: for programs that may be ended by a
    signal.
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
