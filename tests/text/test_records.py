"""Multi-line records are read like single-line ones."""

from __future__ import annotations

import json
from datetime import UTC, datetime

import pytest

from unstuck.api.unread import find_reason
from unstuck.collect.text import read_text
from unstuck.collect.text.cutting.records import join_records
from unstuck.facts.aspects.objects import Events
from unstuck.facts.aspects.pasted import ToldErrors
from unstuck.facts.core import Fact

NOW = datetime(2026, 11, 21, 3, 1, tzinfo=UTC)
RECORD = {
    "level": "error",
    "ts": 1700000000.5,
    "msg": "Could not wait for Cache to sync",
    "kind": "CronJob.batch",
    "error": 'no matches for kind "CronJob" in version "batch/v1beta1"',
    "stacktrace": "example.org/run.(*Loop).Start\n\t/src/run/loop.go:88",
}
EVENT = """Events:
  Type     Reason                  Age                From                Message
  ----     ------                  ----               ----                -------
  Warning  SyncLoadBalancerFailed  2m (x7 over 9m)    service-controller
           Error syncing load balancer: failed to ensure load balancer:
           no subnet of the zone eu-1b is tagged for it
  Normal   EnsuringLoadBalancer    2m (x7 over 9m)    service-controller  Ensuring load balancer
"""
FIELDS = """time="2026-11-02T10:00:00Z" level=fatal msg="cannot start datapath"
    error="attach tc program: load program: permission denied:
           12: (79) call unknown_helper#9: R2 is not a pointer" subsys=loader
level=info msg="bye"
"""


def facts(text: str) -> list[Fact]:
    return read_text(text, "paste.txt", NOW).facts


@pytest.mark.parametrize("indent", [None, 1, 2, 4])
@pytest.mark.parametrize("before", ["", "I1102 10:00:00.000001       1 main.go:3] starting\n"])
def test_a_json_record_is_read_the_same_however_it_is_printed(indent: int | None, before: str) -> None:
    told = [f for f in facts(before + json.dumps(RECORD, indent=indent)) if isinstance(f, ToldErrors)]
    assert [(e.complaint.error, e.complaint.name, e.complaint.group) for f in told for e in f.items] == [
        ("api-not-served", "CronJob", "batch/v1beta1")
    ]


def test_an_object_in_json_is_no_record() -> None:
    pod = {"apiVersion": "v1", "kind": "Pod", "level": "error", "msg": "x", "metadata": {"name": "web-0"}}
    lines = json.dumps(pod, indent=2).split("\n")
    assert join_records(lines) == lines
    status = json.dumps({"kind": "Status", "message": "no", "status": "Failure"}, indent=2).split("\n")
    assert join_records(status) == status


def test_an_event_goes_on_below_its_row() -> None:
    said = [e.message for f in facts(EVENT) if isinstance(f, Events) for e in f.items if e.warning]
    assert said == [
        "Error syncing load balancer: failed to ensure load balancer: no subnet of the zone eu-1b is tagged for it"
    ]
    assert len(join_records(EVENT.split("\n"))) == len(EVENT.split("\n")) - 2


def test_a_row_without_lines_below_it_stays() -> None:
    rows = ["  Warning  Failed  5s  kubelet", "  Normal  Pulled  5s  kubelet  Pulled it", "    deeper"]
    assert join_records(rows) == rows


def test_fields_of_a_record_go_on_below_its_message() -> None:
    assert len(join_records(FIELDS.split("\n"))) == 3
    assert find_reason(FIELDS, None) == (
        "cannot start datapath: attach tc program: load program: permission denied: "
        "12: (79) call unknown_helper#9: R2 is not a pointer"
    )


@pytest.mark.parametrize(
    "text", ["{", "{\n", '{\n "level": "error"', "level=error msg=", 'level=error msg="a\n b', '{"a":\n}\n}']
)
def test_what_is_cut_off_stays_as_it_is(text: str) -> None:
    assert "\n".join(join_records(text.split("\n"))).split() == text.split()
