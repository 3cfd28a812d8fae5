"""Every known bug has sources and comparable ranges, and is reported exactly for the affected versions."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.causes.version.known_bug import CAUSE
from unstuck.collect.redact.names import COMPONENT_IMAGES
from unstuck.diagnosis.sign import Sign
from unstuck.diagnosis.verdict import Match, RuledOut, Undecided, judge
from unstuck.facts.aspects.cluster import NodeInfo
from unstuck.facts.aspects.objects import Deletion, Event, Events, Failure, Finalizers, Phase, Server
from unstuck.facts.aspects.pod import Containers, ContainerSpec, Placement
from unstuck.facts.core import Fact, Ref, Source
from unstuck.facts.snapshot import Snapshot
from unstuck.facts.vocabulary.failures import ErrorWord, Operation
from unstuck.knowledge.bugs import BUGS, BugLook, KnownBug
from unstuck.knowledge.bugs.record import spell
from unstuck.knowledge.versions import VersionRange, release

NOW = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
SRC = Source("/x", "x")
NODE = Ref("Node", None, "n1")
CONTROL_PLANE = ("kube-controller-manager", "kube-scheduler")
# Messages of components, by the expression that finds them.
WORDS = {
    "kubernetes#122960": (
        "DetachFileDevice failed. globalUnmapPath:, podUID: a1: failed to unmap device from map path. "
        "mapPath is empty"
    ),
    "kubernetes#106942": "rmdir /var/lib/kubelet/pods/a1/volume-subpaths/v/c/0: not a directory",
    "kubernetes#111933": 'Orphaned pod "a1" found, but error not a directory occurred when trying to remove the volumes dir',
    "kubernetes#101398": "stat /var/lib/kubelet/pods/a1/volumes/v: host is down",
    "kubernetes#134769": "status.startTime: Required value: startTime cannot be removed for unsuspended job",
    "kubernetes#121103": '.spec.containers[name="c"].env: duplicate entries for key [name="A"]',
    "kubernetes#123465": 'nodeinfo not found for node name "n9"',
    "kubernetes#126643": 'Pod "web" is invalid: status.qosClass: Invalid value: "Burstable": field is immutable',
    "containerd#10520": 'an error occurred when try to find sandbox "aa11": not found',
    "containerd#10528": 'an error occurred when try to find container "aa11": not found',
    "containerd#10763": "failed to stat parent: parent snapshot sha256:bb does not exist: not found",
    "containerd#13512": "ttrpc: received message on inactive stream stream=3",
    "cri-o#9301": 'failed to open netns "/var/run/netns/x": failed to Statfs: no such file or directory',
    "cri-o#9130": "copying image: context canceled",
    "runc#3554": "open /dev/pts/0: operation not permitted: unknown",
    "runc#4757": "cannot start a container that has stopped",
    "runc#3109": "error adding seccomp filter rule for syscall bdflush",
    "runc#3062": "unable to find groups for spec file /etc/group: bufio.Scanner: token too long",
    "runc#4798": "reading freezer state: read /sys/fs/cgroup/x/cgroup.freeze: no such device",
    "external-provisioner#896": 'error getting selected node: node "n9" not found',
    "calico#8710": "failed to create host netlink handle: protocol not supported",
    "calico#10440": "networkpolicies.projectcalico.org has 2 resource instances",
}


def _inside(bug: KnownBug) -> str:
    span = bug.affected[-1]
    if span.first:
        return spell(span.first)
    ended = list(span.ended or ())
    ended[-1:] = [ended[-1] - 1] if ended[-1] else [0]
    if not (span.ended or ())[-1]:
        ended = [ended[0], ended[1] - 1, 0] if ended[1] else [ended[0] - 1, 99, 0]
    return spell(tuple(ended))


def _shown(bug: KnownBug, look: BugLook, kind: str) -> tuple[Ref, list[Fact]]:
    subject = Ref(kind, None if kind in ("PersistentVolume", "Namespace") else "shop", "web")
    text = WORDS.get(bug.id, "x") if look.words else "x"
    facts: list[Fact] = [Placement(about=subject, src=SRC, node=NODE)] if kind == "Pod" else []
    if look.finalizer:
        name = look.finalizer + ("x" if look.finalizer.endswith("/") else "")
        facts += [
            Finalizers(about=subject, src=SRC, names=(name,)),
            Deletion(about=subject, src=SRC, requested=True, due=NOW),
        ]
    if look.reasons:
        facts.append(Phase(about=subject, src=SRC, phase="Failed", reason=look.reasons[0]))
    if look.operations or look.errors:
        operation, error = (look.operations or ("sync",))[0], (look.errors or ("other",))[0]
        facts.append(
            Failure(about=subject, src=SRC, whole=False, operation=operation, error=error, message=text)
        )
    elif look.words:
        facts.append(Events(about=subject, src=SRC, items=(Event("Warned", text, warning=True, last=NOW),)))
    return subject, facts


def _told(bug: KnownBug, version: str) -> list[Fact]:
    if bug.component in CONTROL_PLANE:
        return [Server(about=Ref("Cluster"), src=SRC, version=version)]
    if bug.component == "kubelet":
        return [NodeInfo(about=NODE, src=SRC, kubelet=version)]
    if bug.component in ("containerd", "cri-o"):
        return [NodeInfo(about=NODE, src=SRC, runtime=f"{bug.component}://{version}")]
    image = ContainerSpec("c", "main", f"registry.example.com:5000/mirror/{bug.component}:v{version}")
    return [Containers(about=Ref("Pod", "kube-system", "p"), src=SRC, items=(image,))]


def _verdict(bug: KnownBug, facts: list[Fact], subject: Ref) -> Match | Undecided | RuledOut:
    return judge(CAUSE.rule(subject, Snapshot(facts, NOW)), Sign(True))


CASES = [
    (bug, look, kind) for bug in BUGS for look in bug.looks for kind in look.kinds if bug.component != "runc"
]
IDS = [f"{bug.id}-{n}-{kind}" for n, (bug, _, kind) in enumerate(CASES)]


@pytest.mark.parametrize(("bug", "look", "kind"), CASES, ids=IDS)
def test_an_affected_version_is_told_and_a_fixed_one_rules_it_out(
    bug: KnownBug, look: BugLook, kind: str
) -> None:
    subject, facts = _shown(bug, look, kind)
    affected = _verdict(bug, [*facts, *_told(bug, _inside(bug))], subject)
    assert isinstance(affected, Match if bug.specific else Undecided)
    if isinstance(affected, Match):
        assert affected.confidence == "likely"
        assert bug.id in affected.finding.says.en
        assert bug.id in affected.finding.says.zh
    else:
        assert affected.possible
        assert any(bug.id in note.en and bug.says[1] in note.zh for note in affected.notes)
    fixed = [b for b in BUGS if any(_same(look, other) for other in b.looks) and b.component == bug.component]
    last = max((s.ended for b in fixed for s in b.affected if s.ended), default=(0,))
    assert isinstance(_verdict(bug, [*facts, *_told(bug, spell(last))], subject), RuledOut)


def _same(one: BugLook, other: BugLook) -> bool:
    return bool(set(one.operations) & set(other.operations)) or one == other


@pytest.mark.parametrize("bug", BUGS, ids=lambda b: b.id)
def test_a_version_alone_says_nothing(bug: KnownBug) -> None:
    subject = Ref("Pod", "shop", "web")
    facts = [Placement(about=subject, src=SRC, node=NODE), *_told(bug, _inside(bug))]
    assert isinstance(_verdict(bug, facts, subject), RuledOut)


@pytest.mark.parametrize("bug", [b for b in BUGS if b.component != "runc"], ids=lambda b: b.id)
def test_the_version_is_asked_for_only_where_it_decides(bug: KnownBug) -> None:
    look, kind = bug.looks[0], "Pod"
    if kind not in look.kinds:
        return
    subject, facts = _shown(bug, look, kind)
    found = _verdict(bug, facts, subject)
    others = [b for b in BUGS if b.specific and any(_same(look, o) and not o.words for o in b.looks)]
    if bug.specific:
        assert isinstance(found, Undecided)
        assert found.possible
        by_image = bug.component not in (*CONTROL_PLANE, "kubelet", "containerd", "cri-o")
        assert by_image or [w.fact for w in found.wants] in ([NodeInfo], [Server])
    elif not others:
        assert isinstance(found, RuledOut)


@pytest.mark.parametrize("bug", BUGS, ids=lambda b: b.id)
def test_a_row_says_what_it_must(bug: KnownBug) -> None:
    assert bug.sources
    assert all(s.startswith("https://") for s in bug.sources)
    assert bug.affected
    assert bug.fixed
    for english, chinese in filter(None, (bug.says, bug.workaround)):
        assert english.isascii()
        assert not english.endswith(".")
        assert any("\u4e00" <= letter <= "\u9fff" for letter in chinese)
    assert bug.looks
    for look in bug.looks:
        assert set(look.operations) <= set(get_args(Operation))
        assert set(look.errors) <= set(get_args(ErrorWord))
        assert set(look.kinds) & set(CAUSE.subjects)
        assert look.operations or look.errors or look.words or look.reasons or look.finalizer
        assert not look.words or bug.id in WORDS


@pytest.mark.parametrize("bug", BUGS, ids=lambda b: b.id)
def test_ranges_are_in_order_apart_and_end_with_the_fix(bug: KnownBug) -> None:
    ends = [s.ended for s in bug.affected]
    assert all(ends)
    for s in bug.affected:
        assert s.ended is not None
        assert s.first is None or s.first < s.ended
        assert bug.has(spell(s.ended)) is not True or any(o.holds(s.ended) for o in bug.affected)
    for one, other in zip(bug.affected, bug.affected[1:], strict=False):
        assert one.ended is not None
        assert other.first is not None
        assert one.ended <= other.first
    assert bug.has(_inside(bug)) is True
    assert bug.fixed_after(_inside(bug)) in bug.fixed


def test_ids_are_not_repeated() -> None:
    assert len({b.id for b in BUGS}) == len(BUGS) >= 30


NUMBER = st.integers(0, 120)
NUMBERS = st.tuples(NUMBER, NUMBER, NUMBER)
VENDOR = st.sampled_from(
    [
        "",
        "-eks-5e0fdde",
        "-gke.1067004",
        "+k3s1",
        "+rke2r1",
        "~ds1",
        "-0ubuntu3.1",
        "+unknown",
        "-91-generic",
        "-k3s2",
    ]
)
SCHEME = st.sampled_from(["", "v", "containerd://", "cri-o://", "containerd://v"])


@given(SCHEME, NUMBERS, VENDOR)
def test_a_version_reads_the_same_whoever_built_it(
    scheme: str, number: tuple[int, int, int], vendor: str
) -> None:
    read = release(scheme + ".".join(map(str, number)) + vendor)
    assert read is not None
    assert (read.numbers, read.previews, read.vendor) == (number, False, vendor)


@given(NUMBERS, st.sampled_from(["-rc.1", "-alpha.0", "-beta.2", "~rc1", "-rc.0+k3s1"]))
def test_a_preview_of_the_fix_decides_nothing(number: tuple[int, int, int], suffix: str) -> None:
    bug = KnownBug("x#1", "kubelet", (VersionRange(None, number),), ("a", "b"), (), ())
    assert bug.has(".".join(map(str, number)) + suffix) is None


@given(NUMBERS, NUMBERS, NUMBERS, VENDOR)
def test_a_version_is_in_a_range_from_its_first_up_to_before_the_fix(
    one: tuple[int, int, int], other: tuple[int, int, int], third: tuple[int, int, int], vendor: str
) -> None:
    first, ended = sorted((one, other))
    bug = KnownBug("x#1", "kubelet", (VersionRange(first, ended),), ("a", "b"), (), ())
    assert bug.has("v" + ".".join(map(str, third)) + vendor) is (first <= third < ended)
    assert bug.has("v" + ".".join(map(str, ended)) + vendor) is False


@given(st.text(max_size=30))
def test_any_text_is_a_version_or_none(text: str) -> None:
    read = release(text)
    assert read is None or len(read.numbers) == 3


@pytest.mark.parametrize(
    "text", ["", "unknown", "1.28", "v1.28.5.1", "sha256:aa", "1.28.x", "v1.28.5 ", "containerd://Unknown"]
)
def test_what_is_no_version_decides_nothing(text: str) -> None:
    assert (release(text) is None) == (text.strip() != "v1.28.5")


def test_pseudonyms_keep_the_images_by_which_a_bug_is_known() -> None:
    told = {"kubelet", "containerd", "cri-o", "runc", *CONTROL_PLANE}
    parts = {part for bug in BUGS if bug.component not in told for part in bug.component.split("/")}
    assert parts and parts <= COMPONENT_IMAGES
