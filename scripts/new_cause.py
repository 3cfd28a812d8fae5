"""Writes the three files of a new cause: a small working one with its cases, to be replaced piece by piece.

Usage: `make new-cause ID=volume.what-is-wrong BY=fact|message`. BY: the evidence, a fact to look up (the
default) or the message of a failed start. Each part to replace is marked REPLACE, and the contract tests fail
while a mark is left. Errors: exit 2 for an id that is not `family.what-is-wrong` or exists already, and for
an unknown BY.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path
from string import Template

CAUSES = Path(__file__).parent.parent / "src" / "unstuck" / "causes"
SCAFFOLD = Path(__file__).parent / "scaffold"
EXAMPLES = ("fact", "message")
NEXT = """now, in this order (CONTRIBUTING.md, "A new cause"):
  1. make case-answers ID={id}: the example answers; make docs puts it on the generated pages
  2. replace the cases, then the rule, then the sentences and the pages; `grep -n REPLACE {module} {rest}`
     says what is left
  3. make docs format; .venv/bin/pytest -q tests/contract -k {id}
     .venv/bin/pytest -q tests/contract/test_terms.py; make mutate ID={id}; make check
"""


def main(argv: list[str]) -> int:
    """Write the files and print their names. Return 2 if the id or the example is invalid."""
    id_, by = (*argv, "", "")[:2]
    by = by or EXAMPLES[0]
    named = re.fullmatch(r"([a-z]+)\.([a-z0-9]+(?:-[a-z0-9]+)*)", id_)
    if not named:
        sys.stderr.write(f"new-cause: {id_!r} is no id; say ID=family.what-is-wrong\n")
        return 2
    if by not in EXAMPLES:
        sys.stderr.write(f"new-cause: BY={by!r}: say {' or '.join(EXAMPLES)}\n")
        return 2
    family, name = CAUSES / named[1], named[2].replace("-", "_")
    module = family / f"{name}.py"
    if module.exists():
        sys.stderr.write(f"new-cause: {id_} exists already: {module}\n")
        return 2
    family.mkdir(exist_ok=True)
    package = family / "__init__.py"
    if not package.exists():
        package.write_text(f'"""What is wrong with: {named[1]}."""\n')
    new = {
        module: f"{by}.py.txt",
        module.with_suffix(".cases.md"): f"{by}.cases.md",
        module.with_suffix(".zh.md"): f"{by}.zh.md",
    }
    for path, example in new.items():
        path.write_text(Template((SCAFFOLD / example).read_text("utf-8")).safe_substitute(id=id_), "utf-8")
    files = [path.relative_to(CAUSES.parents[2]).as_posix() for path in new]
    sys.stdout.write(
        "".join(f"{file}\n" for file in files)
        + NEXT.format(id=id_, module=files[0], rest=" ".join(files[1:]))
    )
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
