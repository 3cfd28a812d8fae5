"""Text quoted in a frame, or below the header of a record, is read like separate text."""

from __future__ import annotations

import pytest

from tests.text.support import NOW
from unstuck.collect.text.read import read_text
from unstuck.facts.aspects.pasted import ToldErrors

_PROBE = "  Warning  Unhealthy  17m (x6 over 18m)  kubelet  Liveness probe failed: "
_RECORD = "E1121 02:59:17.296015     900 util.go:868] could not resize the volume: exit status 1\n"


def _told(text: str) -> list[tuple[str, str]]:
    found = [f for f in read_text(text, "paste.txt", NOW).facts if isinstance(f, ToldErrors)]
    return [(i.complaint.error, i.complaint.name) for f in found for i in f.items]


@pytest.mark.parametrize(
    ("text", "error", "name"),
    [
        (f"{_PROBE}./ready.sh: line 12: DB_PASSWORD: unbound variable", "variable-missing", "DB_PASSWORD"),
        (f"{_PROBE}sh: 1: pg_isready: not found", "command-not-found", "pg_isready"),
        (f"{_PROBE}ModuleNotFoundError: No module named 'requests'", "library-missing", "requests"),
        (
            f"{_RECORD}/sbin/fsadm: line 506: xfs_info: command not found\nfsadm: Cannot parse its output.",
            "command-not-found",
            "xfs_info",
        ),
        (
            'Failed sync: one or more tasks completed unsuccessfully,\nreason: error when patching ...: CustomResourceDefinition.apiextensions.k8s.io\n"sets.example.com" is invalid:\n'
            "metadata.annotations: Too long: may not be more than 262144 bytes (retried 5 times).",
            "object-invalid",
            "sets.example.com",
        ),
        (
            'E1121 02:59:17.296015     900 proxier.go:868] "Failed to ensure chain jumps" err=<\n\terror appending rule: exit status 1:\n'
            '\tWarning: Extension comment revision 0 not supported, missing kernel module?\n > table="filter"',
            "packet-filter-incomplete",
            "comment",
        ),
    ],
)
def test_is_told(text: str, error: str, name: str) -> None:
    assert _told(text) == [(error, name)]


@pytest.mark.parametrize(
    "text",
    [
        f"{_PROBE}cat: can't open '/tmp/healthy': No such file or directory",
        f"{_PROBE}dial tcp 10.1.2.3:8080: connect: connection refused",
        "/sbin/fsadm: line 506: xfs_info: command not found",
        f"{_RECORD}\n/sbin/fsadm: line 506: xfs_info: command not found",
        'Reconciliation failed: failed to delete object, error: deployments.apps "web" not found',
    ],
)
def test_says_no_more_than_the_frame(text: str) -> None:
    assert not _told(text)
