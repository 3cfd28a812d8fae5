"""The inputs of an image pull: the servers of pull Secrets, the accounts that link them, and the existing
images and tags.
"""

from __future__ import annotations

from typing import ClassVar, Literal

from unstuck.facts.aspects.host import NodeFact, Proc
from unstuck.facts.core import Fact
from unstuck.facts.record import record


@record(kw_only=True)
class PullServers(Fact):
    """The registries for which a Secret has an entry; never the entry's contents. about: the Secret.

    servers: the keys of `auths` as written. flaw: why the kubelet cannot use it: a wrong type (`wrong-type`),
    or contents that do not fit its type (`unreadable`); "" if it is valid.
    """

    servers: tuple[str, ...] = ()
    flaw: Literal["", "wrong-type", "unreadable"] = ""
    ask: ClassVar[str] = "kubectl get secret/{name} {space} -o jsonpath='{.type}'"


@record(kw_only=True)
class PullLinks(Fact):
    """A ServiceAccount's `imagePullSecrets`, by name. A Pod without its own gets them at its creation."""

    names: tuple[str, ...]
    ask: ClassVar[str] = "kubectl get serviceaccount/{name} {space} -o jsonpath='{.imagePullSecrets}'"


@record(kw_only=True)
class PullSecrets(Fact):
    """The names of a Namespace's Secrets with a type for registries. about: `Ref("SecretList",
    NAMESPACE)`.
    """

    names: tuple[str, ...]
    ask: ClassVar[str] = "kubectl get secrets {space} --field-selector type=kubernetes.io/dockerconfigjson"


@record(kw_only=True)
class NodeImages(Fact):
    """`status.images` of a Node: names of its images, without those by digest. It lists the 50 largest: never
    whole.

    Source: pkg/kubelet/apis/config/types.go (NodeStatusMaxImages).
    """

    names: tuple[str, ...]
    ask: ClassVar[str] = "kubectl get node/{name} -o jsonpath='{.status.images[*].names}'"


@record(kw_only=True)
class Tags(Fact):
    """The tags of a repository in a registry, requested without credentials. about: `Ref("Repository", HOST,
    PATH)`.

    exists: whether the registry knows the repository at all. Source: opencontainers/distribution-spec spec.md
    (listing tags).
    """

    exists: bool
    tags: tuple[str, ...] = ()
    ask: ClassVar[str] = "curl -s https://{host}/v2/{repository}/tags/list"


@record(kw_only=True)
class Unpacking(NodeFact):
    """Programs of the runtime that are unpacking layers. about: the Node. Whole if every process of the node
    was visible.

    Only on request: the arguments of processes with a daemon's name are examined.
    """

    items: tuple[Proc, ...]
    ask: ClassVar[str] = "ps -eo pid,stat,lstart,wchan:32,args | grep -E 'unpigz|igzip|-applyLayer|-untar'"
