"""Who asks about one Pod learns nothing of another."""

import json

from hypothesis import given
from hypothesis import strategies as st

from unstuck.agent.tenancy import HIDDEN, for_tenant
from unstuck.facts.aspects.host import (
    Consumer,
    DiskSpace,
    FlaggedFiles,
    Holder,
    Host,
    MountEntry,
    MountHolders,
    OomKills,
    PathUses,
    PodMounts,
    PodProcesses,
    Proc,
    Space,
    Use,
    WaitingMount,
    WaitingMounts,
)
from unstuck.facts.aspects.objects import Failure
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
    return [f for f in for_tenant(facts, POD) if not isinstance(f, Refused)]


def test_another_pods_holder_is_hidden_but_its_command_and_a_daemon_are_told() -> None:
    path = f"/var/lib/kubelet/pods/{MINE}/volumes/x"
    uses = tuple(Use(p, "fd", path) for p in (OTHER, OWN, DAEMON))
    (told,) = _told(PathUses(about=POD, src=SRC, items=uses))
    assert isinstance(told, PathUses)
    assert told.whole
    assert [u.proc for u in told.items] == [Proc(77, "postgres", "S", pod=HIDDEN), OWN, DAEMON]


def test_a_holder_in_another_pods_namespace_shows_no_path_of_it() -> None:
    about = Ref("Mount", "n1", f"/var/lib/kubelet/pods/{MINE}/volumes/x")
    held = Holder(
        OTHER, "mnt:[1]", f"/var/lib/kubelet/pods/{THEIRS}/volumes/kubernetes.io~nfs/theirs/var/lib/kubelet/pods/{MINE}/volumes/x"
    )
    (told,) = _told(MountHolders(about=about, src=SRC, items=(held,)))
    assert THEIRS not in json.dumps(to_json(told))


def test_what_is_mounted_elsewhere_is_not_told() -> None:
    about = Ref("Mount", "n1", f"/var/lib/kubelet/pods/{THEIRS}/volumes/x")
    assert _told(MountHolders(about=about, src=SRC, items=())) == []


def test_other_tenants_volume_servers_are_hidden_and_ones_own_is_told() -> None:
    mine = WaitingMount("nfs4", "nfs.mine:/a", "0:41", (f"/var/lib/kubelet/pods/{MINE}/volumes/kubernetes.io~nfs/a",), 3, pods=(MINE,))
    theirs = WaitingMount("nfs4", "nfs.theirs:/b", "0:42", (f"/var/lib/kubelet/pods/{THEIRS}/volumes/b",), 9, 2.0, (5,), (THEIRS,))
    fact = WaitingMounts(about=NODE, src=Source("n1 x", "nfs4 nfs.theirs:/b 0:42: waiting 9"), items=(mine, theirs))
    (told,) = _told(fact)
    assert isinstance(told, WaitingMounts)
    assert told.items[0] == mine
    assert told.items[1] == WaitingMount("nfs4", "", "0:42", (), 9, 2.0, (5,), (HIDDEN,))
    assert "theirs" not in json.dumps(to_json(told))


def test_the_nodes_own_log_lines_and_kills_are_refused_and_that_is_said() -> None:
    failed = Failure(about=NODE, src=Source("n1 /var/log/kubelet.log:3", "a line"), operation="rootfs-remove", error="EPERM", whole=False)
    kills = OomKills(about=NODE, src=SRC, items=((5, "java", "none"),))
    leaked = FlaggedFiles(about=NODE, src=SRC, files=())
    told = list(for_tenant([failed, kills, leaked, Host(about=NODE, src=SRC, kernel="6.1")], POD))
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
    assert list(for_tenant([PodProcesses(about=theirs, src=SRC, items=(OTHER,))], POD)) == []


def test_words_that_name_other_pods_are_cut_out_of_ones_own_lines() -> None:
    lines = [
        f'"SyncLoop UPDATE" source="api" pods=["mine/web-0","theirs/db-0"] {MINE}',
        f'"Failed" pod="theirs/db-0" podUID="{THEIRS}"',
        f"/var/log/pods/theirs_db-0_{THEIRS}/c/0.log of {MINE}",
        f"RunPodSandbox for &PodSandboxMetadata{{Name:db-0,Uid:{THEIRS},Namespace:theirs,Attempt:0,}} and {MINE}",
        f'killing pod "db-0_theirs({THEIRS})"',
        f"kubepods-burstable-pod{THEIRS.replace('-', '_')}.slice",
    ]
    for line in lines:
        fact = Failure(about=POD, src=Source("n1 log", line), operation="sync", error="other", message=line, whole=False)
        text = json.dumps(to_json(_told(fact)[0]))
        assert "theirs" not in text, text
        assert "db-0" not in text, text
        assert THEIRS[:8] not in text, text
    own = f'"Failed" pod="mine/web-0" podUID="{MINE}" /var/log/pods/mine_web-0_{MINE}/c'
    (kept,) = _told(Failure(about=POD, src=Source("n1 log", own), operation="sync", error="other", message=own, whole=False))
    assert isinstance(kept, Failure)
    assert kept.message == own


_words = st.one_of(
    st.text(max_size=20),
    st.sampled_from([THEIRS, THEIRS.replace("-", "_"), THEIRS.replace("-", ""), f"/pods/{THEIRS}/volumes/x", f"pod{THEIRS}", MINE, ""]),
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
    st.builds(PathUses, about=st.just(POD), src=_src, items=st.lists(st.builds(Use, _procs, st.just("fd"), _text), max_size=3).map(tuple)),
    st.builds(PodMounts, about=st.just(POD), src=_src, items=st.lists(_mounts, max_size=3).map(tuple)),
    st.builds(Failure, about=st.sampled_from([POD, NODE]), src=_src, operation=st.just("sync"), error=st.just("other"), message=_text),
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
    told = list(for_tenant(facts, POD))
    text = json.dumps([to_json(f) for f in told])
    for form in (THEIRS, THEIRS.replace("-", "_"), THEIRS.replace("-", "")):
        assert form not in text
    assert list(for_tenant(told, POD)) == told
