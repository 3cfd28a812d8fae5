"""Two halves of one story: facts about an object from two lines of a text."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import scale_examples
from tests.text.formats import POD, UID
from tests.text.support import NOW, pick
from unstuck.collect.text import read_text
from unstuck.collect.text.objects.stream import EarlierObjects
from unstuck.facts.aspects.host import WaitingMounts
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.aspects.runtime import ContainerSeen, RuntimeContainers
from unstuck.facts.aspects.touched import Touched
from unstuck.facts.core import Fact
from unstuck.facts.derive.runtime import find_disagreement

ID = "7e33969a69f31803bb5c0d9a11f2e4d57e33969a69f31803bb5c0d9a11f2e4d5"
UP = f'$ docker ps\n{ID[:12]}   x   "bash"   23 minutes ago   Up 23 minutes   k8s_c_web-0_shop_{UID}_0\n'
STACK = """\
panic: runtime error: invalid memory address or nil pointer dereference
[signal SIGSEGV: segmentation violation code=0x1 addr=0x8 pc=0x5626b983c259]
goroutine 55 [running]:
{module}go.etcd.io/bbolt.(*Bucket).Cursor(...)
        /go/src/bbolt/bucket.go:84
{package}.scanRoots.func6(0x7fe557c63020, 0x2)
"""


def facts(text: str) -> list[Fact]:
    return read_text(text, "paste.txt", NOW).facts


def containers(text: str) -> list[ContainerSeen]:
    return [c for f in facts(text) if isinstance(f, RuntimeContainers) for c in f.items]


@settings(max_examples=scale_examples(60), deadline=None)
@given(st.integers(4, 64), st.sampled_from(["exec", "exec -it"]))
def test_what_is_stopped_is_found_by_any_beginning_of_its_id(length: int, how: str) -> None:
    (seen,) = containers(f"{UP}$ docker {how} {ID[:length]} ps\ncannot exec in a stopped state: unknown\n")
    assert find_disagreement(seen) == "process-gone"


@settings(max_examples=scale_examples(60), deadline=None)
@given(st.integers(1, 4_000_000), st.integers(1, 4_000_000))
def test_a_process_that_is_gone_is_the_containers_own_or_tells_nothing(pid: int, gone: int) -> None:
    text = f'{UP}$ docker inspect {ID[:4]} | grep -i pid\n            "Pid": {pid},\n$ kill -9 {gone}\n-bash: kill: ({gone}) - No such process\n'
    assert bool(containers(text)) is (pid == gone)


def test_docker_alone_contradicts_nobody() -> None:
    assert containers(UP) == []
    assert containers(f"{UP}$ docker exec 0a0b0c0d ps\ncannot exec in a stopped state: unknown\n") == []
    # A program in a container may write the same.
    assert containers(f"{UP}$ kubectl logs {ID[:12]}\ncannot exec in a stopped state: unknown\n") == []


@pytest.mark.parametrize(
    ("module", "package", "reporter"),
    [
        (
            "github.com/containerd/containerd/vendor/",
            "github.com/containerd/containerd/metadata",
            "containerd",
        ),
        ("", "github.com/containerd/containerd/v2/core/metadata", "containerd"),
        ("github.com/docker/docker/vendor/", "github.com/docker/docker/volume/service", "dockerd"),
        ("", "go.etcd.io/etcd/server/v3/mvcc", "etcd"),
        ("", "example.com/shop/orders", "paste"),
    ],
)
def test_a_panic_belongs_to_the_program_in_its_stack(module: str, package: str, reporter: str) -> None:
    told = [f for f in facts(STACK.format(module=module, package=package)) if isinstance(f, Failure)]
    assert [(f.operation, f.error, f.reporter) for f in told] == [
        ("runtime-start", "metadata-corrupt", reporter)
    ]


def test_the_journal_makes_a_record_of_each_line_of_a_stack() -> None:
    stack = STACK.format(
        module="github.com/containerd/containerd/vendor/", package="github.com/containerd/containerd/metadata"
    )
    text = "".join(f"Nov 21 00:09:11 n-1 containerd[9186]: {line}\n" for line in stack.splitlines())
    (told,) = [f for f in facts(text) if isinstance(f, Failure)]
    assert (told.error, told.reporter, told.about.name) == ("metadata-corrupt", "containerd", "n-1")
    # Lines of another program do not belong to it.
    mixed = text.replace("n-1 containerd[9186]: goroutine", "n-1 dockerd[9187]: goroutine")
    assert not [f for f in facts(mixed) if isinstance(f, Failure)]


FATAL = "F1121 00:05:21.070421       1 main.go:67] Cloud provider could not be initialized: Network default not found"


@pytest.mark.parametrize("command", ["", "$ kubectl logs web-0 -n shop\n"])
def test_only_the_last_words_of_a_log_are_its_programs_end(command: str) -> None:
    told = [f for f in facts(f"{command}{FATAL}\n") if isinstance(f, Failure)]
    assert [(f.operation, f.error) for f in told] == [("program-run", "fatal")]
    assert not [
        f
        for f in facts(f"{command}{FATAL}\nI1121 00:05:51.070421       1 main.go:60] starting\n")
        if isinstance(f, Failure)
    ]


@pytest.mark.parametrize("line", [FATAL, "panic: open /etc/x: no such file or directory"])
@pytest.mark.parametrize("space", ["", " -n shop"])
def test_whose_last_words_they_are_the_command_tells(line: str, space: str) -> None:
    (told,) = [f for f in facts(f"$ kubectl logs web-0{space} -c app\n{line}\n") if isinstance(f, Failure)]
    assert (told.about.name, told.container, told.error) == ("web-0", "app", "fatal")


def test_a_bundle_holds_logs_of_runs_that_were_overcome() -> None:
    assert not [
        f
        for f in read_text(f"{FATAL}\n", "previous.log", NOW, before=EarlierObjects()).facts
        if isinstance(f, Failure)
    ]


@pytest.mark.parametrize(
    ("line", "final"),
    [
        ("F1121 00:05:21.070421       1 main.go:57] mkdir /var/lib/x: permission denied", True),
        ("panic: mkdir /var/lib/x: permission denied", True),
        ('time="2026-11-21T00:05:21Z" level=fatal msg="mkdir /var/lib/x: permission denied"', True),
        ("E1121 00:05:21.070421       1 main.go:57] mkdir /var/lib/x: permission denied", False),
        ("mkdir: cannot create directory '/var/lib/x': Permission denied", False),
        (
            "F1121 00:05:21.070421       1 main.go:57] mkdir /var/lib/x: permission denied\nwaiting for the next request",
            False,
        ),
    ],
)
def test_a_complaint_is_final_where_the_line_itself_ends_the_program(line: str, final: bool) -> None:
    (told,) = pick(facts(f"$ kubectl logs web-0 -n shop\nstarting\n{line}\n"), LastLines)
    assert told.complaint is not None
    assert told.complaint.final is final


@pytest.mark.parametrize(
    ("text", "hangs"),
    [
        (f'stat("{POD}/volumes/kubernetes.io~nfs/n", ^C^Z\n', True),
        (f"$ ls -l {POD}/volumes/kubernetes.io~nfs/n/data\n^C\n", True),
        (f"$ find {POD}/volumes/kubernetes.io~nfs/n\n^C\n", False),
        (f"$ ls {POD}/volumes/kubernetes.io~empty-dir/n\n^C\n", False),
        (f"$ ls {POD}/volumes/kubernetes.io~nfs/n\nfile\n^C\n", False),
        ("$ kubectl logs -f web-0\n^C\n", False),
        ("$ df -h\n^C\n", False),
    ],
)
def test_a_look_that_was_broken_off_had_not_returned(text: str, hangs: bool) -> None:
    told = facts(text)
    assert [type(f) for f in told if isinstance(f, WaitingMounts | Touched)] == (
        [WaitingMounts, Touched] if hangs else []
    )
    assert not any(f.whole for f in told)
