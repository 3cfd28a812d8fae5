"""The examples of docs/en/api.md and docs/zh/api.md run, and show every public name."""

from __future__ import annotations

import inspect
import re
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.kube.small import Small, make_lease, make_namespace, make_node, make_pod, make_pod_with_map, small
from unstuck import api

DOCS = Path(__file__).parents[2] / "docs"
LANGUAGES = ("en", "zh")
OBJECTS = [
    make_node("n-1"),
    make_lease("n-1"),
    make_namespace("shop"),
    make_namespace("default"),
    make_pod_with_map("web-0", "shop"),
    make_pod("fine", "default"),
]
POD = """\
apiVersion: v1
kind: Pod
metadata: {name: web-0, namespace: shop, uid: uid-1, creationTimestamp: "2026-11-20T00:00:00Z"}
spec: {nodeName: n-1, containers: [{name: c, image: app, envFrom: [{configMapRef: {name: app-conf}}]}]}
status:
  phase: Pending
  startTime: "2026-11-20T00:00:00Z"
  containerStatuses:
  - name: c
    image: app
    ready: false
    restartCount: 0
    state: {waiting: {reason: CreateContainerConfigError, message: 'configmap "app-conf" not found'}}
"""


def blocks(lang: str) -> list[tuple[int, str]]:
    """List each example with its first line number."""
    text = (DOCS / lang / "api.md").read_text("utf-8")
    found = re.finditer(r"^```python\n(.*?)^```$", text, re.MULTILINE | re.DOTALL)
    return [(text[: match.start(1)].count("\n"), match[1]) for match in found]


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Provide a directory with the files of the examples, and a cluster in KUBECONFIG."""
    (tmp_path / "pod.yaml").write_text(POD)
    (tmp_path / "notes.txt").write_text("nothing of Kubernetes\n")
    with small(Small(OBJECTS), tmp_path) as (_, kubeconfig):
        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("KUBECONFIG", str(kubeconfig))
        yield tmp_path


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_example_runs(lang: str, here: Path) -> None:
    names: dict[str, object] = {}
    for line, code in blocks(lang):
        # Line numbers in a traceback are those of the page.
        exec(compile("\n" * line + code, f"docs/{lang}/api.md", "exec"), names)  # noqa: S102 - our own page


@pytest.mark.slow
def test_a_type_checker_accepts_the_examples(tmp_path: Path) -> None:
    (tmp_path / "examples.py").write_text("\n".join(code for _, code in blocks("en")))
    done = subprocess.run(
        [sys.executable, "-m", "mypy", "--strict", str(tmp_path / "examples.py")],
        cwd=DOCS.parent,
        capture_output=True,
        text=True,
        timeout=500,
        check=False,
    )
    assert done.returncode == 0, done.stdout


def test_both_pages_have_the_same_examples() -> None:
    assert [code for _, code in blocks("en")] == [code for _, code in blocks("zh")]


@pytest.mark.parametrize("lang", LANGUAGES)
def test_every_public_name_is_shown(lang: str) -> None:
    text = (DOCS / lang / "api.md").read_text("utf-8")
    assert [name for name in api.__all__ if not re.search(rf"\bapi\.{name}s?\b", text)] == []
    kinds = (api.Cluster, api.Report, api.Scan, api.CausePage)
    own = (
        (name, member) for kind in kinds for name, member in vars(kind).items() if not name.startswith("_")
    )
    methods = {name for name, member in own if isinstance(member, property) or inspect.isfunction(member)}
    code = "\n".join(code for _, code in blocks(lang))
    assert [m for m in sorted(methods) if not re.search(rf"\.{m}\b", code)] == []
