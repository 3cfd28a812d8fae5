"""Tables, events, logs and the output of a node's tools."""

from __future__ import annotations

import pytest

from tests.text.support import NOW, UID, YAML, pick, read, read_facts, snap
from unstuck.collect.masking import mask
from unstuck.collect.text.cutting.split import blocks_of, parse_command, split_lines
from unstuck.facts.aspects.cluster import ApiService, Unschedulable
from unstuck.facts.aspects.host import FlaggedFile, FlaggedFiles, LogSeen, MountHolders
from unstuck.facts.aspects.objects import Conditions, Deletion, Events, Failure, Names, Phase, Presence
from unstuck.facts.aspects.pod import ContainerStatuses, LastLines, Placement
from unstuck.facts.aspects.reported import Reported
from unstuck.facts.core import Ref, Same
from unstuck.facts.derive.pods import is_looping
from unstuck.facts.snapshot import Snapshot
from unstuck.stages.node_state import judge_node

TEARDOWN = (
    "E1121 00:07:{second:02}.100000    4242 nestedpendingoperations.go:348] Operation for "
    '"{{volumeName:kubernetes.io/empty-dir/{uid}-d podName:{uid} nodeName:}}" failed. No retries permitted until x. Error: '
    'UnmountVolume.TearDown failed for volume "d" (UniqueName: "kubernetes.io/empty-dir/{uid}-d") pod "{uid}" (UID: "{uid}") : '
    "unlinkat /var/lib/kubelet/pods/{uid}/volumes/kubernetes.io~empty-dir/d/x: operation not permitted"
)


@pytest.mark.parametrize(
    ("line", "command", "host"),
    [
        ("$ kubectl get pods", "kubectl get pods", None),
        ("lab-1$ tail -3 kubelet.log", "tail -3 kubelet.log", "lab-1"),
        ("[root@node-9 ~]# lsattr -R /x", "lsattr -R /x", "node-9"),
        ("root@node-9:/var/lib# ps -ef", "ps -ef", "node-9"),
        ("user@host ~ % kubectl get ns", "kubectl get ns", "host"),
        ("# docker ps -a", "docker ps -a", None),
        ("❯ k -n qa get pod", "k -n qa get pod", None),
        ("+ kubectl get pods", "kubectl get pods", None),
        ("kubectl get pods -n f", "kubectl get pods -n f", None),
        ("~$ kubectl get pods -n f", "kubectl get pods -n f", None),
        ("~/charts/web$ helm status web -n f", "helm status web -n f", None),
        ("$> kubectl get pods -n f", "kubectl get pods -n f", None),
        ("λ kubectl get pods -n f", "kubectl get pods -n f", None),
        ("(⎈|dev:f)➜ kubectl get pods", "kubectl get pods", None),
        ("PS /home/me> kubectl get pods -n f", "kubectl get pods -n f", None),
        (
            "Every 2.0s: kubectl get pods -n f        node-1: Sat Nov 21 03:00:00 2026",
            "kubectl get pods -n f",
            None,
        ),
        ("cat /proc/cgroups", "cat /proc/cgroups", None),
        ("sudo systemctl status kubelet.service", "sudo systemctl status kubelet.service", None),
        ("docker logs 2c1d", "docker logs 2c1d", None),
        ("cat pictures of the node", None, None),
        ("docker info: cannot connect", None, None),
        ("~$ x = y", None, None),
        ("./run.sh $ x", None, None),
        ("Look at it first -> kubectl get pods -n f", None, None),
        ("'> kubectl get pods -n f'", None, None),
        ("# a comment", None, None),
        ("#cloud-config", None, None),
        ("price: 3$ each", None, None),
        ("kubectl is a tool", None, None),
        ("    # ps of the node", None, None),
    ],
)
def test_prompts(line: str, command: str | None, host: str | None) -> None:
    found = parse_command(line)
    assert (found.text if found else None, found.host if found else None) == (command, host)


@pytest.mark.parametrize(
    "typed",
    [
        "kubectl get pods -n f",
        "watch -n 1 kubectl get pods -n f",
        "time kubectl get pods -n f",
        "kubectl get pods --namespace f -w",
    ],
)
def test_the_namespace_is_the_commands_own(typed: str) -> None:
    found = parse_command(f"$ {typed}")
    assert found is not None
    assert (found.program, found.namespace, found.arguments) == ("kubectl", "f", ("get", "pods"))


@pytest.mark.parametrize("prompt", ["$ ", "~$ ", "λ ", "$> "])
def test_a_part_of_a_description_is_of_the_pod_that_the_command_names(prompt: str) -> None:
    part = "...\n    Last State:     Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n"
    seen = snap(f"{prompt}kubectl describe pod -n f web-0\n{part}")
    assert [f.about for f in seen.every(ContainerStatuses)] == [Ref("Pod", "f", "web-0")]
    for unnamed in (
        "kubectl describe pod -n f -l app=web",
        "kubectl describe node lab-1",
        "kubectl get pods -n f",
    ):
        assert [f.about.name for f in snap(f"{prompt}{unnamed}\n{part}").every(ContainerStatuses)] == [None]


def test_line_numbers_stay_those_of_the_text() -> None:
    text = "one\r\n\x1b[31mtwo\x1b[0m\u2028still two\r\n$ kubectl get pods\nthree\x00\n"
    assert split_lines(text)[1:4] == [
        "two still two".replace(" ", "\u2028", 1),
        "$ kubectl get pods",
        "three",
    ]
    assert [(b.start, b.lines) for b in blocks_of(split_lines(text))][-1] == (4, ("three", ""))


def test_pod_rows_are_summaries() -> None:
    seen = snap(
        """\
        $ kubectl get pods -n f -o wide
        NAME    READY   STATUS             RESTARTS        AGE    IP           NODE     NOMINATED NODE   READINESS GATES
        a-0     0/1     Terminating        0               12m    10.1.0.7     lab-1    <none>           <none>
        b-0     0/1     CrashLoopBackOff   5 (2m10s ago)   2d3h   10.1.0.8     lab-2    <none>           <none>
        c-0     0/2     Init:ErrImagePull  0               1m     <none>       <none>   <none>           <none>
        d-0     1/1     Running            0               1m     10.1.0.9     lab-1    <none>           <none>
        """
    )
    assert {f.about.name for f in seen.every(Deletion)} == {"a-0"}
    assert (seen.one(Placement, Ref("Pod", "f", "a-0")) or pytest.fail()).node == Ref("Node", None, "lab-1")
    assert seen.of(Placement, Ref("Pod", "f", "c-0")) == ()
    told = {f.about.name: f.items[0] for f in seen.every(ContainerStatuses)}
    assert (told["b-0"].reason, told["b-0"].restarts, told["b-0"].kind) == ("CrashLoopBackOff", 5, "main")
    assert (told["c-0"].reason, told["c-0"].kind) == ("ErrImagePull", "init")
    assert [f.phase for f in seen.every(Phase)] == ["Running"]
    assert not any(f.whole for f in seen.facts)


@pytest.mark.parametrize(
    "text",
    [
        "NAME READY STATUS RESTARTS AGE IP NODE NOMINATED NODE\nweb-4hv6z 0/1 Terminating 0 55d <none> 10.20.45.6 <none>\n",
        "web-4hv6z   0/1   Terminating   0   55d\n",
        "NAMESPACE   NAME        READY   STATUS        RESTARTS   AGE\nf           web-4hv6z   0/1     Terminating   0          55d\n",
        "NAME            READY   STATUS        RESTARTS   AGE\npod/web-4hv6z   0/1     Terminating   0          55d\n",
    ],
)
def test_rows_with_lost_columns_or_without_a_header(text: str) -> None:
    (told,) = pick(read_facts(text), Deletion)
    assert told.about.name == "web-4hv6z"
    assert told.requested


def test_node_and_apiservice_rows() -> None:
    seen = snap(
        """\
        $ kubectl get nodes
        NAME    STATUS                     ROLES    AGE    VERSION
        n-1     Ready                      <none>   182d   v1.34.4
        n-2     NotReady,SchedulingDisabled   <none>   182d   v1.34.4
        $ kubectl get apiservices
        NAME                     SERVICE        AVAILABLE                      AGE
        v1.apps                  Local          True                           2d
        v1beta1.metrics.dead.io  default/gone   False (ServiceNotFound)        2d
        """
    )
    assert [f.about.name for f in seen.every(Failure)] == ["n-2"]
    assert [f.about.name for f in seen.every(Conditions)] == ["n-1"]
    dead = seen.one(ApiService, Ref("APIService", None, "v1beta1.metrics.dead.io")) or pytest.fail()
    assert (dead.available, dead.reason, dead.service) == (
        False,
        "ServiceNotFound",
        Ref("Service", "default", "gone"),
    )
    assert (seen.one(Names, Ref("NodeList")) or pytest.fail()).names == ("n-1", "n-2")
    assert all(not f.whole for f in seen.every(Presence))


def test_a_table_of_several_kinds() -> None:
    seen = snap(
        """\
        $ kubectl get cm,deploy -A
        NAMESPACE   NAME                   DATA   AGE
        cb          configmap/app-config   1      17m

        NAMESPACE   NAME                  READY   UP-TO-DATE   AVAILABLE   AGE
        k-try       deployment.apps/web   0/2     2            0           15m
        """
    )
    assert (seen.one(Names, Ref("ConfigMapList", "cb")) or pytest.fail()).names == ("app-config",)
    assert (seen.one(Presence, Ref("Deployment", "k-try", "web")) or pytest.fail()).exists


EVENT_FORMS = [
    """\
    $ kubectl get events -n f
    LAST SEEN   TYPE      REASON        OBJECT     MESSAGE
    10s         Warning   FailedMount   pod/web-0  MountVolume.SetUp failed for volume "v" : configmap "app" not found
    """,
    """\
    $ kubectl get events -A
    NAMESPACE   LAST SEEN          TYPE      REASON        OBJECT     MESSAGE
    f           10s (x6 over 40s)  Warning   FailedMount   pod/web-0  MountVolume.SetUp failed for volume "v" : configmap "app" not found
    """,
    """\
    $ kubectl get events -n f -o wide
    LAST SEEN   TYPE      REASON        OBJECT      SUBOBJECT   SOURCE          MESSAGE                                                                FIRST SEEN   COUNT   NAME
    10s         Warning   FailedMount   pod/web-0               kubelet, lab-1  MountVolume.SetUp failed for volume "v" : configmap "app" not found   40s          6       web-0.15f
    """,
    """\
    $ kubectl get events -n f
    LASTSEEN   FIRSTSEEN   COUNT     NAME           KIND   SUBOBJECT   TYPE      REASON        SOURCE           MESSAGE
    10s        40s         6         web-0.15f2c1   Pod                Warning   FailedMount   kubelet, lab-1   MountVolume.SetUp failed for volume "v" : configmap "app" not found
    """,
]


@pytest.mark.parametrize("text", EVENT_FORMS)
def test_every_form_of_an_event_row(text: str) -> None:
    told = read_facts(text)
    (failure,) = pick(told, Failure)
    assert failure.about == Ref("Pod", "f", "web-0")
    assert (failure.operation, failure.error, failure.object) == (
        "volume-set-up",
        "not-found",
        Ref("ConfigMap", "f", "app"),
    )
    assert failure.src.at is not None and (NOW - failure.src.at).total_seconds() == 10
    (events,) = pick(told, Events)
    assert events.items[0].reason == "FailedMount" and events.items[0].count in (1, 6)
    assert not events.whole


def test_old_describe_rows_and_messages_of_several_lines() -> None:
    told = read_facts(
        """\
        Events:
          FirstSeen  LastSeen  Count  From               SubObjectPath           Type     Reason      Message
          ---------  --------  -----  ----               -------------           -------- ------      -------
          1h         3m        408    {kubelet node-1}                           Warning  FailedSync  error determining status: rpc error: code = 4 desc = context deadline exceeded
          5m         1m        3      kubelet, node-1    spec.containers{c}      Warning  Unhealthy   Liveness probe failed: HTTP probe failed with statuscode: 500
          1m         1m        1      kubelet, node-1                            Warning  FailedMount MountVolume.SetUp failed for volume "v" : mount failed: exit status 32
        Mounting command: mount
        Output: mount.nfs: Connection timed out
        """
    )
    by = {f.operation: f for f in pick(told, Failure)}
    assert (by["status-read"].error, by["status-read"].count) == ("deadline-exceeded", 408)
    assert (by["probe-liveness"].key, by["probe-liveness"].container) == ("500", "c")
    assert by["volume-set-up"].error == "timeout"


def test_the_schedulers_event() -> None:
    (told,) = pick(
        read_facts(
            "  Warning  FailedScheduling  4m19s  default-scheduler  0/3 nodes are available: 3 Insufficient cpu. preemption: 0/3 nodes are available: x.\n"
        ),
        Unschedulable,
    )
    assert (told.nodes, told.reasons, told.whole) == (3, (("Insufficient cpu", 3),), False)


def test_a_log_is_folded_and_tells_what_was_seen_of_it() -> None:
    lines = "\n".join(TEARDOWN.format(second=s, uid=UID) for s in (16, 18, 22))
    text = f'lab-1$ journalctl -u kubelet\n{lines}\nI1121 00:08:00.000000    4242 kubelet.go:2430] "SyncLoop DELETE" source="api" pods=["f/p"]\n'
    told = read_facts(text)
    (failure,) = pick(told, Failure)
    assert (failure.about, failure.error, failure.count) == (Ref("Pod", uid=UID), "EPERM", 3)
    assert failure.path == f"/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir/d/x"
    assert failure.first is not None and failure.first.second == 16
    assert failure.src.at is not None and failure.src.at.second == 22
    assert failure.src.where == "paste.txt:4"
    (log,) = pick(told, LogSeen)
    assert (log.about, log.verbosity, log.matched, log.whole) == (Ref("Node", None, "lab-1"), 2, 3, False)


def test_tries_that_differ_only_by_their_container_are_one_failure() -> None:
    line = (
        'E1121 00:07:{0:02}.100000 42 pod_workers.go:1324] "Error syncing pod, skipping" err="failed to \\"CreatePodSandbox\\" for \\"p_f('
        + UID
        + ')\\" '
        'with CreatePodSandboxError: \\"mkdir /sys/fs/cgroup/memory/kubepods/pod'
        + UID
        + '/{0:064x}: cannot allocate memory\\"" pod="f/p" podUID="'
        + UID
        + '"'
    )
    (failure,) = pick(read_facts("\n".join(line.format(n) for n in range(5))), Failure)
    assert (failure.about, failure.operation, failure.error, failure.count) == (
        Ref("Pod", "f", "p", UID),
        "sandbox-create",
        "ENOMEM",
        5,
    )


def test_an_event_that_the_kubelet_logs_is_about_its_pod() -> None:
    (failure,) = pick(
        read_facts(
            'I1121 00:07:10.627286     691 event.go:389] "Event occurred" object="cb/p" fieldPath="" kind="Pod" apiVersion="v1" type="Warning" '
            'reason="FailedMount" message="MountVolume.SetUp failed for volume \\"v\\" : configmap \\"app-conf\\" not found"\n'
        ),
        Failure,
    )
    assert (failure.about, failure.object) == (Ref("Pod", "cb", "p"), Ref("ConfigMap", "cb", "app-conf"))


def test_target_is_busy_three_lines_below_its_header() -> None:
    text = (
        f'E1121 00:07:16.100000    4242 nestedpendingoperations.go:348] Error: UnmountVolume.TearDown failed for volume "m" pod "{UID}" (UID: "{UID}") : '
        f"unmount failed: exit status 32\nUnmounting arguments: /var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir/m\n"
        f"Output: umount: /var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir/m: target is busy.\n"
    )
    (failure,) = pick(read_facts(text), Failure)
    assert (failure.about.uid, failure.error) == (UID, "EBUSY")
    assert failure.path and failure.path.endswith("empty-dir/m")


def test_a_record_that_names_no_pod_is_about_its_node() -> None:
    (failure,) = pick(
        read_facts(
            'May 09 09:55:12 node-7 dockerd[65]: time="2026-05-09T09:55:12.774467604+08:00" level=error msg="Error removing mounted layer 0a1b: '
            'remove /var/lib/docker/overlay2/8bde/merged: device or resource busy"\n'
        ),
        Failure,
    )
    assert (failure.about, failure.operation, failure.error) == (
        Ref("Node", None, "node-7"),
        "rootfs-remove",
        "EBUSY",
    )
    assert failure.reporter == "dockerd"


CLIENT = (
    'E1121 00:07:05.3006{micros}      {pid} log.go:32] "RunPodSandbox from runtime service failed" err="rpc error: code = Unknown desc = '
    'failed to create containerd task: OCI runtime create failed: {why}: unknown"'
)
CALLER = (
    'E1121 00:07:{second}.300763      96 kuberuntime_sandbox.go:71] "Failed to create sandbox for pod" err="rpc error: code = Unknown desc = '
    'failed to create containerd task: OCI runtime create failed: flag provided but not defined: -no-subreaper: unknown" pod="f/web"'
)
FLAG = "flag provided but not defined: -no-subreaper"


def test_what_the_kubelets_client_says_of_a_call_is_its_callers_pods() -> None:
    log = "\n".join((CLIENT.format(micros=92, pid=96, why=FLAG), CALLER.format(second="05")))
    (failure,) = pick(read_facts(f"[root@node-7 ~]# tail kubelet.log\n{log}\n"), Failure)
    assert (failure.about, failure.error, failure.count) == (Ref("Pod", "f", "web"), "version-mismatch", 1)


@pytest.mark.parametrize(
    "log",
    [
        # Not repeated, not later, not about another error; another process; a message of the runtime, from
        # any caller.
        (CLIENT.format(micros=92, pid=96, why=FLAG),),
        (CLIENT.format(micros=92, pid=96, why=FLAG), CALLER.format(second="09")),
        (CLIENT.format(micros=92, pid=96, why="no such file or directory"), CALLER.format(second="05")),
        (CLIENT.format(micros=92, pid=97, why=FLAG), CALLER.format(second="05")),
    ],
)
def test_what_nobody_said_again_of_a_pod_is_the_nodes(log: tuple[str, ...]) -> None:
    told = pick(read_facts("[root@node-7 ~]# tail kubelet.log\n" + "\n".join(log) + "\n"), Failure)
    assert sum(f.count for f in told if f.about == Ref("Node", None, "node-7")) == 1


def test_that_the_runtime_did_not_answer_is_the_nodes_whoever_called() -> None:
    refused = 'err="rpc error: code = Unavailable desc = connection error: dial unix /run/containerd/containerd.sock: connect: connection refused"'
    log = (
        f'E1121 00:07:05.300692      96 log.go:32] "RunPodSandbox from runtime service failed" {refused}\n'
        f'E1121 00:07:05.300763      96 kuberuntime_sandbox.go:71] "Failed to create sandbox for pod" {refused} pod="f/web"\n'
    )
    told = pick(read_facts(f"[root@node-7 ~]# tail kubelet.log\n{log}"), Failure)
    assert {(f.about, f.error) for f in told} >= {
        (Ref("Node", None, "node-7"), "runtime-gone"),
        (Ref("Pod", "f", "web"), "runtime-gone"),
    }


def test_lsattr() -> None:
    text = f"""\
    [root@lab-1 ~]# lsattr -R /var/lib/kubelet/pods/{UID}/volumes
    --------------e------- /var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir

    /var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir:
    ----i---------e------- /var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir/d/a file
    lsattr: Operation not supported While reading flags on /x/socket
    -----a--------e------- /var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/9/fs/log
    """
    told = {f.about: f for f in pick(read_facts(text), FlaggedFiles)}
    pod, node = told[Ref("Pod", uid=UID)], told[Ref("Node", None, "lab-1")]
    assert pod.files == (
        FlaggedFile(
            f"/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir/d/a file", "----i---------e-------"
        ),
    )
    assert node.files[0].append_only
    assert not pod.whole and not node.whole


def test_grep_of_mountinfo() -> None:
    text = (
        "# grep 98a56 /proc/*/mountinfo\n"
        "/proc/2725/mountinfo:296 183 0:183 / /var/lib/docker/overlay/98a56/merged rw,relatime shared:88 - overlay overlay rw,lowerdir=/x\n"
        "/proc/2725/mountinfo:297 184 0:183 / /var/lib/docker/overlay/77/merged/var/lib/docker/overlay/98a56/merged rw - overlay overlay rw\n"
        "/proc/31/mountinfo:12:300 1 0:183 / /var/lib/docker/overlay/98a56/merged rw,relatime - overlay overlay rw\n"
    )
    (told,) = pick(read_facts(text), MountHolders)
    assert told.about == Ref("Mount", None, "/var/lib/docker/overlay/98a56/merged")
    assert [(h.proc.pid, len(h.mountpoint) > 40) for h in told.items] == [
        (2725, False),
        (2725, True),
        (31, False),
    ]


def test_a_strangers_log_is_not_read_for_the_clusters_failures() -> None:
    result = read('$ kubectl logs operator -n f\ntime=x level=info\nError: configmap "x" not found\n')
    assert pick(result.facts, Failure) == []
    assert result.not_understood == []


def test_what_nobody_named_is_joined_only_where_one_pod_fits() -> None:
    event = '  Warning  FailedMount  10s  kubelet  MountVolume.SetUp failed for volume "v" : configmap "app" not found\n'
    row = "web-0   0/1   ContainerCreating   0   5m\n"
    told = read_facts(row + event)
    (same,) = pick(told, Same)
    assert (same.other, same.assumed) == (Ref("Pod", None, "web-0"), True)
    assert pick(read_facts(row + "web-1   0/1   ContainerCreating   0   5m\n" + event), Same) == []
    assert pick(read_facts(event), Same) == []


def test_a_uid_is_never_joined_to_another_uid() -> None:
    other = UID[:-1] + "9"
    text = TEARDOWN.format(second=1, uid=UID) + "\n" + TEARDOWN.format(second=2, uid=other)
    seen = Snapshot(read_facts(text), NOW)
    assert seen.canon(Ref("Pod", uid=UID)) != seen.canon(Ref("Pod", uid=other))


def test_a_log_by_uid_and_a_table_by_name_are_one_pod_by_assumption() -> None:
    seen = snap(
        f"$ kubectl get pods -n f\nNAME  READY  STATUS       RESTARTS  AGE\np     0/1    Terminating  0         5m\n{TEARDOWN.format(second=1, uid=UID)}\n"
    )
    (failure,) = seen.every(Failure)
    assert seen.canon(failure.about) == seen.canon(Ref("Pod", "f", "p"))
    assert not seen.sure(failure)


def test_a_container_named_by_its_id_is_its_pods_where_the_text_tells_whose_it_is() -> None:
    log = (
        'Jan 30 14:57:47 n-4 dockerd[15]: time="2026-01-30T14:57:47.7+08:00" level=error msg="Handler for DELETE /v1.31/containers/bd717a97acacb153 returned '
        'error: driver \\"overlay\\" failed to remove root filesystem for bd717a97acacb153: remove /var/lib/docker/overlay/98a5/merged: device or resource busy"\n'
    )
    ps = f'# docker ps -a\nCONTAINER ID IMAGE COMMAND CREATED STATUS PORTS NAMES\nbd717a97acac img "/bin/sh" 7 weeks ago Removal In Progress k8s_c_web-0_default_{UID}_0\n'
    (failure,) = pick(read_facts(log + ps), Failure)
    assert (failure.about, failure.error) == (Ref("Pod", "default", "web-0", UID), "EBUSY")
    (alone,) = pick(read_facts(log), Failure)
    assert alone.about == Ref("Node", None, "n-4")


def test_a_containers_log_is_kept_short_and_masked() -> None:
    lines = "\n".join(f"line {n}" for n in range(40))
    (told,) = pick(
        read_facts(f"$ kubectl logs --previous web-0 -n f -c c\n{lines}\nFATAL: password=hunter2 refused\n"),
        LastLines,
    )
    assert (told.about, told.previous, told.whole) == (Ref("Container", "f/web-0", "c"), True, False)
    assert (len(told.lines), told.lines[-1]) == (20, "FATAL: password=*** refused")
    assert pick(read_facts(f"$ kubectl logs deploy/web -n f\n{lines}\n"), LastLines) == []


def test_a_log_without_a_container_is_that_of_the_only_one() -> None:
    pod = f"$ kubectl get pod p -n f -o yaml\n{YAML}"
    (told,) = pick(read_facts(pod + "$ kubectl logs p -n f\nboom\n"), LastLines)
    assert told.about == Ref("Container", "f/p", "c")


@pytest.mark.parametrize(
    "line",
    [
        "--password hunter2",
        "run --db-password hunter2 --user x",
        "-token hunter2",
        "the password is hunter2",
        "Password hunter2 refused",
        'passphrase "hunter2"',
        "api key hunter2",
        "Access Key hunter2",
        "token hunter2hunter2",
        "secret hunter2hunter2/+=",
        "AIzahunter2hunter2hunter2hunter2hunter2",
        "LTAIhunter2hunter2",
        "sk_live_hunter2hunter2",
        "github_pat_hunter2hunter2hunter2",
        "glpat-hunter2hunter2hunter2",
    ],
)
def test_a_secret_after_a_space_or_known_by_its_beginning_is_masked(line: str) -> None:
    assert "hunter2" not in mask(line) and "***" in mask(line)


@pytest.mark.parametrize(
    "line",
    [
        'secret "web-tls-2" not found',
        "couldn't find key v1 in Secret shop/web-tls-2",
        "token expired 5 minutes ago",
        "failed to fetch token kube-api-access-x7k2p",
        "secret default-token-x7k2p-0123456789 not registered",
        "password authentication failed for user",
        "failed to sync secret cache: timed out",
        f"token of {UID}",
        "SG.container.sh: not found",
        "--tls-private-key-file /etc/kubernetes/x.key",
    ],
)
def test_what_only_speaks_of_secrets_stays(line: str) -> None:
    assert mask(line) == line


@pytest.mark.parametrize(
    "sign",
    [
        "auth",
        "secret",
        "token=",
        "a.",
        "://a:",
        "eyJ-",
        "bearer ",
        '"pwd":"',
        "  ",
        "--",
        "-token",
        "password ",
        "token a",
        "api key is ",
        "sk-",
        "SG.a",
    ],
)
def test_masking_ends_on_every_line(sign: str) -> None:
    mask(sign * (65536 // len(sign)))


def test_a_command_below_an_error_is_no_end_of_its_last_word() -> None:
    error = "Failed to start ContainerManager failed to initialize top level QOS containers: Failed to find subsystem mount for required subsystem: pids"
    assert [f.key for f in snap(f"{error}\ncat /proc/cgroups\n").every(Failure)] == ["pids"]


@pytest.mark.parametrize(
    ("restarts", "age", "again"),
    [
        ("45 (12s ago)", "3h", True),
        ("45 (12s ago)", "90d", False),
        ("45 (2h ago)", "3h", False),
        ("1 (12s ago)", "3m", False),
    ],
)
def test_a_ready_pod_that_was_restarted_a_moment_ago_once_more_is_not_well(
    restarts: str, age: str, again: bool
) -> None:
    text = f"NAME    READY   STATUS    RESTARTS       AGE\nweb-0   1/1     Running   {restarts}   {age}\n"
    seen = snap(text)
    assert [is_looping(s, seen.now) for f in seen.every(ContainerStatuses) for s in f.items] == [True] * again


@pytest.mark.parametrize(
    ("shown", "phase", "reason"),
    [
        ("OutOfcpu", "Failed", "OutOfcpu"),
        ("NodeShutdown", "Failed", "NodeShutdown"),
        ("NodeLost", "Unknown", "NodeLost"),
        ("Evict…", "Failed", "Evicted"),
        ("Unexpec...", "Failed", "UnexpectedAdmissionError"),
    ],
)
def test_the_status_of_a_row_is_the_pods_own_reason_also_where_a_screen_cut_it(
    shown: str, phase: str, reason: str
) -> None:
    seen = snap(f"NAME    READY   STATUS   RESTARTS   AGE\nweb-0   0/1     {shown}   0          3d\n")
    assert [(f.phase, f.reason) for f in seen.every(Phase)] == [(phase, reason)]


def test_a_status_that_a_screen_cut_where_two_words_begin_so_is_neither() -> None:
    seen = snap("NAME    READY   STATUS    RESTARTS   AGE\nweb-0   0/1     Create…   0          3d\n")
    assert not seen.every(ContainerStatuses) and not seen.every(Phase)


def test_a_node_whose_row_says_not_ready_is_not_ready() -> None:
    report = snap("NAME   STATUS     ROLES    AGE   VERSION\nn1     NotReady   worker   3d    v1.30.1\n")
    state = judge_node(Ref("Node", None, "n1"), report)
    assert (state.name, state.word) == ("stuck", "NotReady")


def test_a_row_of_a_load_balancer_without_an_address() -> None:
    rows = (
        "NAME   TYPE           CLUSTER-IP     EXTERNAL-IP   PORT(S)        AGE\n"
        "web    LoadBalancer   10.96.10.20    <pending>     80:30080/TCP   2h\n"
        "api    ClusterIP      10.96.10.21    <none>        80/TCP         2h\n"
    )
    (told,) = pick(read_facts(rows), Reported)
    assert (told.about, told.words[0].field) == (Ref("Service", None, "web"), "status.loadBalancer.ingress")
