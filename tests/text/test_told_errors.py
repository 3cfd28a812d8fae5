"""Errors in a text: by their class in every frame, with their named objects, and none from unrelated
texts.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.api.test_text_kinds import SAMPLES
from tests.text.frames import FRAMES
from tests.text.support import read
from unstuck.facts.aspects.pasted import ToldError, ToldErrors
from unstuck.facts.core import Ref

ROOT = Path(__file__).resolve().parents[2]
# These messages need no surrounding error mark.
ANYWHERE = {
    "Scale-up failed: AccessDenied: User: arn:aws:sts::1:assumed-role/nodes/i-1 is not authorized to perform: "
    "autoscaling:SetDesiredCapacity on resource: arn:aws:autoscaling:us-west-2:1:group/1": (
        "cloud-forbidden",
        "autoscaling:SetDesiredCapacity",
    ),
    'Error: unable to build kubernetes objects from release manifest: unable to recognize "": no matches for kind "StatefulSet" in version '
    '"apps/v1beta2"': ("api-not-served", "apps/v1beta2"),
    "Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress": ("lock-held", ""),
    "Failed to allocate 1 IP addresses on an ENI: InsufficientCidrBlocks: The specified subnet does not have enough free cidr blocks": (
        "cloud-limit",
        "InsufficientCidrBlocks",
    ),
}
# Incomplete there: broken within a name, or quoted in prose, as in documentation.
_NOT_THERE = frozenset(
    {
        "Markdown code",
        "wrapped in a quote",
        "cut at 80 columns",
        "cut at 80 columns, klog",
        "wrapped by a chat",
        "k9s",
    }
)
MARKED = {
    'Get "https://api.example.com/v1": dial tcp: lookup api.example.com on 10.96.0.10:53: server misbehaving': "name-unanswered",
    "open /etc/app/config.yaml: permission denied": "permission-denied",
    'Get "https://vault.sec:8200/v1": x509: certificate signed by unknown authority': "certificate-untrusted",
    "dial tcp 10.0.0.9:5432: connect: connection refused": "connection-refused",
    "write /data/wal: no space left on device": "no-space",
}
LEVELS = {
    "klog": "E1121 00:07:16.100000       1 main.go:20] sync failed: {}",
    "fatal klog": "F1121 00:07:16.100000       1 main.go:20] {}",
    "logfmt": 'time="2026-11-21T00:07:16Z" level=error msg="sync failed" error="{}"',
    "JSON": '{{"level":"error","ts":"2026-11-21T00:07:16Z","logger":"controller.web","msg":"Reconciler error","error":"{}"}}',
    "a command": "Error: {}",
    "a level": "2026-11-21 00:07:16 ERROR sync failed: {}",
}
SOURCE = """package main

import "fmt"

func sync() error {
	return fmt.Errorf("no matches for kind %q in version %q", kind, version)
}
// UnauthorizedOperation: You are not authorized to perform this operation.
var errLocked = errors.New("another operation (install/upgrade/rollback) is in progress")
"""
ACCESS = '10.0.0.1 - - [27/Nov/2026:20:00:00 +0000] "GET /v1?error=UnauthorizedOperation HTTP/1.1" 403 2 "-" "curl/8"\n'
PROSE = 'When the API server answers `no matches for kind "Ingress" in version "extensions/v1beta1"`, the version was removed.\n'
# Unattributed text without an error mark.
UNMARKED = """The middleware "auth" does not exist yet, wrote the engineer, and unknown field "spec" was all he said.
I1121 00:07:16.100000       1 main.go:20] middleware "auth" does not exist, waiting for it
database "shop" does not exist
2026-11-21 00:07:16 INFO the value must be one of a,b, got 'c'
10.0.0.1 - - [27/Nov/2026:20:00:00 +0000] "GET /v1?error=unknown+field+'x' HTTP/1.1" 400 2 "-" "curl/8"
try:
    import flask
except ImportError:
    raise RuntimeError("No module named 'flask'")
"""
NOVEL = "The connection was refused, and permission denied; no space left on device, thought the old engineer, and went home.\n"


def told(text: str) -> tuple[ToldError, ...]:
    return tuple(i for f in read(text).facts if isinstance(f, ToldErrors) for i in f.items)


@pytest.mark.parametrize("name", [n for n in FRAMES if n not in _NOT_THERE])
def test_a_servers_own_words_in_every_frame(name: str) -> None:
    got = {
        s: {
            (
                i.complaint.error,
                i.complaint.verb if error == "cloud-forbidden" else i.complaint.group or i.complaint.name,
            )
            for i in told(FRAMES[name](s))
        }
        for s, (error, _) in ANYWHERE.items()
    }
    assert got == {s: {known} for s, known in ANYWHERE.items()}


@pytest.mark.parametrize("level", LEVELS)
def test_others_where_the_line_is_an_error(level: str) -> None:
    escaped = {s: s.replace('"', '\\"') if level in ("logfmt", "JSON") else s for s in MARKED}
    assert {s: [i.complaint.error for i in told(LEVELS[level].format(escaped[s]))] for s in MARKED} == {
        s: [e] for s, e in MARKED.items()
    }


@pytest.mark.parametrize("line", MARKED)
def test_what_a_program_only_mentions_is_no_error(line: str) -> None:
    assert told(f"I1121 00:07:16.100000       1 main.go:20] retried after {line.partition(': ')[2]}\n") == ()


@pytest.mark.parametrize(
    "text",
    [SOURCE, ACCESS, PROSE, NOVEL, UNMARKED],
    ids=["source", "access log", "prose", "novel", "no mark"],
)
def test_other_worlds_claim_nothing(text: str) -> None:
    assert told(text) == ()


@pytest.mark.parametrize(
    "id_",
    [
        "access-log",
        "manifest",
        "sentences",
        "commands",
        "python-source",
        "go-source",
        "diff",
        "html",
        "git-log",
    ],
)
def test_samples_of_other_worlds_claim_nothing(id_: str) -> None:
    assert told(SAMPLES[id_]) == ()


def test_this_projects_own_pages_claim_nothing() -> None:
    pages = [p for p in sorted((ROOT / "docs").rglob("*.md")) if p.stat().st_size < 64 << 10]
    assert len(pages) > 100
    assert {
        str(p.relative_to(ROOT)): told(p.read_text("utf-8")) for p in pages if told(p.read_text("utf-8"))
    } == {}


def test_a_file_that_a_node_misses_is_in_no_manifest() -> None:
    line = "Jul 12 17:13:31 n-1 {by}[761]: W0712 17:13:31.398508     761 sandbox.go:384] failed to run nsenter: open /sbin/ip: No such file or directory\n"
    assert told(line.format(by="kubelet")) == ()
    assert [i.complaint.error for i in told(line.format(by="operator"))] == ["file-missing"]


@pytest.mark.parametrize(
    ("path", "errors"), [("/var/lib/kubelet/pods/0a/volumes/x", []), ("/data/x", ["permission-denied"])]
)
def test_a_path_of_the_kubelets_own_is_in_no_container(path: str, errors: list[str]) -> None:
    assert [
        i.complaint.error for i in told(f"rm: cannot remove '{path}': Operation not permitted\n")
    ] == errors


def test_the_fields_of_a_record_are_sentences_and_the_record_is_none() -> None:
    line = '{{"caller":"a.go:1","error":"{}","ip":"192.0.2.1","msg":"failed to announce"}}\n'
    assert told(line.format("invalid hardware address")) == ()
    assert [i.complaint.error for i in told(line.format("open /etc/app/tls.key: permission denied"))] == [
        "permission-denied"
    ]


@pytest.mark.parametrize(
    "command",
    [
        "kubectl logs -n shop pod/db-0",
        "cat /var/log/containers/db-0_shop_db-0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b0a1b.log",
    ],
)
def test_a_log_alone_tells_over_what_its_program_fell(command: str) -> None:
    mark = "2026-11-21T00:00:00.573854496Z stderr F " if command.startswith("cat") else ""
    (one,) = told(f"$ {command}\n{mark}mkdir: cannot create directory '/data/pg': Permission denied\n")
    assert (one.complaint.error, one.complaint.path, one.of) == (
        "permission-denied",
        "/data/pg",
        Ref("Pod", "shop", "db-0"),
    )


def test_what_anybody_says_stands_behind_what_is_known() -> None:
    named = 'level=error msg="middleware \\"auth\\" does not exist"\n'
    known = 'time="2026-11-21T00:07:16Z" level=error msg="open /etc/app/tls.key: permission denied"\n'
    assert [i.complaint.error for i in told(named)] == ["value-absent"]
    assert [i.complaint.error for i in told(named + known)] == ["permission-denied"]


def test_what_a_program_ended_with_is_nearer_than_what_it_met_before() -> None:
    text = (
        'time="2026-11-21T00:07:15Z" level=error msg="dial tcp 10.0.0.1:443: connect: connection refused"\n'
        'time="2026-11-21T00:07:16Z" level=fatal msg="open /etc/app/tls.key: permission denied"\n'
    )
    assert [(i.complaint.error, i.complaint.path, i.fatal) for i in told(text)] == [
        ("permission-denied", "/etc/app/tls.key", True)
    ]


def test_a_line_that_an_object_explains_is_told_once() -> None:
    text = '  Warning  Failed  2s  kubelet  Failed to pull image "a/b:1": dial tcp: lookup a on 10.0.0.10:53: no such host\n'
    assert told(text) == ()


def test_who_reports_it_and_about_what() -> None:
    line = (
        '{"level":"error","logger":"controller.service","msg":"Reconciler error","error":"failed to ensure load balancer for service '
        'shop/web: could not find any suitable subnets for creating the ELB"}'
    )
    (one,) = told(line)
    assert (one.by, one.of, one.complaint.resource) == (
        "controller.service",
        Ref("Service", "shop", "web"),
        "subnets",
    )


def test_to_delete_what_is_not_there_is_no_trouble() -> None:
    assert (
        told('E1121 00:07:16.1       1 main.go:20] failed to delete object: deployments.apps "web" not found')
        == ()
    )


ENDS = (
    "exit status 1",
    "panic: exit status 1",
    "command terminated with exit code 1",
    "2026-11-21T00:07:17Z Program will exit.",
    "Shutting down due to a fatal error",
)
NO_ENDS = ("2026-11-21T00:07:17Z retrying in 2s", "process exited with code 0", "done", "")
UNMARKED_REASON = "2026-11-21T00:07:16Z open /etc/app/tls.key: permission denied\n"


@pytest.mark.parametrize("end", ENDS)
def test_what_stands_above_the_bare_end_of_a_program_is_its_error(end: str) -> None:
    assert [i.complaint.path for i in told(f"starting\n{UNMARKED_REASON}{end}\n")] == ["/etc/app/tls.key"]


@pytest.mark.parametrize("end", NO_ENDS)
def test_without_an_end_below_it_a_line_needs_a_mark(end: str) -> None:
    assert told(f"starting\n{UNMARKED_REASON}{end}\n") == ()


def test_each_item_of_a_list_of_errors_is_read_with_its_head() -> None:
    head = "Error: INSTALLATION FAILED: 2 errors occurred:\n"
    items = '\t* configmaps "a" already exists\n\t* configmaps "b" already exists\n\n'
    assert [i.complaint.name for i in told(head + items)] == ["a", "b"]
    assert all(i.complaint.line.startswith("Error: INSTALLATION FAILED") for i in told(head + items))


@pytest.mark.parametrize(
    ("command", "line", "namespace"),
    [
        (
            "helm upgrade web ./web -n shop",
            'Error: UPGRADE FAILED: jobs.batch "web-migrate" already exists',
            "shop",
        ),
        (
            "kubectl apply -n shop -f a.yaml",
            'The Service "web" is invalid: spec.clusterIP: Invalid value: "": field is immutable',
            "shop",
        ),
        ("helm upgrade web ./web", 'Error: UPGRADE FAILED: jobs.batch "web-migrate" already exists', ""),
        (
            "helm upgrade web ./web -n shop",
            'Error: UPGRADE FAILED: clusterroles.rbac.authorization.k8s.io "web" already exists',
            "",
        ),
    ],
)
def test_an_object_is_in_the_namespace_that_the_command_names(
    command: str, line: str, namespace: str
) -> None:
    assert [i.complaint.namespace for i in told(f"$ {command}\n{line}\n")] == [namespace]


def test_nginx_quotes_the_request_in_its_errors() -> None:
    line = (
        "2026/11/21 08:11:13 [error] 31#31: *123 connect() failed (111: Connection refused) while connecting to upstream, client: 10.0.0.9, "
        'server: till.example.com, request: "GET /error HTTP/1.1", upstream: "http://10.244.1.7:8080/", host: "till.example.com"\n'
    )
    assert [(i.complaint.error, i.complaint.name, i.complaint.port) for i in told(line)] == [
        ("connection-refused", "10.244.1.7", 8080)
    ]


def test_each_check_of_a_list_is_told_and_none_is_joined_with_the_next() -> None:
    checks = (
        "[preflight] Some fatal errors occurred:\n"
        "\t[ERROR NumCPU]: the number of available CPUs 1 is less than the required 2\n"
        "\t[ERROR Mem]: the system RAM (969 MB) is less than the minimum 1700 MB\n"
    )
    items = told(checks)
    assert [e.complaint.name for e in items] == ["NumCPU", "Mem"]


def test_the_second_line_of_a_cloud_s_error_does_not_lengthen_the_action_that_it_refuses() -> None:
    error = (
        'level=error msg="AccessDenied: User: arn:aws:sts::1:assumed-role/nodes/i-1 is not authorized to perform: '
        'dns:ListZones\nstatus code: 403, request id: 6b67"\n'
    )
    items = told(error)
    assert [e.complaint.verb for e in items] == ["dns:ListZones"]


def test_a_response_takes_the_request_above_it() -> None:
    verbose = (
        "I1121 03:00:28.4 1 round_trippers.go:463] GET https://10.43.0.1:443/api/v1/namespaces/shop/pods\n"
        "I1121 03:00:28.4 1 round_trippers.go:469] Request Headers:\n"
        "I1121 03:00:28.4 1 round_trippers.go:574] Response Status: 403 Forbidden in 1 milliseconds\n"
    )
    items = told(verbose)
    (said,) = (e.complaint for e in items)
    assert (said.verb, said.path) == ("GET", "https://10.43.0.1:443/api/v1/namespaces/shop/pods")


def test_a_record_of_a_reconciler_is_about_its_object_of_any_kind() -> None:
    record = (
        '{"level":"error","msg":"unable to clone \'ssh://git@git.example.com/a.git\': ssh: unable to authenticate, '
        'attempted methods [none publickey]","reconciler group":"source.example.com",'
        '"reconciler kind":"Repo","name":"till","namespace":"shop"}'
    )
    items = told(record)
    assert [e.of for e in items] == [Ref("Repo.source.example.com", "shop", "till")]
