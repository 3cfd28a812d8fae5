"""The leads from a table's row as the only evidence."""

from __future__ import annotations

from pathlib import Path

from unstuck.api import read

ROWS = """NAME   READY   STATUS                       RESTARTS   AGE
web    0/1     CreateContainerConfigError   0          62s
"""


def test_a_configuration_that_does_not_read_leads_to_what_it_refers_to(tmp_path: Path) -> None:
    (tmp_path / "pods.txt").write_text(ROWS)
    (web,) = read(tmp_path / "pods.txt").diagnoses
    assert web.state.name == "stuck" and not web.causes
    assert {"config.secret-missing", "config.configmap-missing", "config.key-missing"} <= {*web.leads}
    assert not [lead for lead in web.leads if lead.startswith("container.")]
