#!/usr/bin/env python3
"""Writes the one-file collector: `scripts/zipapp.py dist/unstuck-node.pyz`, for a bare Python >= 3.11.

It contains only the code for a look at a node, all of it our own pure Python. The same sources always give
the same bytes.
"""

from __future__ import annotations

import stat
import sys
import zipfile
from collections.abc import Iterator
from pathlib import Path

from unstuck.facts.text import TRANSLATIONS

SOURCE = Path(__file__).resolve().parents[1] / "src" / "unstuck"
# Whole packages, and the few modules of the library and the command line required by a look.
PACKAGES = (
    *("facts", "knowledge", "wording", "diagnosis", "stages", "scheduling", "causes", "engine", "render"),
    *("collect/node", "collect/runtime", "collect/script", "collect/kubelet"),
)
FILES = (
    *(
        "__init__.py",
        "errors.py",
        "collect/__init__.py",
        "collect/masking.py",
        "collect/output_file.py",
        "collect/x509.py",
    ),
    *(
        f"api/{name}.py"
        for name in ("__init__", "this_machine", "replaying", "ranking", "report", "saved_files")
    ),
    *(f"cli/{name}.py" for name in ("__init__", "single_file", "terminal", "status", "lang")),
)
ENDS = (".py", ".sh")
# YAML is not in the standard library.
LEFT_OUT = ("render/yaml.py",)
# The year 1980 is the earliest a zip can store.
WHEN = (1980, 1, 1, 0, 0, 0)
MAIN = """\
import sys
from unstuck.cli.single_file import main

for stream in (sys.stdout, sys.stderr):
    stream.reconfigure(encoding="utf-8", errors="backslashreplace")
sys.exit(main())
"""


def list_members() -> Iterator[tuple[str, bytes]]:
    """List the names in the file, with their contents."""
    yield "__main__.py", MAIN.encode()
    found = [SOURCE / f for f in FILES]
    found += [p for package in PACKAGES for p in (SOURCE / package).rglob("*") if p.suffix in ENDS]
    for path in sorted(set(found)):
        name = path.relative_to(SOURCE).as_posix()
        if name not in LEFT_OUT:
            yield f"unstuck/{name}", path.read_bytes()
    for path in sorted(page for module in set(found) if (page := module.with_suffix(".zh.md")).is_file()):
        # Only the messages: pages belong to the command line.
        _, head, translated = path.read_text("utf-8").partition(TRANSLATIONS)
        if translated:
            yield f"unstuck/{path.relative_to(SOURCE).as_posix()}", (head + translated).encode()


def write(target: Path) -> int:
    """Write the file atomically, and return its size in bytes. Errors: OSError."""
    target.parent.mkdir(parents=True, exist_ok=True)
    unfinished = target.with_name(target.name + ".new")
    with unfinished.open("wb") as file:
        file.write(b"#!/usr/bin/env python3\n")
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as archive:
            for name, data in list_members():
                info = zipfile.ZipInfo(name, WHEN)
                info.compress_type = zipfile.ZIP_DEFLATED
                info.external_attr = (stat.S_IFREG | 0o644) << 16
                archive.writestr(info, data)
    unfinished.chmod(0o755)
    unfinished.replace(target)
    return target.stat().st_size


if __name__ == "__main__":
    path = Path(sys.argv[1] if len(sys.argv) > 1 else "dist/unstuck-node.pyz")
    print(f"{path}: {write(path) / 1024:.0f} KiB")  # noqa: T201 - its result
