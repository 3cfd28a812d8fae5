"""`-o name`: the objects for further questions, one per line."""

from __future__ import annotations

from pathlib import Path

from unstuck import api
from unstuck.render.names import names

REFUSED = (
    "Nov 21 02:59:22 lab-1 kubelet[811]: F1121 02:59:22.166979     811 server.go:273] failed to run "
    "Kubelet: misconfiguration: kubelet "
    'cgroup driver: "cgroupfs" is different from docker cgroup driver: "systemd"\n'
)


def test_an_object_of_which_a_cause_is_told_is_named_though_its_state_was_not_seen(tmp_path: Path) -> None:
    log = tmp_path / "kubelet.log"
    log.write_text(REFUSED, "utf-8")
    report = api.read(log)
    assert [d.state.name for d in report.diagnoses] == ["unknown"] and report.diagnoses[0].causes
    assert names(report.answer) == "node/lab-1\n"
