"""Formats beside kubectl's own: facts, subjects and places of each; mangled texts end without an
exception.
"""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import scale_examples
from tests.text.formats import ID, POD, SAMPLES, UID
from tests.text.support import NOW, pick
from tests.text.test_any_text import accounted
from unstuck.collect.text import ReadResult, read_text
from unstuck.facts.aspects.cluster import Workload
from unstuck.facts.aspects.cni import NetworkPlugins
from unstuck.facts.aspects.host import Host, PodMounts, UnitFile
from unstuck.facts.aspects.kernel import HungTasks, KernelEvents
from unstuck.facts.aspects.node_limits import InotifyUse
from unstuck.facts.aspects.objects import Conditions, Deletion, Failure, Finalizers, Labels, Phase, Presence
from unstuck.facts.aspects.oom import Kill, OomKills
from unstuck.facts.aspects.pasted import Pasted
from unstuck.facts.aspects.pod import LastLines, Placement
from unstuck.facts.aspects.space import DiskSpace
from unstuck.facts.aspects.storage import Attachment, CsiSource
from unstuck.facts.core import Fact, Ref

NODE, BY_UID = Ref("Node", None, "node-1"), Ref("Pod", uid=UID)


def of(name: str) -> list[Fact]:
    return read_text(SAMPLES[name], "paste.txt", NOW).facts


def reading(text: str) -> ReadResult:
    return read_text(text, "paste.txt", NOW)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_every_line_is_understood(name: str) -> None:
    result = reading(SAMPLES[name])
    assert result.not_understood == []
    accounted(SAMPLES[name], result)
    assert all(not f.whole for f in result.facts if f.about.kind == "Node" and name != "describe-node")


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_windows_line_ends_and_colours_change_nothing(name: str) -> None:
    text = SAMPLES[name]
    assert set(reading(text.replace("\n", "\r\n")).facts) == set(reading(text).facts)
    coloured = "\n".join(f"\x1b[01;31m\x1b[K{line}\x1b[m\x1b[K" for line in text.split("\n"))
    assert set(reading(coloured).facts) == set(reading(text).facts)


@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_words_around_change_nothing_but_the_line_numbers(name: str) -> None:
    around = (
        f"大家好，节点出问题了，下面是输出：\n\n{SAMPLES[name]}\n\n麻烦看一下，谢谢！ Thanks in advance.\n"
    )
    assert {type(f) for f in reading(around).facts} == {type(f) for f in reading(SAMPLES[name]).facts}


def test_several_commands_in_one_paste() -> None:
    names = ["dmesg", "df", "mount", "lsof", "unit-status", "docker-info", "crictl-ps", "uname-r"]
    together = reading("".join(SAMPLES[n] for n in names))
    assert together.not_understood == []
    assert {type(f) for f in together.facts} >= {type(f) for n in names for f in of(n)}


def test_the_kernels_words_are_read() -> None:
    (said,), (hung,), (killed,) = (pick(of("dmesg"), k) for k in (KernelEvents, HungTasks, OomKills))
    assert (said.about, said.items[0].kind, said.items[0].what) == (NODE, "server-silent", "10.36.3.2")
    assert (hung.items[0].comm, hung.items[0].functions) == ("java", ("rpc_wait_bit_killable [sunrpc]",))
    at = datetime(2026, 11, 21, 0, 3, tzinfo=UTC)
    assert (killed.about, killed.kills) == (BY_UID, (Kill(4712, "java", "memcg", at, ID),))
    assert said.src.where == "paste.txt:2"
    (seconds,) = pick(of("dmesg-seconds"), KernelEvents)
    assert {e.kind for e in seconds.items} == {"server-silent", "fs-read-only", "conntrack-full"}


def test_a_full_file_system_is_seen_and_one_that_is_full_by_nature_is_not() -> None:
    (told,) = pick(of("df"), DiskSpace)
    assert [(s.mountpoint, s.bytes_free) for s in told.items] == [("/", 0), ("/var/lib/docker", 2 << 30)]
    assert (told.about, told.src.where, told.items[0].bytes) == (NODE, "paste.txt:4", 50 << 30)
    assert "runtime" in told.items[1].holds
    (inodes,) = pick(of("df-i"), DiskSpace)
    assert [(s.mountpoint, s.inodes, s.inodes_free, s.bytes) for s in inodes.items] == [
        ("/", 6553600, 0, 0),
        ("/run", 505849, 505829, 0),
    ]
    (blocks,) = pick(of("df-blocks"), DiskSpace)
    assert [(s.fstype, s.bytes_free) for s in blocks.items] == [("ext4", 0), ("xfs", 99806400 * 1024)]


def test_part_of_a_list_does_not_say_what_lies_where() -> None:
    cut = SAMPLES["df"].replace("df -h", "df -h | grep root")
    assert [s.holds for f in pick(reading(cut).facts, DiskSpace) for s in f.items if s.mountpoint == "/"] == [
        ("root",)
    ]


def test_a_directory_that_df_was_asked_of_lies_on_what_it_shows() -> None:
    rows = "/dev/vda1 100 90 10 90% /\n/dev/vda1 100 90 10 90% /\n/dev/vdb1 100 100 0 100% /var/log\n"
    header = "Filesystem 1024-blocks Used Available Capacity Mounted on\n"
    places = "/ /var/lib/kubelet /var/log"

    def held(command: str, shown: str) -> list[tuple[str, tuple[str, ...]]]:
        found = pick(reading(f"[root@node-1 ~]# {command}\n{shown}").facts, DiskSpace)
        return list(dict.fromkeys((s.mountpoint, s.holds) for f in found for s in f.items))

    assert held(f"df -P {places}", header + rows) == [("/", ("kubelet", "root")), ("/var/log", ("logs",))]
    # One with missing calls, one with a possibly missing row, and one in another table.
    assert held(f"df -P {places}; df -P / /var/log", header + rows) == [
        ("/", ("root",)),
        ("/var/log", ("logs",)),
    ]
    assert held(f"df -P {places} | grep -v tmpfs", header + rows) == [
        ("/", ("root",)),
        ("/var/log", ("logs",)),
    ]
    tables = "".join(header + row for row in rows.splitlines(keepends=True)[1:])
    assert held("for d in /var/lib/kubelet /var/log; do df -P $d; done", tables) == [
        ("/", ("root",)),
        ("/var/log", ("logs",)),
    ]


def test_what_the_node_writes_to_is_read_only_by_its_mount() -> None:
    (told,) = pick(of("findmnt-of"), DiskSpace)
    assert [(s.mountpoint, s.fstype, s.read_only, s.holds) for s in told.items] == [
        ("/var/lib", "xfs", True, ("kubelet", "runtime"))
    ]
    assert (told.about, told.src.where) == (NODE, "paste.txt:4")


ALWAYS = "proc on /proc type proc (rw)\nsysfs on /sys type sysfs (rw)\n"


@pytest.mark.parametrize(
    ("command", "shown", "holds"),
    [
        ("mount", f"{ALWAYS}/dev/a on / type ext4 (ro)\n", 4),
        ("mount", f"{ALWAYS}/dev/a on / type ext4 (rw,emergency_ro)\n", 4),
        # The place of the rest is unknown.
        ("mount | grep ' (ro'", f"{ALWAYS}/dev/a on / type ext4 (ro)\n", 1),
        ("grep ' ro' /proc/mounts", "/dev/a / ext4 ro,relatime 0 0\n", 1),
        ("for d in /var/log /var/lib/kubelet; do df $d; findmnt -nT $d; done", "/ /dev/a ext4 ro\n", 1),
        # Covered by a later one.
        ("mount", f"{ALWAYS}/dev/a on / type ext4 (ro)\n/dev/b on / type ext4 (rw)\n", 0),
        # A container's.
        ("kubectl exec web-0 -- mount", "/dev/a on /var/log type ext4 (ro)\n", 0),
        (
            "mount",
            "overlay on / type overlay (ro)\nproc on /proc type proc (rw)\nsysfs on /sys type sysfs (ro)\n",
            0,
        ),
        # Nothing of the node's is there.
        ("mount", "/dev/a on /mnt type ext4 (ro)\n", 0),
    ],
)
def test_what_lies_on_a_read_only_file_system_is_told_as_far_as_the_list_goes(
    command: str, shown: str, holds: int
) -> None:
    found = pick(reading(f"[root@node-1 ~]# {command}\n{shown}").facts, DiskSpace)
    assert [len(s.holds) for f in found for s in f.items] == ([holds] if holds else [])


def test_inotify_is_counted_for_each_user() -> None:
    (told,) = pick(of("inotify"), InotifyUse)
    assert (told.about, told.src.where, told.max_instances, told.max_watches) == (
        NODE,
        "paste.txt:3",
        128,
        8192,
    )
    assert [(u.uid, u.instances, u.comms) for u in told.items] == [
        (1000, 128, ("tail", "tmux: server")),
        (0, 3, ("kubelet",)),
    ]
    # The same lines below any other command have a different meaning.
    assert pick(reading("[root@node-1 ~]# sort x | uniq -c\n128 1000 tail\n").facts, InotifyUse) == []


def test_a_networks_configuration_and_its_programs_as_of_their_own_time() -> None:
    (told,) = pick(of("cni-directories"), NetworkPlugins)
    written = datetime(2026, 11, 21, 0, 1, 11, tzinfo=UTC)
    first = ("/etc/cni/net.d/10-calico.conflist", ("calico", "calico-ipam", "portmap"), written)
    assert [(c.path, c.plugins, c.written) for c in told.configs][:1] == [first]
    assert [c.path.rpartition("/")[2] for c in told.configs] == ["10-calico.conflist", "99-bridge.conf"]
    assert (told.present, told.missing, told.whole) == (("calico", "calico-ipam", "loopback"), (), False)
    assert (told.about, told.src.where, told.src.at) == (
        NODE,
        "paste.txt:6",
        datetime(2026, 11, 21, 0, 9, 30, tzinfo=UTC),
    )
    # With two directories, the one used by the runtime is unknown.
    other = "/usr/lib/cni:\ntotal 4\n-rwxr-xr-x 1 root root 3529950 2026-11-20 08:00:00.000000000 +0800 loopback\n"
    both = SAMPLES["cni-directories"].replace(
        "/etc/cni/net.d/10-calico", f"\n{other}/etc/cni/net.d/10-calico", 1
    )
    assert [f.present for f in pick(reading(both).facts, NetworkPlugins)] == [("loopback",)]
    # Its age is unknown without the time of the look.
    undated = SAMPLES["cni-directories"].replace("2026-11-21T08:09:30+08:00\n", "")
    assert [c.written for f in pick(reading(undated).facts, NetworkPlugins) for c in f.configs] == [
        None,
        None,
    ]


@pytest.mark.parametrize("name", ["mount", "proc-mounts", "mountinfo-file", "findmnt"])
def test_mounts_are_the_pods(name: str) -> None:
    (told,) = pick(of(name), PodMounts)
    assert (told.about, told.whole) == (BY_UID, False)
    assert (f"{POD}/volumes/kubernetes.io~nfs/n", "nfs4") in {(e.mountpoint, e.fstype) for e in told.items}


def _before(where: str) -> str:
    name, _, line = where.partition(":")
    return f"{name}:{int(line) - 1}"


def test_a_containers_words_in_its_nodes_files_are_the_containers() -> None:
    found = of("pod-logs")
    told = [(f.about, f.lines, f.previous) for f in pick(found, LastLines)]
    refused = f'Error syncing pod "{UID}": unlinkat {POD}/volumes/kubernetes.io~empty-dir/d/x: operation not permitted'
    before = 'E1121 00:05:11.000000       1 run.go:74] "command failed" err="the run before"'
    runcs = 'standard_init_linux.go:190: exec user process caused "exec format error"'
    assert [(about, words[-1], previous) for about, words, previous in told] == [
        (Ref("Container", "shop/web-0", "c"), before, True),
        (Ref("Container", "shop/web-0", "c"), refused, False),
        (Ref("Container", "shop/web-0", "side"), runcs, False),
    ]
    assert "s3cr3t" not in repr(found)
    # None of it is from a daemon of the node, only from runc.
    assert [f.reporter for f in pick(found, Failure)] == ["runc"]
    alone = f"$ cat /var/log/containers/web-0_shop_c-{ID}.log\n{before}\n"
    assert [f.about for f in reading(alone).facts if not isinstance(f, Pasted)] == [
        Ref("Container", "shop/web-0", "c")
    ]
    # The header alone identifies it, up to another file's header.
    other = (
        "==> /var/log/kubelet.log <==\nE1121 00:05:11.000000      77 x.go:1] Failed to delete cgroup paths\n"
    )
    bare = reading(SAMPLES["pod-logs"].partition("\n")[2] + other + "thanks\n")
    assert set(pick(bare.facts, LastLines)) == {
        replace(f, src=replace(f.src, where=_before(f.src.where))) for f in pick(found, LastLines)
    }
    assert "log" in {form for _, _, form in bare.understood}
    assert reading(f"$ grep failed /var/log/pods/*/*/*.log\n/var/log/pods/x: {before}\n").facts == []


def test_the_machines_kernel() -> None:
    for name in ("docker-info", "uname-r"):
        assert [(f.about, f.kernel) for f in pick(of(name), Host)] == [(NODE, "3.10.0-1160.el7.x86_64")]


@pytest.mark.parametrize("name", ["docker-inspect", "crictl-inspect", "crictl-ps"])
def test_a_container_that_a_log_names_by_its_id_is_its_pods(name: str) -> None:
    id_ = "fedcba9876543" if name == "crictl-ps" else ID
    log = f'E1121 00:07:16.100000    4242 x.go:1] "RemoveContainer from runtime service failed" err="failed to remove container \\"{id_}\\": device or resource busy" containerID="{id_}"\n'
    (failure,) = pick(reading(f"{SAMPLES[name]}$ journalctl -u kubelet\n{log}").facts, Failure)
    assert (failure.about.within, failure.about.name) == ("shop", "web-0")
    assert "hunter2" not in repr(of(name))


@pytest.mark.parametrize("name", ["journal-json", "journal-export", "klog-json"])
def test_a_log_reads_alike_in_every_form(name: str) -> None:
    (failure,) = pick(of(name), Failure)
    assert (failure.about.uid, failure.error, failure.path) == (
        UID,
        "EPERM",
        f"{POD}/volumes/kubernetes.io~empty-dir/d/x",
    )
    assert failure.src.at is not None


def test_a_cut_out_status_tells_of_a_namespace_that_nobody_named() -> None:
    found = of("fragment")
    assert {f.about for f in found} == {Ref("Namespace", block="paste.txt:1-11")}
    assert [c.reason for f in pick(found, Conditions) for c in f.items] == ["DiscoveryFailed"]
    assert [f.requested for f in pick(found, Deletion)] == [True]


def test_a_cut_out_status_whose_indentation_is_lost_is_read_by_its_dashes() -> None:
    found = of("fragment-shifted")
    assert [(c.type, c.status, c.reason) for f in pick(found, Conditions) for c in f.items] == [
        ("NamespaceContentRemaining", "True", "SomeResourcesRemain"),
        ("NamespaceDeletionDiscoveryFailure", "False", "ResourcesDiscovered"),
    ]
    assert [f.requested for f in pick(found, Deletion)] == [True]


def test_keys_that_no_condition_has_are_not_guessed_without_indentation() -> None:
    text = SAMPLES["fragment-shifted"].replace("reason: ResourcesDiscovered", "image: a/b")
    # The facts of a sentence by itself stay.
    assert [c.type for f in pick(reading(text).facts, Conditions) for c in f.items] == [
        "NamespaceContentRemaining"
    ]


def test_the_node_controllers_words_name_the_pod_and_its_node() -> None:
    found = of("fragment-lost")
    assert {f.about for f in found} == {Ref("Pod", None, "web-0")}
    assert [f.node for f in pick(found, Placement)] == [NODE]
    assert [f.reason for f in pick(found, Phase)] == ["NodeLost"]


def test_an_empty_cell_shifts_none() -> None:
    assert [(f.about.name, f.phase) for f in pick(of("table-empty-cells"), Phase)] == [
        ("storage-mariadb-0", "Bound"),
        ("dnsmasq-ironic", "Pending"),
    ]


def test_a_table_that_the_terminal_broke_is_put_together() -> None:
    found = of("table-wrapped")
    assert {f.about.name for f in pick(found, Placement)} == {"web-0", "web-1"}
    assert {(f.about.name, f.items) for f in pick(found, Labels)} == {
        (n, (("app", "web"), ("tier", "a"))) for n in ("web-0", "web-1")
    }
    assert [f.about.name for f in pick(found, Deletion)] == ["web-1"]


def test_tables_of_any_resource_with_any_columns() -> None:
    (placed,) = pick(of("table-custom"), Placement)
    assert (placed.about, placed.node) == (Ref("Pod", "shop", "web-0"), Ref("Node", None, "n-1"))
    assert [f.about for f in pick(of("table-foreign"), Presence)] == [
        Ref("certificates.cert-manager.io", "a", "b")
    ]
    (attached,) = pick(of("table-headless"), Attachment)
    assert (attached.item.node, attached.item.volume, attached.item.attached) == ("n-1", "pvc-2a9e29c5", True)


def test_described_volumes_workloads_and_services() -> None:
    volume = of("describe-pv")
    assert [f.about for f in pick(volume, Deletion)] == [Ref("PersistentVolume", None, "pvc-2a9e29c5")]
    assert [f.driver for f in pick(volume, CsiSource)] == ["driver.example.io"]
    assert "kubernetes.io/pv-protection" in pick(volume, Finalizers)[0].names
    (web,), (agent,), (job,) = (
        pick(of(f"describe-{n}"), Workload) for n in ("deployment", "daemonset", "job")
    )
    assert (web.wanted, web.updated, web.created, web.ready, web.unavailable) == (3, 2, 4, 1, 3)
    assert (agent.wanted, agent.created, agent.ready) == (3, 2, 1)
    assert (job.wanted, job.created, job.ready) == (1, 1, 0)
    assert [f.about for f in pick(of("describe-service"), Presence)] == [Ref("Service", "shop", "web")]


def test_bent_quotes_are_straight_unless_a_message_holds_both() -> None:
    straight = 'Warning  FailedMount  10s  kubelet  MountVolume.SetUp failed for volume "v" : configmap "app-conf" not found\n'
    bent = straight.replace('"v"', "“v”").replace('"app-conf"', "„app-conf“")
    assert {f.object for f in pick(reading(bent).facts, Failure)} == {
        f.object for f in pick(reading(straight).facts, Failure)
    }
    own = '{"kind": "ConfigMap", "apiVersion": "v1", "metadata": {"name": "a", "uid": "u", "labels": {"x": "“b”"}}}\n'
    assert [f.items for f in pick(reading(own).facts, Labels)] == [(("x", "“b”"),)]


@pytest.mark.parametrize(
    "prompt",
    [
        "[root@node-1 ~]# ",
        "root@node-1:~# ",
        "root@9-node:~# ",
        "user@x:~/> ",
        "PS C:\\Users\\me> ",
        "C:\\>",
        "$ ",
        "❯ ",
    ],
)
def test_prompts(prompt: str) -> None:
    result = reading(
        f"{prompt}kubectl get pods –n shop\nNAME  READY  STATUS  RESTARTS  AGE\nweb-0  0/1  Pending  0  5m\n"
    )
    assert [f.about for f in pick(result.facts, Phase)] == [Ref("Pod", "shop", "web-0")]


_ANY = [line for text in SAMPLES.values() for line in text.splitlines()]
_mangled = st.builds(
    lambda line, cut, junk, more: line[:cut] + junk * more + line[cut:],
    st.sampled_from(_ANY),
    st.integers(0, 120),
    st.sampled_from(["", "", "\x00", "\x1b[2J", "\u202e", "  ", "\t", '"', ":", "/", "9", "…", "%"]),
    st.sampled_from([1, 1, 1, 300]),
)


@settings(max_examples=scale_examples(150), deadline=None)
@given(
    st.sampled_from(sorted(SAMPLES)), st.lists(_mangled, max_size=6), st.integers(0, 12), st.integers(0, 3)
)
def test_mangled_texts_raise_nothing_and_every_line_is_accounted_for(
    name: str, junk: list[str], at: int, gone: int
) -> None:
    lines = SAMPLES[name].splitlines()
    text = "\n".join([*lines[:at], *junk, *lines[at + gone :]])
    accounted(text, reading(text))


@pytest.mark.slow  # seven lines of every format, each six times as long as a page
@pytest.mark.timeout(60)  # of well under a second each
@pytest.mark.parametrize("name", sorted(SAMPLES))
def test_no_line_takes_time_beyond_its_length(name: str) -> None:
    """A pattern that backtracks without bound would not end here within its time-out."""
    lines = SAMPLES[name].splitlines()
    for n, fill in ((n, f) for n in range(min(len(lines), 7)) for f in (" ", "a.", "/", "0", "A ", "(a")):
        middle = len(lines[n]) // 2
        reading(
            "\n".join(
                [
                    *lines[:n],
                    lines[n][:middle] + fill * (16_000 // len(fill)) + lines[n][middle:],
                    *lines[n + 1 :],
                ]
            )
        )


def test_the_stacks_of_a_dockerd_that_starts_are_its_nodes_own_word() -> None:
    (found,) = (f for f in of("goroutines") if isinstance(f, Failure))
    assert (found.about, found.operation, found.error) == (NODE, "runtime-start", "start-hangs")


def test_the_stack_of_a_panic_stays_with_the_message_above_it() -> None:
    text = 'time="2026-11-21T00:01:02Z" level=error msg="exec failed"\ngoroutine 1 [running]:\nmain.main()\n\t/go/main.go:3 +0x1\n'
    assert [form for _, _, form in reading(text).understood] == ["log"]


def test_a_fatal_word_of_process_1_is_that_of_a_program_in_a_container() -> None:
    line = 'F1121 00:06:31.192717 {:>7} main.go:84] pod "shop/web-0": unable to load configuration: unknown field "replica"\n'
    (own,) = pick(reading(line.format(1)).facts, Failure)
    assert (own.about, own.operation, own.error) == (
        Ref("Pod", block="paste.txt:1-1"),
        "program-run",
        "fatal",
    )
    assert pick(reading(line.format(2215)).facts, Failure) == []
    assert pick(reading("Nov 21 00:06:31 node-1 kubelet[1]: " + line.format(1)).facts, Failure) == []


def test_what_stands_around_a_journal_and_a_unit_is_no_riddle() -> None:
    marks = reading(SAMPLES["journal-marks"])
    assert [(form, a) for a, _, form in marks.understood] == [
        ("journal-marks", 2),
        ("log", 3),
        ("journal-marks", 4),
        ("journal-marks", 5),
    ]
    unit = pick(of("unit-cat"), UnitFile)
    assert [(u.about.within, u.about.name, dict(u.settings)["PrivateTmp"]) for u in unit] == [
        ("node-1", "ntpd.service", "true")
    ]
