"""The last lines of a container, with apparent secrets masked."""

from __future__ import annotations

import os
import subprocess
from datetime import UTC, datetime

import pytest

from tests.kube.cluster import ask, cluster, pick
from unstuck.collect.masking import mask
from unstuck.engine.manual_commands import spell
from unstuck.facts.aspects.pod import LastLines, TroubleLines
from unstuck.facts.core import Ref, Refused, Want
from unstuck.facts.snapshot import Snapshot


def test_the_last_lines_are_of_the_run_before_or_else_of_this_one():
    def log(query):
        return (
            (400, {"message": "previous terminated container not found"})
            if "previous" in query
            else (200, b"one\n\ntwo \x1b[31mred\n")
        )

    about = Ref("Container", "shop/p", "c")
    with cluster({"/api/v1/namespaces/shop/pods/p/log": log}) as c:
        (lines,) = pick(ask(c, Want(LastLines, about)), LastLines)
        assert (lines.lines, lines.previous) == (("one", "two \x1b[31mred"), False)


def test_a_log_that_the_runtime_has_removed_is_no_log():
    lost = b"unable to retrieve container logs for containerd://292c9d7d"
    about = Ref("Container", "shop/p", "c")
    path = "/api/v1/namespaces/shop/pods/p/log"
    with cluster({path: lambda query: (200, lost if "previous" in query else b"of this run\n")}) as c:
        (lines,) = pick(ask(c, Want(LastLines, about)), LastLines)
        assert (lines.lines, lines.previous) == (("of this run",), False)
    with cluster({path: (200, lost)}) as c:
        (no,) = ask(c, Want(LastLines, about))
        assert isinstance(no, Refused) and no.why == "not-offered" and "unable to retrieve" in no.detail


def test_of_a_ready_pod_the_lines_that_report_trouble_are_read_from_both_ends():
    """A program tells at its start what it leaves out; afterwards it writes as ever."""
    start = b"INFO starting\nERROR no listener on port 5671: no certificate\nINFO error count\nhalf a li"
    calm = [f"sampled {n} queues, 0 errors" for n in range(300)]
    end = "\n".join([*calm, "WARN token=hunter22 was refused", "WARN token=hunter23 was refused"]).encode()
    asked = []

    def log(query):
        asked.append(query)
        if query["container"] == "init":
            return 400, {"message": "is waiting to start"}
        return 200, end if "tailLines" in query else start

    pod = {
        "kind": "Pod",
        "metadata": {"name": "p", "namespace": "shop", "uid": "u"},
        "spec": {"initContainers": [{"name": "init"}], "containers": [{"name": "c"}]},
    }
    base = "/api/v1/namespaces/shop/pods/p"
    with cluster({base: (200, pod), f"{base}/log": log}) as c:
        (told,) = pick(ask(c, Want(TroubleLines, Ref("Pod", "shop", "p"))), TroubleLines)
    assert [(i.container, i.kind, i.line) for i in told.items] == [
        ("c", "main", "ERROR no listener on port 5671: no certificate"),
        ("c", "main", "WARN token=*** was refused"),
    ]
    assert not told.whole and len(asked) == 3


@pytest.mark.parametrize(
    ("before", "shown"), [("", "of this run"), ("echo of the run before; exit", "of the run before")]
)
def test_the_command_that_is_given_shows_a_log_also_of_a_container_that_was_never_restarted(
    tmp_path, before, shown
):
    """A kubectl that refuses as the real one does: `previous terminated container "c" in pod "p" not
    found`.
    """
    kubectl = tmp_path / "kubectl"
    refuse = "echo previous terminated container not found >&2; exit 1"
    kubectl.write_text(
        f'#!/bin/sh\ncase "$*" in *--previous*) {before or refuse} ;; *"-n shop pod/p --container=c") echo '
        "of this run ;; esac\n"
    )
    kubectl.chmod(0o755)
    told = spell(
        Want(LastLines, Ref("Container", "shop/p", "c")), Snapshot((), datetime(2026, 11, 21, tzinfo=UTC))
    )
    env = {**os.environ, "PATH": f"{tmp_path}:{os.environ['PATH']}"}
    done = subprocess.run(
        ["/bin/sh", "-c", told.line], env=env, capture_output=True, text=True, timeout=20, check=True
    )
    assert done.stdout.strip() == shown


@pytest.mark.parametrize(
    ("line", "shown"),
    [
        ("FATAL: DATABASE_URL not set", "FATAL: DATABASE_URL not set"),
        ("password=hunter22 x", "password=*** x"),
        ('{"apiKey": "abcdef", "a": 1}', '{"apiKey": "***", "a": 1}'),
        ("connect postgres://me:s3cret@db:5432/x", "connect postgres://me:***@db:5432/x"),
        ("Authorization: Bearer abcdefghijk", "Authorization: *** ***"),
        ("got eyJhbGciOiJI.eyJzdWIiOiIx.abc", "got ***"),
        ("AKIAABCDEFGHIJKLMNOP", "***"),
        ("AWS_SECRET_ACCESS_KEY=abc/def+ghi", "AWS_SECRET_ACCESS_KEY=***"),
    ],
)
def test_what_looks_like_a_secret_is_masked(line, shown):
    assert mask(line) == shown
