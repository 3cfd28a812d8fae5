"""The library decides, the command line prints: checks beyond import contracts."""

from __future__ import annotations

import ast
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
API = sorted((ROOT / "src" / "unstuck" / "api").glob("**/*.py"))
EDGES = ("tests/cli/", "tests/e2e/")


def _names(tree: ast.AST) -> Iterator[str]:
    """Yield every imported module, and every attribute as written."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Attribute | ast.Name):
            yield ast.unparse(node)


@pytest.mark.parametrize("path", API, ids=lambda p: p.name)
def test_the_library_prints_nothing_and_ends_no_process(path: Path) -> None:
    names = set(_names(ast.parse(path.read_text("utf-8"))))
    assert not names & {
        "print",
        "input",
        "exit",
        "quit",
        "SystemExit",
        "sys.exit",
        "os._exit",
        "os.kill",
        "sys.stdout",
        "sys.stderr",
    }
    assert not {
        n for n in names if n.split(".")[0] in ("click", "signal", "subprocess", "logging", "warnings")
    }
    assert not {n for n in names if n.startswith(("os.environ", "os.getenv"))}


@pytest.mark.parametrize("path", API, ids=lambda p: p.name)
def test_the_library_keeps_no_state_of_its_own(path: Path) -> None:
    """Nothing is written to a module's names from within a function: several threads may ask at once."""
    tree = ast.parse(path.read_text("utf-8"))
    assert not [n for n in ast.walk(tree) if isinstance(n, ast.Global)]
    made = [
        n
        for n in tree.body
        if isinstance(n, ast.Assign | ast.AnnAssign) and isinstance(n.value, ast.Dict | ast.List | ast.Set)
    ]
    named = {ast.unparse(n.targets[0] if isinstance(n, ast.Assign) else n.target) for n in made}
    assert named <= {"__all__", "_HOMES", "_KINDS", "SECONDS", "SOONER"}


def test_only_tests_of_the_command_line_import_it() -> None:
    found = []
    for path in sorted((ROOT / "tests").glob("**/*.py")):
        name = path.relative_to(ROOT).as_posix()
        text = path.read_text("utf-8")
        if not name.startswith(EDGES) and "unstuck" + ".cli" in text:
            found.append(name)
    assert found == []


def test_importing_the_package_imports_nothing() -> None:
    code = (
        "import sys; before = set(sys.modules); import unstuck; print(sorted(set(sys.modules) - before), "
        "dir(unstuck))"
    )
    done = subprocess.run(
        [sys.executable, "-S", "-c", code],
        capture_output=True,
        text=True,
        timeout=60,
        check=True,
        cwd=ROOT / "src",
    )
    loaded, _, names = done.stdout.partition("] [")
    assert loaded == "['unstuck'", done.stdout
    assert "__version__" in names
    assert [n for n in ast.literal_eval("[" + names) if not n.startswith("__")] == []


def test_the_library_is_imported_as_it_is_used() -> None:
    code = (
        "import sys; from unstuck import api; api.Nodes, api.connect; print(*sorted(m for m in sys.modules "
        "if m.startswith('unstuck.')))"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=60, check=True
    )
    loaded = done.stdout.split()
    assert "unstuck.api.cluster" in loaded
    assert not [
        m
        for m in loaded
        if m.startswith(("unstuck.engine", "unstuck.causes", "unstuck.render", "unstuck.diagnosis"))
    ]
