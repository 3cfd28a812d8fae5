"""A question about one Pod reveals nothing about another."""

import json
import time
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from unstuck.agent.tenancy import HIDDEN, redact_for_tenant
from unstuck.facts.aspects.host import (
    FlaggedFiles,
    Host,
    MountEntry,
    MountHolder,
    MountHolders,
    PathUses,
    PodMounts,
    PodProcesses,
    Proc,
    Use,
    WaitingMount,
    WaitingMounts,
)
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.oom import OomKills
from unstuck.facts.aspects.space import Consumer, DiskSpace, Space
from unstuck.facts.codec import to_json
from unstuck.facts.core import Fact, Ref, Refused, Source

MINE = "11111111-2222-3333-4444-555555555555"
THEIRS = "99999999-8888-7777-6666-555555555555"
POD = Ref("Pod", "mine", "web-0", MINE)
NODE = Ref("Node", None, "n1")
SRC = Source("n1 /proc/1/stat")
OTHER = Proc(77, "postgres", "S", pod=THEIRS, container="c" * 64, waits_in="f", unit="x.service")
OWN = Proc(78, "nginx", "S", pod=MINE, container="d" * 64)
DAEMON = Proc(79, "multipathd", "S", unit="multipathd.service")


def _told(*facts: Fact) -> list[Fact]:
    return [f for f in redact_for_tenant(facts, POD) if not isinstance(f, Refused)]


def test_another_pods_holder_is_hidden_but_its_command_and_a_daemon_are_told() -> None:
    path = f"/var/lib/kubelet/pods/{MINE}/volumes/x"
    uses = tuple(Use(p, "fd", path) for p in (OTHER, OWN, DAEMON))
    (told,) = _told(PathUses(about=POD, src=SRC, items=uses))
    assert isinstance(told, PathUses)
    assert told.whole
    assert [u.proc for u in told.items] == [Proc(77, "postgres", "S", pod=HIDDEN), OWN, DAEMON]


def test_a_holder_in_another_pods_namespace_shows_no_path_of_it() -> None:
    about = Ref("Mount", "n1", f"/var/lib/kubelet/pods/{MINE}/volumes/x")
    held = MountHolder(
        OTHER,
        "mnt:[1]",
        (
            f"/var/lib/kubelet/pods/{THEIRS}/volumes/kubernetes.io~nfs/theirs/var/lib/kubelet/pods/{MINE}/"
            "volumes/x"
        ),
    )
    (told,) = _told(MountHolders(about=about, src=SRC, items=(held,)))
    assert THEIRS not in json.dumps(to_json(told))


def test_what_is_mounted_elsewhere_is_not_told() -> None:
    about = Ref("Mount", "n1", f"/var/lib/kubelet/pods/{THEIRS}/volumes/x")
    assert _told(MountHolders(about=about, src=SRC, items=())) == []


def test_other_tenants_volume_servers_are_hidden_and_ones_own_is_told() -> None:
    mine = WaitingMount(
        "nfs4",
        "nfs.mine:/a",
        "0:41",
        (f"/var/lib/kubelet/pods/{MINE}/volumes/kubernetes.io~nfs/a",),
        3,
        pods=(MINE,),
    )
    theirs = WaitingMount(
        "nfs4",
        "nfs.theirs:/b",
        "0:42",
        (f"/var/lib/kubelet/pods/{THEIRS}/volumes/b",),
        9,
        2.0,
        (5,),
        (THEIRS,),
    )
    fact = WaitingMounts(
        about=NODE, src=Source("n1 x", "nfs4 nfs.theirs:/b 0:42: waiting 9"), items=(mine, theirs)
    )
    (told,) = _told(fact)
    assert isinstance(told, WaitingMounts)
    assert told.items[0] == mine
    assert told.items[1] == WaitingMount("nfs4", "", "0:42", (), 9, 2.0, (5,), (HIDDEN,))
    assert "theirs" not in json.dumps(to_json(told))


def test_the_nodes_own_log_lines_and_kills_are_refused_and_that_is_said() -> None:
    failed = Failure(
        about=NODE,
        src=Source("n1 /var/log/kubelet.log:3", "a line"),
        operation="rootfs-remove",
        error="EPERM",
        whole=False,
    )
    kills = OomKills(about=NODE, src=SRC, items=((5, "java", "none"),))
    leaked = FlaggedFiles(about=NODE, src=SRC, files=())
    told = list(redact_for_tenant([failed, kills, leaked, Host(about=NODE, src=SRC, kernel="6.1")], POD))
    assert [type(f).__name__ for f in told] == ["Host", "Refused", "Refused", "Refused"]
    refused = [f for f in told if isinstance(f, Refused)]
    assert {f.want for f in refused} == {"Failure", "OomKills", "FlaggedFiles"}
    assert {(f.why, f.about) for f in refused} == {("denied", NODE)}


def test_who_fills_a_file_system_is_not_told() -> None:
    space = Space("/var/log", 100, 1, 0, 0)
    largest = (Consumer("/var/log/app-of-theirs", 99, 3),)
    (told,) = _told(DiskSpace(about=NODE, src=SRC, items=(space,), largest=largest))
    assert isinstance(told, DiskSpace)
    assert (told.items, told.largest) == ((space,), ())


def test_a_fact_of_another_pod_is_not_told() -> None:
    theirs = Ref("Pod", "theirs", "db-0", THEIRS)
    assert list(redact_for_tenant([PodProcesses(about=theirs, src=SRC, items=(OTHER,))], POD)) == []


def _line(line: str) -> Failure:
    return Failure(
        about=POD, src=Source("n1 log", line), operation="sync", error="other", message=line, whole=False
    )


OTHERS = {
    "klog, several": f'"SyncLoop UPDATE" source="api" pods=["mine/web-0","bank/payroll-0"] {MINE}',
    "klog": f'"Failed" pod="bank/payroll-0" podUID="{THEIRS}"',
    "klog without quotes": "Failed to sync pod=bank/payroll-0",
    "klog without quotes, of one's own namespace": "Failed to sync pod=mine/payroll-0",
    "klog by podName": 'Failed podName="payroll-0" of it',
    "klog by namespace": "Failed to sync namespace=bank",
    "klog as JSON": '{"ts":1.5,"msg":"Failed","v":0,"pod":{"name":"payroll-0","namespace":"bank"},"err":"no"}',
    "klog as JSON, several": (
        '{"msg":"Failed","pods":[{"name":"web-0","namespace":"mine"},{"name":"payroll-0",'
        '"namespace":"bank"}]}'
    ),
    "JSON by podName": '{"msg":"Failed","podName":"payroll-0"}',
    "JSON in a string": 'err="{\\"pod\\":{\\"name\\":\\"payroll-0\\",\\"namespace\\":\\"bank\\"}}"',
    "a log directory": f"/var/log/pods/bank_payroll-0_{THEIRS}/c/0.log of {MINE}",
    "a link to a log": f"/var/log/containers/payroll-0_bank_c-{'a' * 64}.log of {MINE}",
    "a sandbox": (
        f"RunPodSandbox for &PodSandboxMetadata{{Name:payroll-0,Uid:{THEIRS},Namespace:bank,Attempt:0,}} "
        f"and {MINE}"
    ),
    "a sandbox without its uid": f"sandbox {{Namespace:bank,Attempt:0,}} and {MINE}",
    "prose": f'killing pod "payroll-0_bank({THEIRS})"',
    "prose without a uid": f'volume of {MINE} is used by pod bank/payroll-0 and "bank/payroll-0"',
    "a namespace in prose": f'{MINE}: quota of namespace "bank" exceeded',
    "a cgroup": f"kubepods-burstable-pod{THEIRS.replace('-', '_')}.slice",
    "a uid in capitals": f"of {THEIRS.upper()} payroll",
    "a volume": 'MountVolume.SetUp failed for volume "payroll-secret"',
    "a volume without quotes": "MountVolume.SetUp failed volumeName=payroll-secret",
    "a Secret": 'couldn\'t get secret "payroll-secret"',
    "a Secret in JSON": '{"msg":"no","secret":{"name":"payroll-secret"}}',
    "an image": 'Back-off pulling image "payroll/app:1"',
    "a container": "Back-off restarting failed container=payroll",
}


@pytest.mark.parametrize("line", OTHERS.values(), ids=OTHERS)
def test_a_line_that_names_somebody_else_is_left_out_whole(line: str) -> None:
    (told,) = _told(_line(line))
    assert isinstance(told, Failure)
    assert (told.src.quote, told.message) == (HIDDEN, HIDDEN)
    assert told.error == "other"


OWN_LINES = {
    "klog": f'"Failed" pod="mine/web-0" podUID="{MINE}" /var/log/pods/mine_web-0_{MINE}/c',
    "klog without quotes": "Failed to sync pod=mine/web-0 duration=1m3.5s",
    "JSON": '{"ts":1.5,"msg":"Failed","pod":{"name":"web-0","namespace":"mine"},"volumeName":"data","err":"no"}',
    "its parts": (
        f'MountVolume.SetUp failed for volume "data" (UniqueName: "kubernetes.io/nfs/{MINE}-data") pod '
        f'"web-0" (UID: "{MINE}")'
    ),
    "nobody": "rpc error: code = Unknown desc = the container is gone, its volume is busy; pod has no sandbox",
}


@pytest.mark.parametrize("line", OWN_LINES.values(), ids=OWN_LINES)
def test_a_line_of_ones_own_is_told_as_it_is(line: str) -> None:
    assert _told(_line(line)) == [_line(line)]


def test_a_name_that_the_node_shows_to_be_somebody_elses_takes_the_line_with_it() -> None:
    """Also where the line itself does not say what it is the name of."""
    theirs = Failure(
        about=Ref("Pod", "bank", "payroll-0", THEIRS),
        src=SRC,
        operation="sync",
        error="other",
        message='volume "ledger"',
    )
    node = Failure(
        about=NODE,
        src=Source("n1 log", 'pod="bank/payroll-0" volumeName="ledger-eu"'),
        operation="sync",
        error="other",
    )
    for said in (f"{MINE} waits for payroll-0", f"{MINE}: bank holds it", f"{MINE}: ledger-eu is locked"):
        assert [f.message for f in _told(theirs, node, _line(said)) if isinstance(f, Failure)] == [HIDDEN], (
            said
        )
    path = f"/var/lib/kubelet/pods/{MINE}/volumes/kubernetes.io~nfs/ledger-eu"
    mounts = PodMounts(about=POD, src=SRC, items=(MountEntry(path, "nfs4", "nfs.mine:/a"),))
    assert _told(node, mounts) == [mounts]


def test_facts_are_told_as_they_come() -> None:
    """Whoever looks may hang later."""

    def seen() -> Iterator[Fact]:
        yield _line("mine")
        raise AssertionError("asked for more before the first was told")

    assert next(redact_for_tenant(seen(), POD)) == _line("mine")


_words = st.one_of(
    st.text(max_size=20),
    st.sampled_from(
        [
            THEIRS,
            THEIRS.replace("-", "_"),
            THEIRS.replace("-", ""),
            f"/pods/{THEIRS}/volumes/x",
            f"pod{THEIRS}",
            MINE,
            "",
        ]
    ),
)
_text = st.lists(_words, max_size=4).map(" ".join)
_procs = st.builds(
    Proc,
    st.integers(1, 9999),
    st.just("sh"),
    st.sampled_from("SDZ"),
    pod=st.sampled_from([None, MINE, THEIRS]),
    container=st.none(),
    waits_in=_text,
)
_mounts = st.builds(MountEntry, _text, st.just("nfs4"), _text)
_src = st.builds(Source, _text, _text)
_facts = st.one_of(
    st.builds(PodProcesses, about=st.just(POD), src=_src, items=st.lists(_procs, max_size=3).map(tuple)),
    st.builds(
        PathUses,
        about=st.just(POD),
        src=_src,
        items=st.lists(st.builds(Use, _procs, st.just("fd"), _text), max_size=3).map(tuple),
    ),
    st.builds(PodMounts, about=st.just(POD), src=_src, items=st.lists(_mounts, max_size=3).map(tuple)),
    st.builds(
        Failure,
        about=st.sampled_from([POD, NODE]),
        src=_src,
        operation=st.just("sync"),
        error=st.just("other"),
        message=_text,
    ),
    st.builds(
        WaitingMounts,
        about=st.just(NODE),
        src=_src,
        items=st.lists(
            st.builds(
                WaitingMount,
                st.just("nfs4"),
                _text,
                st.just("0:1"),
                st.lists(_text, max_size=2).map(tuple),
                st.just(1),
                pods=st.lists(st.sampled_from([MINE, THEIRS]), max_size=2).map(tuple),
            ),
            max_size=2,
        ).map(tuple),
    ),
)


@given(st.lists(_facts, max_size=4))
def test_no_uid_of_another_pod_is_ever_told_and_twice_is_as_good_as_once(facts: list[Fact]) -> None:
    told = list(redact_for_tenant(facts, POD))
    text = json.dumps([to_json(f) for f in told])
    for form in (THEIRS, THEIRS.replace("-", "_"), THEIRS.replace("-", "")):
        assert form not in text
    assert list(redact_for_tenant(told, POD)) == told


@pytest.mark.parametrize(
    "part",
    ["a=[", 'pod="', "pod={", "a_", "a-", "pod ", 'pod "', f"{MINE}_", "a", "a.b_c-", "{a:", "1a", "1"],
)
def test_a_long_line_takes_time_in_proportion(part: str) -> None:
    def taken(times: int) -> float:
        line = _line(f"pod={part * times}-x")
        # Processor time is independent of other processes.
        started = time.process_time()
        _told(line)
        return time.process_time() - started

    taken(100)
    assert min(taken(10_000) for _ in range(2)) < 60 * min(taken(1_000) for _ in range(3)) + 0.05
