"""Objects named in a pasted text are asked about at their place; facts already shown are not requested
again.
"""

from __future__ import annotations

import re
import shlex
from datetime import UTC, datetime
from itertools import pairwise

import pytest

from unstuck.api.replaying import diagnose_saved
from unstuck.api.text_kinds import recognise
from unstuck.api.unread import run_next
from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import Answer, Diagnosis
from unstuck.diagnosis.looking import looks
from unstuck.diagnosis.mentioned import names_in
from unstuck.facts.codec import Saved
from unstuck.facts.snapshot import Snapshot
from unstuck.render.json import make_document
from unstuck.render.next_question import find_first_question
from unstuck.render.text import write_text

AT = datetime(2026, 11, 28, tzinfo=UTC)
ROW = """$ kubectl get pods -n shop
NAME    READY   STATUS              RESTARTS   AGE
web-0   0/1     ContainerCreating   0          2d
"""
ID = "0a1b2c3d4e5f" * 5 + "0a1b"
LINES = [
    (
        f"Container {ID} failed to exit within 10 seconds of signal 15",
        "node:",
        f"ps -eo pid,ppid,stat,wchan:32,args | grep -e {ID[:12]}",
    ),
    ("libceph: connect 10.0.0.9:6789 error -101", "node:", "ip route get 10.0.0.9"),
    (
        "EXT4-fs error (device sdc): ext4_find_entry:1455: inode #2: comm sh: reading directory lblock 0",
        "node:",
        "lsblk",
    ),
    ("modprobe: error: unknown filesystem type 'zfs'", "node:", "grep -we zfs /proc/filesystems"),
    (
        "Unexpected command output nsenter: failed to execute ip: No such file or directory",
        "node:",
        "command -v ip",
    ),
    (
        "Part of the client certificate /etc/kubernetes/pki/a.pem is expired",
        "node:",
        "openssl x509 -noout -subject -dates -in /etc/",
    ),
    ("mkdir /sys/fs/cgroup/memory/kubepods/a: cannot allocate memory", "node:", "cat /proc/cgroups"),
    (
        "cannot access '/var/lib/kubelet/pods/a/b': Transport endpoint is not connected",
        "node:",
        "grep -F -e /var/lib/kubelet/pods/a/b ",
    ),
    (
        "error: stale GroupVersion discovery: a.example.com/v1beta1",
        "paste",
        "kubectl get apiservice/v1beta1.a.example.com -o yaml",
    ),
    (
        'failed calling webhook "a.b.c": Post "https://hook.infra.svc:443/a": context deadline exceeded',
        "paste",
        "kubectl get services,",
    ),
    (
        'failed calling webhook "a.b.c": Post "https://hook.infra.svc:443/a": service "hook" not found',
        "here",
        "kubectl get validatingwebhookconfigurations,mutatingwebhookconfigurations",
    ),
    ("error: namespace shop has deletion mark, deleting", "paste", "kubectl get namespace/shop -o yaml"),
    (
        "error: widgets.example.com has 1 resource instances",
        "paste",
        "kubectl get widgets.example.com -n NAMESPACE -o yaml",
    ),
    (
        "error: disk pvc-5b62e002-7a5b-4eee-a1bb-cb202cfe0943 is attached to VM node-7",
        "here",
        "kubectl get volumeattachments -o wide | grep -F -e pvc-5b62e002-7a5b-4eee-a1bb-cb202cfe0943",
    ),
]


def answers(pasted: str) -> list[Diagnosis]:
    snap = Snapshot(read_text(pasted, "paste.txt", AT).facts, AT, ("file:-",))
    return [*diagnose_saved(Saved(snap, None, None)).diagnoses]


def first(pasted: str) -> Diagnosis:
    found = find_first_question(Answer(AT, ("file:-",), tuple(answers(pasted))))
    assert found is not None and 1 <= len(found.next) <= 2
    return found


@pytest.mark.parametrize(("line", "at", "begins"), LINES, ids=lambda word: re.sub(r"\W+", "-", word)[:24])
def test_what_a_line_beside_an_object_names_is_looked_at_where_it_is(line: str, at: str, begins: str) -> None:
    asked = first(f"{ROW}$ tail /var/log/a\n{line}\n").next[0]
    assert asked.command.line.startswith(begins) and asked.at.startswith(at)
    assert asked.says.en and asked.says.zh


@pytest.mark.parametrize(
    ("typed", "begins"),
    [
        (f"docker inspect {ID[:12]}\n^C", f"ps -eo pid,ppid,stat,wchan:32,args | grep -e {ID[:12]}"),
        (
            "pstree -sp 1170083\nsystemd(1)---unpigz(1170083)",
            "ps -o pid,ppid,stat,wchan:32,cgroup,args -p 1170083",
        ),
        (
            (
                "ps aux | grep shim\nroot  15251  0.0  0.0 10724 3984 ?  Sl  10:43  0:00 containerd-shim "
                "-namespace moby"
            ),
            "ps -o pid,ppid,stat",
        ),
    ],
    ids=["container", "process", "row"],
)
def test_what_the_last_commands_were_about_is_looked_at(typed: str, begins: str) -> None:
    asked = first(f"{ROW}[root@node-7 ~]# {typed}\n").next[0]
    assert asked.command.line.startswith(begins) and asked.at == "node:node-7"


@pytest.mark.parametrize(
    "line", [line for line, _, _ in LINES], ids=lambda word: re.sub(r"\W+", "-", word)[:24]
)
def test_no_command_is_proposed_that_was_run(line: str) -> None:
    pasted, ran = f"{ROW}$ tail /var/log/a\n{line}\n", list[str]()
    for _ in range(4):
        asked = first(pasted).next
        assert [n.command.line for n in asked if n.command.line in ran] == []
        ran.append(asked[0].command.line)
        pasted += f"$ {ran[-1]}\n...\n"
    assert len({*ran}) == len(ran)


def test_a_description_that_is_shown_in_part_is_not_asked_for() -> None:
    pasted = "$ kubectl describe po web-0 -n shop\n...\n" + ROW
    assert "kubectl describe" not in " ".join(n.command.line for n in first(pasted).next)


HOSTILE = [
    "a; reboot",
    "$(reboot)",
    "`id`",
    "a|sh",
    "-rf",
    "a\u202etxt",
    "../../etc/shadow",
    "a'b",
    'a"b',
    "a b",
]
SHAPES = [
    "Container {} failed to exit",
    "EXT4-fs error (device {})",
    "mount.{}: Protocol not supported",
    "failed to execute {}: No such file or directory",
    "client certificate /etc/{}.pem is expired",
    "stale GroupVersion discovery: {}/v1",
    "stale GroupVersion discovery: a.b/{}",
    'failed calling webhook "x": Post "https://{}.infra.svc:443/a"',
    'failed calling webhook "x": Post "https://hook.{}.svc:443/a"',
    "namespace {} has deletion mark",
    "{} has 1 resource instances",
]


@pytest.mark.parametrize("shape", SHAPES)
def test_a_name_that_somebody_else_wrote_stays_one_word(shape: str) -> None:
    for look in (one for name in HOSTILE for one in looks(names_in(shape.format(name)))):
        tokens = [*shlex.shlex(look.command.line, posix=True, punctuation_chars=True)]
        started = {word for before, word in pairwise([";", *tokens]) if before in (";", "|")}
        assert not started & {"reboot", "sh", "id"} and "-rf" not in tokens and ".." not in look.command.line


def test_the_same_is_proposed_in_every_form_and_after_it_was_saved() -> None:
    pasted = f"{ROW}$ tail /var/log/a\n{LINES[0][0]}\n"
    told = tuple(answers(pasted))
    report = Answer(AT, ("file:-",), told)
    line = first(pasted).next[0].command.line
    shown = write_text(report, "en", 400, colour=False)
    assert line in shown
    written = make_document(report)
    one = written["diagnoses"][written.get("asked_first", 0)]
    assert [*first(pasted).next[0].command.argv] == one["next"][0]["command"]


UNREAD = [
    (
        "apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\nspec:\n  replicas: 3\n",
        "kubectl describe pods web- | unstuck read -",
    ),
    (
        "$ kubectl describe statefulset db\nthe frobnicator failed\n",
        "kubectl get statefulset/db -o yaml | unstuck read -",
    ),
    (
        "[shop] namespace shop has deletion mark, deleting\n",
        "kubectl get namespace/shop -o yaml | unstuck read -",
    ),
    (
        "$ docker pull a:5000/b\nabc: Extracting\n$ pstree -sp 1170083\nsystemd(1)---unpigz(1170083)\n",
        "ps -o pid,ppid,stat,wchan:32,cgroup,args",
    ),
]


@pytest.mark.parametrize(("pasted", "asked"), UNREAD, ids=["manifest", "described", "namespace", "process"])
def test_of_a_text_that_is_not_understood_the_same_is_asked(pasted: str, asked: str) -> None:
    told = run_next(pasted, recognise(pasted))
    assert told is not None and asked in told.en and asked in told.zh
