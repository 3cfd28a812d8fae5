"""The inputs of an image pull: pull Secrets by their servers alone, the accounts that link them, and the
existing images and tags.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from unstuck.facts.aspects.host import NodeFact, Proc
from unstuck.facts.core import Fact
from unstuck.facts.record import record


@record(kw_only=True)
class PullServers(Fact):
    """The registries for which a Secret has an entry; never the entry's contents. about: the Secret.

    servers: the keys of `auths` as written. flaw: why the kubelet takes nothing from it: its type is another
    one (`wrong-type`), or its contents do not fit that type (`unreadable`); "" if it is valid.
    """

    servers: tuple[str, ...] = ()
    flaw: Literal["", "wrong-type", "unreadable"] = ""
    ask: ClassVar[str] = "kubectl get secret/{name} {space} -o jsonpath='{.type}'"


@record(kw_only=True)
class PullLinks(Fact):
    """A ServiceAccount's `imagePullSecrets`, by name. A Pod that names none itself takes them over at its
    creation.
    """

    names: tuple[str, ...]
    ask: ClassVar[str] = "kubectl get serviceaccount/{name} {space} -o jsonpath='{.imagePullSecrets}'"


@record(kw_only=True)
class PullSecrets(Fact):
    """The names of a Namespace's Secrets that are of a type for registries. about: `Ref("SecretList",
    NAMESPACE)`.
    """

    names: tuple[str, ...]
    ask: ClassVar[str] = "kubectl get secrets {space} --field-selector type=kubernetes.io/dockerconfigjson"


@record(kw_only=True)
class NodeImages(Fact):
    """`status.images` of a Node: names of images that it has, without those by digest. It lists the 50
    largest: never whole.

    Source: pkg/kubelet/apis/config/types.go (NodeStatusMaxImages).
    """

    names: tuple[str, ...]
    ask: ClassVar[str] = "kubectl get node/{name} -o jsonpath='{.status.images[*].names}'"


@record(kw_only=True)
class Tags(Fact):
    """Which tags a registry has of a repository, asked without credentials. about: `Ref("Repository", HOST,
    PATH)`.

    exists: whether it knows the repository at all. Source: opencontainers/distribution-spec spec.md (listing
    tags).
    """

    exists: bool
    tags: tuple[str, ...] = ()
    ask: ClassVar[str] = "curl -s https://{host}/v2/{repository}/tags/list"


@record(kw_only=True)
class Unpacking(NodeFact):
    """Programs of the runtime that unpack layers now. about: the Node. Whole where every process of the node
    was in sight.

    Only where asked for: the arguments of processes that bear a daemon's name are looked at.
    """

    items: tuple[Proc, ...]
    ask: ClassVar[str] = "ps -eo pid,stat,lstart,wchan:32,args | grep -E 'unpigz|igzip|-applyLayer|-untar'"
