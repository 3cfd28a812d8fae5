"""Log lines of nodes: header, time without a year, continuation, journal prefix, JSON, verbosity, and the
object of a line.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.facts.core import Ref
from unstuck.wording.klog import KlogRecord, find_least_verbosity, is_header, read_records
from unstuck.wording.names import find_pod

NOW = datetime(2026, 1, 2, tzinfo=UTC)
UID = "2b8e5882-5146-11e9-b3b3-c1976b50bb42"


def one(*lines: str, now: datetime = NOW) -> KlogRecord:
    (record,) = read_records(lines, now)
    return record


def test_a_klog_line_takes_its_year_from_the_callers_time() -> None:
    record = one('E1231 23:59:58.123456    4242 pod_workers.go:1301] "Error syncing pod, skipping" err="x"')
    assert record.at == datetime(2025, 12, 31, 23, 59, 58, 123456, tzinfo=UTC)
    assert (record.severity, record.file, record.message) == (
        "E",
        "pod_workers.go",
        '"Error syncing pod, skipping" err="x"',
    )
    assert one("I0102 00:00:01.000000 1 a.go:1] x").at == datetime(2026, 1, 2, 0, 0, 1, tzinfo=UTC)


def test_lines_without_a_header_continue_the_record_above() -> None:
    first, second = read_records(
        [
            "stray",
            "E0102 00:00:01.000000 1 nested.go:348] UnmountVolume.TearDown failed: unmount failed: exit status 32",
            "Unmounting arguments: /k/pods/u",
            "Output: umount: /k/pods/u: target is busy.",
            "I0102 00:00:02.000000 1 a.go:1] next",
        ],
        NOW,
    )
    assert (first.index, first.count) == (1, 3)
    assert first.message.endswith("target is busy.")
    assert second.message == "next"


def test_a_journal_prefix_gives_host_and_program() -> None:
    record = one(
        "Sep 27 14:37:21 VM_0_9_centos kubelet[14109]: E0927 14:37:21.922965   14109 remote_runtime.go:250] RemoveContainer"
    )
    assert (record.host, record.program, record.message) == ("VM_0_9_centos", "kubelet", "RemoveContainer")
    plain = one("2026-01-01T10:00:00+0800 n1 containerd[9]: something")
    assert plain.at == datetime(2026, 1, 1, 2, tzinfo=UTC)
    assert plain.program == "containerd"


def test_logfmt_carries_its_own_time() -> None:
    record = one(
        'May 09 09:55:12 h dockerd[6540]: time="2020-05-09T09:55:12.774467604+08:00" level=error msg="Handler for DELETE"'
    )
    assert record.at == datetime(2020, 5, 9, 1, 55, 12, 774467, tzinfo=UTC)
    assert (record.severity, record.message) == ("E", 'msg="Handler for DELETE"')


def test_json_klog() -> None:
    line = (
        '{"ts":1767312000000.5,"caller":"status/status_manager.go:1041","msg":"Failed to update status for pod","v":2,'
        '"pod":{"name":"p","namespace":"f"},"err":"no"}'
    )
    record = one(line)
    assert record.at == datetime(2026, 1, 2, 0, 0, 0, 500, tzinfo=UTC)
    assert record.message == '"Failed to update status for pod" pod="f/p" err="no"'
    assert (record.file, find_least_verbosity(record)) == ("status_manager.go", 2)


def test_known_messages_tell_the_verbosity() -> None:
    assert (
        find_least_verbosity(one('I0102 00:00:01.000000 1 kubelet.go:1] "SyncLoop DELETE" source="api"')) == 2
    )
    assert (
        find_least_verbosity(
            one('I0102 00:00:01.000000 1 p.go:1] "Pod worker has observed request to terminate"')
        )
        == 4
    )
    assert find_least_verbosity(one("E0102 00:00:01.000000 1 p.go:1] boom")) is None


@pytest.mark.parametrize(
    "line", ["", "Events:", "  Warning  FailedMount", "{", '{"ts":', "E1", "time=", "Jan 1 x"]
)
def test_what_is_no_record(line: str) -> None:
    assert list(read_records([line], NOW)) == []
    assert not is_header(line) or line == '{"ts":'


@pytest.mark.parametrize(
    ("line", "named"),
    [
        (f'"Error" pod="ns/p-0" podUID="{UID}"', Ref("Pod", "ns", "p-0", UID)),
        ('"Error" err="x" pod="ns/p-0"', Ref("Pod", "ns", "p-0")),
        (f'Error syncing pod {UID} ("p-0_ns({UID})"), skipping', Ref("Pod", "ns", "p-0", UID)),
        (f'UnmountVolume.TearDown failed for volume "d" pod "{UID}" (UID: "{UID}") : x', Ref("Pod", uid=UID)),
        (
            f'MountVolume.SetUp failed for volume "d" pod "p-0" (UID: "{UID}") : x',
            Ref("Pod", None, "p-0", UID),
        ),
        # Up to 1.20 the whole error is quoted.
        (
            f'Error: "MountVolume.SetUp failed for volume \\"d\\" pod \\"p-0\\" (UID: \\"{UID}\\") : x"',
            Ref("Pod", None, "p-0", UID),
        ),
        (
            f'Event(v1.ObjectReference{{Kind:"Pod", Namespace:"ns", Name:"p-0", UID:"{UID}", APIVersion:"v1", FieldPath:""}}): type: \'Warning\' x',
            Ref("Pod", "ns", "p-0", UID),
        ),
        (
            'Event(v1.ObjectReference{Kind:"Node", Namespace:"", Name:"n-1", UID:"n-1"}): type: \'Normal\' x',
            None,
        ),
        (f'Operation for "{{volumeName:x podName:{UID} nodeName:}}" failed', Ref("Pod", uid=UID)),
        (f"unlinkat /var/lib/kubelet/pods/{UID}/volumes/x: busy", Ref("Pod", uid=UID)),
        (f'cgroupName="/kubepods/pod{UID}"', Ref("Pod", uid=UID)),
        (f"kubepods-burstable-pod{UID.replace('-', '_')}.slice", Ref("Pod", uid=UID)),
        (f"k8s_c_p-0_ns_{UID}_3", Ref("Pod", "ns", "p-0", UID)),
        (
            f"RunPodSandbox for &PodSandboxMetadata{{Name:p-0,Uid:{UID},Namespace:ns,Attempt:0,}}",
            Ref("Pod", "ns", "p-0", UID),
        ),
        ("nothing here", None),
        ("pod was killed", None),
    ],
)
def test_whom_a_line_names(line: str, named: Ref | None) -> None:
    assert find_pod(line) == named


def test_a_piece_of_the_log_that_was_sent_with_an_error_is_empty() -> None:
    lines = [
        'I1121 03:00:00.5 88 httplog.go:134] "HTTP" resp=500 addedInfo=<',
        '\tlogging error output: "E1121 unlinkat /a: not permitted"',
        " >",
    ]
    (record,) = read_records(lines, datetime(2026, 11, 21, 4, tzinfo=UTC))
    assert "unlinkat" not in record.message and record.count == 3
