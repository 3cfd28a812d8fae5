"""Pseudonyms of names of objects, hosts and images: the same one throughout; a name that contains another
gets a pseudonym that contains that one's, so that `web-0` is still a replica of `web`.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from functools import cached_property

from unstuck.collect.redact.addresses import Addresses
from unstuck.collect.redact.compound_names import CompoundNames, parts_of
from unstuck.facts.regex import UUID

# In cloud registries and hosts the first label is the customer's.
CLOUDS = (
    ".amazonaws.com",
    ".amazonaws.com.cn",
    ".azurecr.io",
    ".azure.net",
    ".azure.com",
    ".windows.net",
    ".pkg.dev",
    ".gcr.io",
    ".googleusercontent.com",
    ".aliyuncs.com",
    ".tencentyun.com",
    ".tencentcloudcr.com",
    ".tencentcloudapi.com",
    ".myqcloud.com",
    ".myhuaweicloud.com",
)
# Everybody's names.
# fmt: off
COMMON = frozenset((
    "default", "kube-system", "kube-public", "kube-node-lease", "kubernetes", "kube-root-ca.crt", "kube-dns",
    "coredns", "kube-proxy", "kube-scheduler", "kubelet", "etcd", "kube-controller-manager",
    "cloud-controller-manager", "kube-apiserver", "default-scheduler", "kubectl", "kubectl-client-side-apply",
    "containerd", "docker", "dockerd", "crio", "unknown", "node-controller", "unstuck-system", "localhost",
    # Network add-ons (knowledge/network_agents.py), and the keys that a type of Secret demands
    # (pkg/apis/core/validation/validation.go).
    "weave-net", "calico-node", "canal", "kube-flannel", "kube-flannel-ds", "cilium", "aws-node",
    "antrea-agent", "kube-router", "kindnet", "ovnkube-node", "kube-ovn-cni", "romana-agent", "multus",
    "kube-multus-ds", "tls.crt", "tls.key", "ca.crt", ".dockercfg", ".dockerconfigjson", "ssh-privatekey",
    "username", "password", "token",
))
# The parts of public components' images: the version of these may have a known bug
# (tests/knowledge/test_bugs.py holds the list).
COMPONENT_IMAGES = frozenset((
    "aws-ebs-csi-driver", "calico", "apiserver", "node", "cilium", "csi-attacher", "csi-provisioner",
    "csi-resizer", "csi-snapshotter", "snapshot-controller",
))
REGISTRIES = frozenset((
    "docker.io", "index.docker.io", "registry-1.docker.io", "registry.k8s.io", "k8s.gcr.io", "gcr.io",
    "quay.io", "ghcr.io", "mcr.microsoft.com", "library", "pause",
))
# fmt: on
# A Service's own name is made of an object's and its Namespace's.
WITHIN_CLUSTER = (".svc", ".cluster.local", ".k8s.io", ".kubernetes.io")
# Suffixes that a controller adds to a name: an ordinal, a template's hash, letters of Kubernetes' own random
# alphabet.
_MADE = re.compile(
    r"(?:-(?=[0-9]*[a-z])[bcdfghjklmnpqrstvwxz2456789]{8,10})?(?:-\d{1,3})?"
    r"(?:-(?=[0-9]*[a-z])[bcdfghjklmnpqrstvwxz2456789]{5})?$"
)
# The name of a host that is its address.
_ADDRESS = re.compile(r"(?:\d{1,3}[.-]){3}\d{1,3}")
_DIGEST = re.compile(r"@sha256:[0-9a-f]{64}$")
_JOINED = re.compile(r"[A-Za-z0-9][.-][A-Za-z0-9]")
_PORT = re.compile(r"\d{0,5}")
# With another `@` it holds a login, and is no image.
_REFERENCE = re.compile(r"[A-Za-z0-9][\w.:/+-]*(?:@sha256:[0-9a-f]{64})?", re.ASCII)
_UUID = re.compile(UUID)
_NAMEABLE = re.compile(r"[A-Za-z0-9](?:[A-Za-z0-9._:@-]{0,251}[A-Za-z0-9])?")


def nameable(value: str) -> bool:
    """Tell whether a text may name an object: paths and sentences do not; one or two letters identify
    nothing, and occur in too many words.
    """
    return (
        not (len(value) < 3 and value.isalpha())
        and re.search(r"[A-Za-z]", value) is not None
        and _NAMEABLE.fullmatch(value) is not None
        and not _UUID.fullmatch(value)
    )


class Pseudonyms:
    """All names are learnt before anything is replaced.

    key: sorts names in an order that reveals nothing about them. rest: makes a pseudonym for the part after a
    known name.
    """

    def __init__(self, key: bytes, rest: Callable[[str], str]) -> None:
        self._key, self._rest = key, rest
        self.addresses = Addresses()
        self.replaced: Counter[str] = Counter()
        self._names: dict[str, str] = {}
        self._images: dict[str, str] = {}
        self._customers: dict[str, str] = {}
        self._accounts: Collection[str] = ()

    def learn(self, names: dict[str, str], images: Iterable[str], accounts: Collection[str] = ()) -> None:
        """Learn names, each with its sort: `pod`, `node`, `host`. accounts: the names that belong to an
        account or a project.
        """
        every = dict(names)
        self._accounts = accounts
        for name, sort in names.items():
            for base in _list_bases(name):
                if base not in COMMON:
                    every.setdefault(base, sort)
        for name in self._shuffle(every):
            self._give(name, every)
        for image in self._shuffle(filter(_REFERENCE.fullmatch, images)):
            self._images[image] = self._image(image)

    def _shuffle(self, names: Iterable[str]) -> list[str]:
        """Return the names in an order that depends only on the facts; their alphabet, length and place
        are not in it.
        """
        return sorted(
            names,
            key=lambda name: hashlib.blake2b(
                name.encode("utf-8", "surrogatepass"), key=self._key, digest_size=16
            ).digest(),
        )

    def _give(self, name: str, every: dict[str, str]) -> None:
        if name in self._names:
            return
        base = _base(name)
        if self.addresses.is_address(name):
            self._names[name] = self.addresses.pseudonym_of(name)
        elif base != name and base in COMMON:
            # A Pod of a component that every cluster has.
            self._names[name] = name
        elif base != name:
            self._give(base, every)
            self._names[name] = self._names[base] + name[len(base) :]
        elif "." not in name and (prefix := next((p for p in prefixes(name) if p in every), None)):
            self._give(prefix, every)
            self._names[name] = f"{self._names[prefix]}-{self._rest(name[len(prefix) + 1 :])}"
        else:
            self._names[name] = self._fresh(every[name])

    @cached_property
    def beginnings(self) -> CompoundNames:
        """Return all names, by the parts between their dashes."""
        return CompoundNames((tuple(name.split("-")), name) for name in self._names)

    @cached_property
    def joined(self) -> CompoundNames:
        """Names of several parts: they identify their owner even as a part of a longer word."""
        return parts_of(
            name
            for name in self._names
            if _JOINED.search(name) and name not in COMMON and name not in REGISTRIES
        )

    @cached_property
    def accounts(self) -> CompoundNames:
        """Names of accounts and projects, in any spelling."""
        return parts_of(self._accounts, written=True)

    def name(self, name: str) -> str | None:
        """Return the pseudonym of a name that was learnt."""
        return self._names.get(name)

    def image_or_name(self, text: str) -> str | None:
        """Return the pseudonym of a name that may be either."""
        return self._images.get(text) or self._names.get(text)

    def image(self, image: str) -> str | None:
        """Return the pseudonym of a reference that was learnt."""
        return self._images.get(image)

    def customer(self, label: str) -> str:
        """Hide the first label of a cloud's host. A number becomes one of the same length, by which the
        registry is recognised.
        """
        if known := self._names.get(label):
            return known
        if label not in self._customers:
            number = len(self._customers) + 1
            self._customers[label] = f"{number:0{len(label)}}" if label.isdigit() else f"customer-{number}"
        return self._customers[label]

    def _fresh(self, sort: str) -> str:
        self.replaced[sort] += 1
        # By its dot an image's reference shows that its first part is a host.
        return f"{sort}-{self.replaced[sort]}" + (".example" if sort == "host" else "")

    def _image(self, image: str) -> str:
        digest = _DIGEST.search(image)
        bare = image[: digest.start()] if digest else image
        path, colon, tag = bare.rpartition(":")
        if not colon or "/" in tag:
            path, colon, tag = bare, "", ""
        scheme, sep, path = path.rpartition("://")
        parts = [self._image_part(part) for part in path.split("/")]
        self.replaced["image"] += 1
        hidden = f"@sha256:{self.replaced['image']:064x}" if digest else ""
        return f"{scheme}{sep}{'/'.join(parts)}{colon}{self._rest(tag)}{hidden}"

    def _image_part(self, part: str) -> str:
        host, colon, port = part.partition(":")
        if not _PORT.fullmatch(port):
            return self._rest(part)
        if (
            host in REGISTRIES
            or host in COMPONENT_IMAGES
            or host in {"localhost", "sha256"}
            or not re.search("[A-Za-z0-9]", host)
        ):
            return part
        if host.endswith(CLOUDS):
            first, _, rest = host.partition(".")
            return f"{self.customer(first)}.{rest}{colon}{port}"
        if host not in self._names and not (len(host) < 3 and host.isalpha()):
            self._names[host] = (
                self.addresses.pseudonym_of(host)
                if self.addresses.is_address(host)
                else self._fresh("host" if "." in host else "repository")
            )
        return self._names.get(host, host) + colon + port


def _base(name: str) -> str:
    """Return the name without a controller's suffix."""
    made = None if _ADDRESS.search(name) else _MADE.search(name)
    return name[: made.start()] if made and made.start() else name


def _list_bases(name: str) -> Iterator[str]:
    """Yield `web-1` and `web` for `web-1-0`."""
    while (base := _base(name)) != name:
        yield base
        name = base


def prefixes(name: str) -> Iterator[str]:
    """Yield the name up to each dash, the longest first."""
    at = name.rfind("-")
    while at > 0:
        yield name[:at]
        at = name.rfind("-", 0, at)
