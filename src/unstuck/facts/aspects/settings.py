"""Settings of a Pod that must fit something else: a Node, a key, a Service, an account or the Pod itself."""

from __future__ import annotations

from unstuck.facts.aspects.objects import KeyAddress, KeyPath, KeyShape
from unstuck.facts.core import Fact, Ref
from unstuck.facts.record import Record, record


@record()
class VariableSource(Record):
    """One environment variable with its value from a key. object: the ConfigMap or Secret."""

    name: str
    object: Ref
    key: str


@record()
class PrefixedSource(Record):
    """A ConfigMap or Secret whose keys are variables behind a prefix (`envFrom`)."""

    object: Ref
    prefix: str


@record()
class SubPathMount(Record):
    """One mount of a part of a volume. path: in the container. sub_path: within the volume, as written."""

    path: str
    volume: str
    sub_path: str


@record()
class ContainerSettings(Record):
    """Settings of one container.

    dropped, added: its capabilities without `CAP_`, `ALL` as written. privileged: whether it has all of them.
    devices: its volumes used as block devices. unset: variables used as `$(NAME)` in its command, arguments
    or environment without being set in its `env`. whole_env: whether it also takes all keys of some objects
    (`envFrom`). sub_paths: its mounts of a part of a volume. values: suspicious forms of values set in its
    `env`, by variable. addresses: hosts and ports in those values. paths: absolute paths in them, and in its
    command and arguments by the option before it. literal: variables written as `$NAME` or `${NAME}` in its
    arguments or environment, where no shell expands them. prefixed: what it takes whole behind a prefix.
    seccomp: the file of its seccomp profile of type Localhost, its own or the Pod's, as written; "" for
    others.
    """

    name: str
    dropped: tuple[str, ...] = ()
    added: tuple[str, ...] = ()
    privileged: bool = False
    devices: tuple[str, ...] = ()
    unset: tuple[str, ...] = ()
    whole_env: bool = False
    variables: tuple[VariableSource, ...] = ()
    sub_paths: tuple[SubPathMount, ...] = ()
    values: tuple[KeyShape, ...] = ()
    addresses: tuple[KeyAddress, ...] = ()
    paths: tuple[KeyPath, ...] = ()
    literal: tuple[str, ...] = ()
    prefixed: tuple[PrefixedSource, ...] = ()
    seccomp: str = ""


@record()
class VolumeMode(Record):
    """The mode of the files of a volume made of keys. key: the key with its own mode, "" for all others."""

    volume: str
    mode: int
    key: str = ""


@record()
class TokenVolume(Record):
    """A projected token of the Pod's ServiceAccount. path: in the volume. audience: "" for the API
    server's own.
    """

    volume: str
    path: str
    audience: str = ""


@record()
class VolumeFile(Record):
    """A file of a volume whose `items` choose the keys. path: in the volume."""

    volume: str
    key: str
    path: str


@record()
class HostAlias(Record):
    """One line of `spec.hostAliases`: an address, and the names that the Pod's /etc/hosts gives it."""

    address: str
    names: tuple[str, ...]


@record(kw_only=True)
class PodSettings(Fact):
    """Settings in a Pod's spec.

    os: `spec.os.name`. subdomain: `spec.subdomain`, of a StatefulSet's Pod its serviceName. links: whether
    the kubelet sets variables for the Namespace's Services (`enableServiceLinks`). token:
    `automountServiceAccountToken`, None if the account decides. account: the name of its ServiceAccount.
    dns_policy: as written, "" if not given. modes: of its volumes of Secrets, ConfigMaps and projected parts,
    `defaultMode` or 0644. files: of its volumes with `items`. aliases: `spec.hostAliases`. shared: whether
    its containers see one another's processes (`shareProcessNamespace`).
    """

    items: tuple[ContainerSettings, ...] = ()
    os: str = ""
    subdomain: str = ""
    links: bool = True
    token: bool | None = None
    account: str = ""
    tokens: tuple[TokenVolume, ...] = ()
    dns_policy: str = ""
    modes: tuple[VolumeMode, ...] = ()
    files: tuple[VolumeFile, ...] = ()
    aliases: tuple[HostAlias, ...] = ()
    shared: bool = False


@record(kw_only=True)
class AccountToken(Fact):
    """Whether Pods of a ServiceAccount get its token by default (`automountServiceAccountToken`); None if
    unset.
    """

    mounts: bool | None
