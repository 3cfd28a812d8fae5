"""The versions of a component with a particular fault or behaviour, with a source for each row.

Forms of a version: `v1.10.3`, `1.8.13-rc.1`, `17.03.2-ce`, `3.10.0-327.el7.x86_64`: the leading numbers
count, and for kernels of CentOS and RHEL also the build after the dash. `Release` also parses the suffixes of
vendors and runtimes.
"""

from __future__ import annotations

import re

from unstuck.facts.record import Record, record
from unstuck.facts.regex import regex

Version = tuple[int, ...]


@record()
class VersionRange(Record):
    """Versions from `first` up to but excluding `ended`; None means unbounded."""

    first: Version | None
    ended: Version | None

    def holds(self, number: Version) -> bool:
        """Tell whether this version is in the range."""
        return (self.first is None or number >= self.first) and (self.ended is None or number < self.ended)


@record()
class Release(Record):
    """A component's version in the spelling of components and vendors. vendor: the part after the numbers, ""
    for an upstream version.

    numbers: three. previews: whether it precedes the release of these numbers (alpha, beta, rc). Sources:
    versions of Nodes, such as `v1.28.5-eks-5e0fdde`, `v1.27.8-gke.1067004`, `v1.29.3+k3s1`,
    `containerd://1.7.2`, `1.6.20~ds1`; semver.org (pre-release).
    """

    numbers: Version
    previews: bool = False
    vendor: str = ""


_RELEASE = regex(r"v?(\d{1,6})\.(\d{1,6})\.(\d{1,6})(?![\d.])(?P<rest>[-+~].{0,100})?", re.DOTALL)
_PREVIEW = regex(r"[-~](?:alpha|beta|rc)(?![a-z])")
_SCHEME = regex(r"[a-z][a-z0-9-]{0,30}://")


def release(version: str) -> Release | None:
    """Parse a version with surrounding text; None unless it is three numbers with an optional suffix."""
    bare = _SCHEME.sub("", version.strip(), count=1)
    found = _RELEASE.fullmatch(bare)
    if found is None:
        return None
    rest = found["rest"] or ""
    return Release((int(found[1]), int(found[2]), int(found[3])), _PREVIEW.match(rest) is not None, rest)


@record()
class VersionSpan(Record):
    """Versions from `first` up to but excluding `ended`; None means unbounded.

    component: `kube-controller-manager`, `kubelet`, `dockerd`, `linux`, `rhel-kernel` (3.10.0-BUILD only).
    what: the behaviour of these versions.
    """

    component: str
    what: str
    first: Version | None
    ended: Version | None
    source: str

    def has(self, version: str) -> bool | None:
        """Tell whether this version is in the span; None for a missing version, or one of another
        numbering.
        """
        number = parse_version(version)
        if number is None or (self.component == "rhel-kernel" and parse_rhel_build(version) is None):
            return None
        return VersionRange(self.first, self.ended).holds(number)


_RHEL = regex(r"3\.10\.0-\d+")


def parse_rhel_build(release: str) -> Version | None:
    """Return `3.10.0-327.el7.x86_64` → (3, 10, 0, 327); None for a kernel of another numbering."""
    return parse_version(release) if _RHEL.match(release) else None


def parse_version(version: str) -> Version | None:
    """Return `v1.10.3+b81c8f8` → (1, 10, 3); `3.10.0-327.el7` → (3, 10, 0, 327); None for a text that does
    not begin with two numbers.
    """
    match = re.match(r"v?(\d{1,9})\.(\d{1,9})(?:\.(\d{1,9}))?(?:-(\d{1,9})\b)?", version.strip())
    return tuple(int(g) for g in match.groups() if g is not None) if match else None


DAEMONSET_SORTS_TEMPLATE = VersionSpan(
    "kube-controller-manager",
    "The DaemonSet controller sorts the values of node affinity in the template that it keeps, takes that "
    "for a new revision, and replaces its Pods without end",
    (1, 10),
    (1, 12),
    (
        "kubernetes/kubernetes issue 66298, fixed by PR 66480 for 1.12; issue 68432 has it still in 1.11.3; "
        "field notes"
    ),
)
KUBELET_WAITS_FOR_REMOVAL = VersionSpan(
    "kubelet",
    "A Pod stays until its containers and their root filesystems are removed",
    None,
    (1, 22),
    (
        "pkg/kubelet/kubelet_pods.go (PodResourcesAreReclaimed: `some containers have not been cleaned up` "
        "up to 1.21)"
    ),
)
KUBELET_LOSES_DELETES = VersionSpan(
    "kubelet",
    "list and watch may lose a deletion, and the Pod is never ended",
    (1, 8),
    (1, 9),
    "field notes (1.8.13)",
)
DOCKERD_HANGS = VersionSpan(
    "dockerd",
    "dockerd is known to stop answering; 18.09 came with another containerd",
    (17, 3),
    (18,),
    "field notes (17); docker 18.09 release notes (containerd 1.2)",
)
FOREIGN_MOUNTS_BLOCK = VersionSpan(
    "linux",
    "a directory that is a mount point in another mount namespace cannot be removed",
    None,
    (3, 18),
    "Linux commit 8ed936b5671b (vfs: Lazily remove mounts on unlinked files and directories), 3.18",
)
RHEL_WITHOUT_DETACH = VersionSpan(
    "rhel-kernel",
    "has no fs.may_detach_mounts: a mount in another namespace always blocks",
    None,
    (3, 10, 0, 693),
    "RHEL 7.4 release notes (fs.may_detach_mounts, off by default); dockerd sets it from 17.09",
)
RHEL_PRIVATE_TMP_LEAKS = VersionSpan(
    "rhel-kernel",
    "services with PrivateTmp=true were seen to keep containers from being removed",
    None,
    (3, 10, 0, 862),
    "field notes: seen with 3.10.0-327, not with 3.10.0-862.9.1",
)

SPANS: tuple[VersionSpan, ...] = (
    DAEMONSET_SORTS_TEMPLATE,
    KUBELET_WAITS_FOR_REMOVAL,
    KUBELET_LOSES_DELETES,
    DOCKERD_HANGS,
    FOREIGN_MOUNTS_BLOCK,
    RHEL_WITHOUT_DETACH,
    RHEL_PRIVATE_TMP_LEAKS,
)
