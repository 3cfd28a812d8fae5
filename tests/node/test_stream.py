"""The shell collector's output is read as a recorded tree: complete, truncated, or hostile."""

from __future__ import annotations

import inspect
from datetime import UTC, datetime
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.node.streams import SECTIONS, stream_of
from tests.node.test_recorded import V2, node_at
from tests.node.tree import OTHER, UID, V1, Tree
from tests.patience import stretch
from unstuck.collect.node import NodeCollector
from unstuck.collect.node.answers import survey
from unstuck.collect.node.root import Root
from unstuck.collect.node.view import NodeView
from unstuck.collect.script import NoStreamError, parse, script_text
from unstuck.collect.script.recorded import RecordedRoot, limit_to_seen
from unstuck.facts.aspects import host
from unstuck.facts.codec import to_json
from unstuck.facts.core import Fact, Refused

NOW = datetime(2026, 11, 21, 3, 10, tzinfo=UTC)
VOLUME = f"/var/lib/kubelet/pods/{UID}/volumes/kubernetes.io~empty-dir/d"


def root_of(*lines: bytes, end: bool = True) -> RecordedRoot:
    return RecordedRoot("x", parse(b"\n".join([b"#unstuck 1", *lines, *([b"#end"] if end else []), b""])))


def told(root: RecordedRoot) -> list[Fact]:
    return list(limit_to_seen(root, survey(NodeView(root, NOW), UID)))


def test_every_way_to_read_a_root_is_one_of_the_recording() -> None:
    own = {
        n
        for n, v in vars(RecordedRoot).items()
        if not n.startswith("_") and (inspect.isfunction(v) or isinstance(v, property))
    }
    all_ = {
        n
        for n, v in vars(Root).items()
        if not n.startswith("_") and (inspect.isfunction(v) or isinstance(v, property))
    }
    assert all_ - own == {"text"}, (
        "text is data, as text; whatever else reads this machine's disk must be answered from the recording"
    )


@pytest.mark.parametrize("cgroup", [V1, V2], ids=["v1-cgroupfs", "v2-systemd"])
def test_a_stream_tells_what_the_tree_tells_that_it_was_made_from(cgroup: str, tmp_path: Path) -> None:
    node_at(tmp_path, cgroup)
    from_tree = list(survey(NodeView(Root(str(tmp_path)), NOW), UID))
    from_stream = told(RecordedRoot("x", parse(stream_of(tmp_path))))

    def shown(facts: list[Fact]) -> list[str]:
        return sorted(str({k: v for k, v in to_json(f).items() if k != "whole"}) for f in facts)

    assert shown(from_stream) == shown(from_tree)
    assert {type(f) for f in from_stream if f.whole} >= {
        host.PodProcesses,
        host.PodMounts,
        host.PodDirectory,
        host.DaemonState,
        host.PodCgroup,
    }


@pytest.mark.slow
def test_a_saved_stream_is_a_root_like_any_other(tmp_path: Path) -> None:
    node_at(tmp_path, V2)
    file = tmp_path.with_name(tmp_path.name + ".txt")
    file.write_bytes(stream_of(tmp_path, end=False))
    reader = NodeCollector(file, now=lambda: NOW, deadline=stretch(60))
    facts = reader.survey(UID)
    assert reader.is_node and reader.node == "node-1"
    (cut,) = [f for f in facts if isinstance(f, Refused) and f.want == "survey"]
    assert "cut off" in cut.detail


@pytest.mark.parametrize("missing", SECTIONS)
def test_what_was_cut_off_is_never_the_whole(missing: str, tmp_path: Path) -> None:
    node_at(tmp_path, V2)
    done = tuple(s for s in SECTIONS if s != missing)
    facts = told(RecordedRoot("x", parse(stream_of(tmp_path, done=done))))
    less = {type(f) for f in told(RecordedRoot("x", parse(stream_of(tmp_path)))) if f.whole} - {
        type(f) for f in facts if f.whole
    }
    expected = {
        "processes": host.PodProcesses,
        "mounts": host.PodMounts,
        "pod": host.PodDirectory,
        "holds": None,
        "daemon": host.PodDirectory,
        "host": host.Host,
    }.get(missing)
    assert expected is None or expected in less
    assert not any(isinstance(f, host.PathUses) and f.whole for f in facts) or missing not in (
        "processes",
        "mounts",
        "holds",
    )


def test_what_the_script_does_not_ask_for_is_never_the_whole(tmp_path: Path) -> None:
    node_at(tmp_path, V2)
    facts = told(RecordedRoot("x", parse(stream_of(tmp_path))))
    assert not [
        f
        for f in facts
        if type(f).__name__ in ("InotifyUse", "Clock") and f.whole and not isinstance(f, Refused)
    ]


def test_a_line_of_a_file_is_never_taken_for_a_line_of_the_stream() -> None:
    root = root_of(
        b"f /etc/os-release",
        b" #end",
        b" f /proc/1/stat",
        b" d /x",
        b"/proc/7/stat:7 (a",
        b"/proc/7/stat:#done flags) S 1",
    )
    assert root.text("/etc/os-release") == "#end\nf /proc/1/stat\nd /x\n"
    assert root.text("/proc/7/stat") == "7 (a\n#done flags) S 1\n"
    assert root.names("/x") is None and root.recording.done == frozenset()


def test_the_line_before_a_cut_was_cut_itself() -> None:
    cut = root_of(b"f /.unstuck/lsattr", b" walked /a", b" ----i--- /a/lon", b"#cut flags", b"#done pod")
    assert cut.text("/.unstuck/lsattr") == "walked /a\n"
    between = root_of(b"f /.unstuck/lsattr", b" ----i--- /a/long", b"", b"#cut flags")
    assert between.text("/.unstuck/lsattr") == "----i--- /a/long\n", "it had its end"
    assert "flags" not in cut.recording.done and "pod" in cut.recording.done


def test_a_stream_without_its_last_line_is_cut_off() -> None:
    whole = parse(b"#unstuck 1\nf /a\n x\n#end\n")
    assert whole.ended
    broken = parse(b"#unstuck 1\nf /a\n x\n y-without-an-en")
    assert not broken.ended and RecordedRoot("x", broken).text("/a") == "x\n"


def test_links_are_followed_inside_and_escapes_read() -> None:
    root = root_of(
        b"l /proc/self 12",
        b"/proc/12/stat:12 (sh) S 1",
        b"b /a/link /with\\ blank/\\303\\244\\n",
        b"l /loop /loop",
        b"l /up ../../etc",
        b"f /etc/x",
        b" 1",
        b"x /closed",
    )
    assert root.text("/proc/self/stat") == "12 (sh) S 1\n"
    assert root.link("/a/link")[0] == "/with blank/ä\n"
    assert root.data("/loop") is None and root.text("/up/x") == "1\n"
    assert root.link("/closed")[1] != 0 and root.link("/none")[1] != 0


@pytest.mark.parametrize(
    "bad", [b"", b"hello\n", b"#unstuck\n", b"#unstuck x\n", b"#unstuck 99\n", b"\x7fELF"]
)
def test_anything_else_is_refused_in_one_line(bad: bytes) -> None:
    with pytest.raises(NoStreamError) as e:
        parse(bad)
    assert "\n" not in str(e.value)


def test_flags_are_proven_from_a_recording_and_what_was_left_out_is_said(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.node(V2)
    tree.write(
        "/.unstuck/lsattr", f"walked /var/lib/kubelet/pods/{UID}\n----i---------e------- {VOLUME}/x y\n"
    )
    (fact,) = [
        f for f in told(RecordedRoot("x", parse(stream_of(tmp_path)))) if isinstance(f, host.FlaggedFiles)
    ]
    assert fact.whole and [(f.path, f.immutable, f.append_only) for f in fact.files] == [
        (f"{VOLUME}/x y", True, False)
    ]
    tree.write(
        "/.unstuck/lsattr",
        f"walked /var/lib/kubelet/pods/{UID}\nleft {VOLUME} (a nfs file system, not touched)\n",
    )
    (fact,) = [
        f for f in told(RecordedRoot("x", parse(stream_of(tmp_path)))) if isinstance(f, host.FlaggedFiles)
    ]
    assert (
        not fact.whole
        and fact.files == ()
        and fact.not_looked_at == (f"{VOLUME} (a nfs file system, not touched)",)
    )
    (fact,) = [f for f in survey(NodeView(Root(str(tmp_path)), NOW), UID) if isinstance(f, host.FlaggedFiles)]
    assert fact.not_looked_at


def in_d(tree: Tree) -> None:
    tree.process(
        5000,
        "java",
        state="D",
        cgroup=V2.format(id="5" * 64),
        namespace="mnt:[77]",
        wchan="request_wait_answer",
        killed=True,
    )


def stuck(root: RecordedRoot) -> int:
    (fact,) = [f for f in told(root) if isinstance(f, host.PodProcesses)]
    return sum(p.stuck_threads for p in fact.items)


def test_a_thread_is_stuck_only_if_both_looks_saw_it_so(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.node(V2)
    in_d(tree)
    both = stream_of(tmp_path)
    assert stuck(RecordedRoot("x", parse(both))) == 1
    assert stuck(RecordedRoot("x", parse(stream_of(tmp_path, done=SECTIONS[:-1], again=False)))) == 0, (
        "there was no second look"
    )
    first, second = both.split(b"\n#again\n")
    ran = second.replace(b"voluntary_ctxt_switches:\t2", b"voluntary_ctxt_switches:\t3")
    assert stuck(RecordedRoot("x", parse(first + b"\n#again\n" + ran))) == 0, "it has run in between"


def test_who_only_passed_by_holds_nothing(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.node(V2)
    tree.process(4000, "tail", links={"fd/3": f"{VOLUME}/log"})
    both = stream_of(tmp_path)
    first, second = both.split(b"\n#again\n")
    gone = b"\n".join(line for line in second.split(b"\n") if b"/fd/3 " not in line)

    def holders(stream: bytes) -> list[int]:
        (fact,) = [f for f in told(RecordedRoot("x", parse(stream))) if isinstance(f, host.PathUses)]
        return [u.proc.pid for u in fact.items]

    assert holders(both) == [4000]
    assert holders(first + b"\n#again\n" + gone) == []


def test_a_process_that_ended_in_between_is_no_process_of_the_pod(tmp_path: Path) -> None:
    tree = Tree(tmp_path)
    tree.node(V2)
    first, second = stream_of(tmp_path).split(b"\n#again\n")
    lines = second.split(b"\n")
    at = lines.index(b"f /proc/910/stat")
    ended = first + b"\n#again\n" + b"\n".join(lines[:at] + lines[at + 2 :])
    (fact,) = [f for f in told(RecordedRoot("x", parse(ended))) if isinstance(f, host.PodProcesses)]
    assert [p.pid for p in fact.items] == [900]


@given(
    st.lists(
        st.binary(max_size=60)
        | st.sampled_from([b"f /proc/1/stat", b"#again", b"#cut x", b"#done flags", b"l /a /a", b" x"])
    )
)
def test_whatever_the_bytes_they_are_read(lines: list[bytes]) -> None:
    root = RecordedRoot("x", parse(b"#unstuck 1\n" + b"\n".join(lines) + b"\n"))
    for path in [*root.recording.first.files, *root.recording.first.links, "/", "/proc", "/a/b"]:
        root.text(path), root.names(path), root.link(path), root.stat(path)
        assert ".." not in path.split("/")


def test_a_stream_of_another_pod_names_this_one_nowhere(tmp_path: Path) -> None:
    node_at(tmp_path, V2)
    root = RecordedRoot("x", parse(stream_of(tmp_path)))
    facts = list(survey(NodeView(root, NOW), OTHER))
    assert not [f for f in facts if f.about.uid == UID]


def test_the_script_is_plain_sh_and_reads_no_strangers_arguments() -> None:
    text = script_text()
    assert text.startswith("#!/bin/sh\n") and len(text.encode()) < 48_000 and text.isascii()
    used = [line for line in text.splitlines() if "cmdline" in line and not line.lstrip().startswith("#")]
    assert len(used) == 2 and all("$kubelet" in line for line in used), "the kubelet's only"
    assert "environ" not in [
        word for line in text.splitlines() if not line.lstrip().startswith("#") for word in line.split("/")
    ]
    assert not [line for line in text.splitlines() if "mktemp" in line or "/tmp" in line]
