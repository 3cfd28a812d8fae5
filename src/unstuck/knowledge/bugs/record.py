"""The record of a known bug: the affected versions, its symptoms, and its sources."""

from __future__ import annotations

from unstuck.facts.record import Record, record
from unstuck.knowledge.versions import Version, VersionRange, release

GITHUB = "https://github.com"


@record()
class BugLook(Record):
    """The visible signs of a bug; all non-empty fields must match, a tuple by one of its elements.

    operations, errors: as in `Failure`. words: a regular expression for a component's message, in lower case.
    reasons: of a Pod's phase. finalizer: still set on an object under deletion; a final `/` marks a prefix.
    kinds: of the subject.
    """

    operations: tuple[str, ...] = ()
    errors: tuple[str, ...] = ()
    words: str = ""
    reasons: tuple[str, ...] = ()
    finalizer: str = ""
    kinds: tuple[str, ...] = ("Pod",)


@record()
class KnownBug(Record):
    """A blocking bug of a component, and its fix.

    id: `PROJECT#NUMBER` of the issue, or of the fix if no issue was found. component: `kubelet`,
    `containerd`, or the end of an image's name (`csi-provisioner`, `calico/node`). affected: in order and
    disjoint; the version at a span's end has the fix. says: the failure, in English and Chinese, without a
    full stop. looks: alternative sets of signs. specific: whether these signs identify the bug; otherwise
    other causes show them, too, and a version alone makes none more likely. sources: the issue, the fix and
    the release notes with the fixed versions. workaround: help until the upgrade.
    """

    id: str
    component: str
    affected: tuple[VersionRange, ...]
    says: tuple[str, str]
    looks: tuple[BugLook, ...]
    sources: tuple[str, ...]
    specific: bool = False
    workaround: tuple[str, str] | None = None

    def has(self, version: str) -> bool | None:
        """Tell whether this version has the bug; None if the version does not decide.

        A preview of the fixed release may or may not have the fix.
        """
        told = release(version)
        if told is None or (told.previews and any(s.ended == told.numbers for s in self.affected)):
            return None
        return self._span(told.numbers) is not None

    def fixed_after(self, version: str) -> str:
        """Return the first fixed version of the same line, "" for an unaffected version."""
        told = release(version)
        span = self._span(told.numbers) if told else None
        return spell(span.ended) if span and span.ended else ""

    @property
    def fixed(self) -> tuple[str, ...]:
        """The first fixed version of each line."""
        return tuple(spell(s.ended) for s in self.affected if s.ended)

    def _span(self, number: Version) -> VersionRange | None:
        return next((s for s in self.affected if s.holds(number)), None)


def spell(number: Version) -> str:
    """Return `1.29.3`."""
    return ".".join(str(n) for n in number[:3])


def line(major: int, minor: int, first: int, fixed: int) -> VersionRange:
    """Return the span within one minor version, from `first` up to but excluding `fixed`."""
    return VersionRange((major, minor, first), (major, minor, fixed))


def before(*fixed: int) -> VersionRange:
    """Return the span of all versions before `fixed`."""
    return VersionRange(None, fixed)


def issue(project: str, number: int) -> str:
    """Return the address of an issue."""
    return f"{GITHUB}/{project}/issues/{number}"


def pull(project: str, number: int) -> str:
    """Return the address of a pull request."""
    return f"{GITHUB}/{project}/pull/{number}"


def notes_of(project: str, *versions: str) -> tuple[str, ...]:
    """Return the addresses of releases' notes."""
    return tuple(f"{GITHUB}/{project}/releases/tag/v{version}" for version in versions)
