"""Pasted output of docker, ctr, systemd and uname, and conclusions from two listings about one object."""

from __future__ import annotations

import pytest

from tests.text.support import NOW
from unstuck.collect.text import read_text
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.host import Host, MountHolders, UnitFile
from unstuck.facts.aspects.objects import Events, Server
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.aspects.runtime import RuntimeContainers
from unstuck.facts.core import Fact, Ref
from unstuck.facts.snapshot import Snapshot

UID = "813f9a12-33cf-4fe4-a721-48266071a424"
ID = "5c1e" * 16
LAYER = "0d7b" * 16
PS = f'$ docker ps\nCONTAINER ID   IMAGE   COMMAND   CREATED   STATUS   PORTS   NAMES\n{ID[:12]}   img   "sh"   10 days ago   {{}}   k8s_c_web-0_shop_{UID}_0\n'
CTR = f"$ docker-container-ctr --namespace moby task ls\nTASK    PID    STATUS\n{ID}    30639    {{}}\n"


def facts(text: str) -> list[Fact]:
    return read_text(text, "p.txt", NOW).facts


@pytest.mark.parametrize(
    ("docker", "task", "states"),
    [
        ("Up 10 days", "STOPPED", ["running", "exited"]),
        ("Exited (137) 2 days ago", "RUNNING", ["exited", "running"]),
    ],
)
def test_two_daemons_words_about_one_container_are_put_together(
    docker: str, task: str, states: list[str]
) -> None:
    (told,) = [f for f in facts(PS.format(docker) + CTR.format(task)) if isinstance(f, RuntimeContainers)]
    assert (told.about, told.whole, told.items[0].id) == (Ref("Pod", "shop", "web-0", UID), False, ID)
    assert [w.state for w in told.items[0].words] == states and [w.daemon for w in told.items[0].words] == [
        "dockerd",
        "containerd",
    ]


def test_one_daemons_word_alone_says_nothing() -> None:
    assert not [f for f in facts(PS.format("Up 10 days")) if isinstance(f, RuntimeContainers)]
    assert not [f for f in facts(CTR.format("STOPPED")) if isinstance(f, RuntimeContainers)]


def test_a_layer_below_another_data_root_is_the_same_mount() -> None:
    text = (
        f'May 09 09:55:12 n-1 dockerd[15]: time="2026-05-09T09:55:12.7+08:00" level=error msg="Error removing mounted layer {ID}: remove '
        f'/data/docker/overlay2/{LAYER}/merged: device or resource busy"\n'
        f"$ grep {LAYER} /proc/*/mountinfo\n/proc/812/mountinfo:4500 4415 0:898 / /var/lib/docker/overlay2/{LAYER}/merged rw - overlay overlay rw\n"
    )
    snap = Snapshot(facts(text), NOW)
    (held,) = snap.of(MountHolders, Ref("Mount", "n-1", f"/data/docker/overlay2/{LAYER}/merged"))
    assert [h.proc.pid for h in held.items] == [812]
    other = Snapshot(
        facts(text.replace(f"docker/overlay2/{LAYER}/merged rw", f"docker/overlay2/{'1a2b' * 16}/merged rw")),
        NOW,
    )
    assert not other.of(MountHolders, Ref("Mount", "n-1", f"/data/docker/overlay2/{LAYER}/merged"))


def test_a_log_that_names_a_pods_container_tells_on_which_machine_it_is() -> None:
    log = f'Nov 20 23:57:47 n-1 dockerd[15]: level=error msg="Handler for DELETE /v1.31/containers/{ID} returned error: x: device or resource busy"\n'
    placed = [f for f in facts(log + PS.format("Dead")) if isinstance(f, Placement)]
    assert {(f.about.name, f.node) for f in placed} == {("web-0", Ref("Node", None, "n-1"))}
    pods = "$ kubectl get pods -o wide -n shop\nNAME    READY   STATUS        RESTARTS   AGE   IP       NODE\nweb-0   0/1     Terminating   0          55d   <none>   10.0.0.4\n"
    snap = Snapshot(facts(pods + log + PS.format("Dead")), NOW)
    assert snap.canon(Ref("Node", None, "n-1")) == snap.canon(Ref("Node", None, "10.0.0.4"))


def test_a_unit_shown_by_cat_is_read_and_is_not_whole_without_its_drop_ins() -> None:
    body = "[Unit]\nDescription=x\n\n[Service]\nType=forking\nExecStart=/usr/sbin/ntpd --key s3cret\nPrivateTmp=true\n"
    for command, whole in (
        ("cat /usr/lib/systemd/system/ntpd.service", False),
        ("systemctl cat ntpd.service", True),
    ):
        (unit,) = [f for f in facts(f"# {command}\n{body}") if isinstance(f, UnitFile)]
        assert (unit.about, unit.whole, dict(unit.settings)) == (
            Ref("Unit", None, "ntpd.service"),
            whole,
            {"PrivateTmp": "true", "Type": "forking"},
        )
    assert not [f for f in facts(body) if isinstance(f, UnitFile)], "which unit it is, nobody says"


def test_versions() -> None:
    old = 'Client Version: version.Info{Major:"1", GitVersion:"v1.12.0"}\nServer Version: version.Info{Major:"1", GitVersion:"v1.10.3"}\n'
    new = "Client Version: v1.34.1\nKustomize Version: v5.7.1\nServer Version: v1.34.4\n"
    assert [
        f.version for t in (old, new) for f in facts("$ kubectl version\n" + t) if isinstance(f, Server)
    ] == ["v1.10.3", "v1.34.4"]
    (host,) = [
        f
        for f in facts(
            "$ uname -a\nLinux n-1 3.10.0-327.el7.x86_64 #1 SMP Thu Nov 19 22:10:57 UTC 2015 x86_64 GNU/Linux\n"
        )
        if isinstance(f, Host)
    ]
    assert (host.about, host.kernel, host.whole) == (Ref("Node", None, "n-1"), "3.10.0-327.el7.x86_64", False)
    (unnamed,) = [
        f
        for f in facts("$ uname -a\nLinux localhost.localdomain 3.10.0-862.9.1.el7.x86_64 #1 SMP x\n")
        if isinstance(f, Host)
    ]
    assert unnamed.about.name is None, "every machine calls itself that"


def test_events_cut_out_below_a_describe_are_about_what_it_describes() -> None:
    rows = "Events:\n  Type    Reason   Age                  From           Message\n  Normal  Killing  39s (x735 over 15h)  kubelet, n-1   Killing container with id docker://c:Need to kill Pod\n"
    for command in ("kubectl describe pod web-0 -n shop", "kubectl -n shop describe pod/web-0"):
        got = facts(f"$ {command}\n{rows}")
        assert {f.about for f in got if isinstance(f, Events)} == {Ref("Pod", "shop", "web-0")}
        assert [f.node for f in got if isinstance(f, Placement)] == [Ref("Node", None, "n-1")]


def test_the_schedulers_sentence_alone() -> None:
    (told,) = [
        f
        for f in facts(
            "0/5 nodes are available: 3 node(s) had taints that the pod didn't tolerate, 2 Insufficient memory.\n"
        )
        if isinstance(f, Unschedulable)
    ]
    assert told.nodes == 5 and ("Insufficient memory", 2) in told.reasons and not told.whole


def test_before_its_keys_told_the_kind_its_controllers_events_do() -> None:
    described = """Name:\t\tweb-1
Namespace:\tshop
Image(s):\tnginx
Selector:\trun=web
Replicas:\t0 current / 2 desired
Pods Status:\t0 Running / 0 Waiting / 0 Succeeded / 0 Failed
No volumes.
Events:
  FirstSeen\tLastSeen\tCount\tFrom\t\t\t\tSubObjectPath\tType\t\tReason\t\tMessage
  ---------\t--------\t-----\t----\t\t\t\t-------------\t--------\t------\t\t-------
  1m\t\t21s\t\t26\t{replicaset-controller }\t\t\tWarning\t\tFailedCreate\tError creating: pods "web-1-" is forbidden: no
"""
    told = {f.about for f in facts(described) if isinstance(f, Events)}
    assert told == {Ref("ReplicaSet", "shop", "web-1")}
    unknown = {
        f.about.kind
        for f in facts(described.replace("replicaset-controller", "somebody"))
        if isinstance(f, Events)
    }
    assert "ReplicaSet" not in unknown
