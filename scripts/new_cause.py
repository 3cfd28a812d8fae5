"""The three files of a new cause, with a case that fails until the rule is written.

Usage: `make new-cause ID=volume.what-is-wrong`. Errors: exit 2 for an id that is not `family.what-is-wrong` or exists already.
"""

from __future__ import annotations

import re
import sys
from pathlib import Path

CAUSES = Path(__file__).parent.parent / "src" / "unstuck" / "causes"

MODULE = '''"""TITLE IN ONE LINE

## How it happens

## How to tell

## Known limits

## References

"""

from __future__ import annotations

from unstuck.diagnosis.cause import Cause
from unstuck.diagnosis.sign import heard
from unstuck.diagnosis.text import Messages
from unstuck.diagnosis.verdict import Finding, Signs
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.core import Ref
from unstuck.facts.lookup import Facts

say = Messages(__name__)


def _rule(subject: Ref, snap: Facts) -> Signs:
    heard_of = heard(snap, Failure, subject, lambda f: [f] if f.operation == "…" else [])

    def finding() -> Finding:
        return Finding(say("what is wrong with {{pod}}", pod=subject.name), culprit=subject, blocks=(subject,))

    return Signs(decisive={{}}, supporting={{"a message says so": heard_of}}, finding=finding)


CAUSE = Cause(
    id="{id}",
    title=say("what is wrong, in a line"),
    subjects=("Pod",),
    stages=(),
    reads=frozenset({{Failure}}),
    rule=_rule,
)
'''

CHINESE = """# 标题

## 成因

## 如何判断

## 已知局限

## 参考

## 译文

what is wrong with {pod}
: {pod} 出了什么问题

what is wrong, in a line
: 一句话说明问题
"""

CASES = """# {id}: cases

## match: what is seen when it is this
subject: Pod default/example
expect: proven
now: 2026-11-21T00:10:00Z

```text paste.txt
Put here what a person sees: kubectl's YAML, an event, a kubelet line, lsattr …
```

## near miss: what looks like it and is not
subject: Pod default/example
expect: ruled-out
now: 2026-11-21T00:10:00Z

```text paste.txt
…
```

## undecided: what is seen when too little was looked at
subject: Pod default/example
expect: undecided
now: 2026-11-21T00:10:00Z

```text paste.txt
…
```
"""


def main(argv: list[str]) -> int:
    """Write the files and says which; 0, or 2 when the id is off."""
    id_ = argv[0] if argv else ""
    found = re.fullmatch(r"([a-z]+)\.([a-z0-9]+(?:-[a-z0-9]+)*)", id_)
    if not found:
        sys.stderr.write(f"new-cause: {id_!r} is no id; say ID=family.what-is-wrong\n")
        return 2
    family, name = CAUSES / found[1], found[2].replace("-", "_")
    module = family / f"{name}.py"
    if module.exists():
        sys.stderr.write(f"new-cause: {id_} exists already: {module}\n")
        return 2
    family.mkdir(exist_ok=True)
    package = family / "__init__.py"
    if not package.exists():
        package.write_text(f'"""What is wrong with: {found[1]}."""\n')
    for path, text in (
        (module, MODULE.format(id=id_)),
        (module.with_suffix(".zh.md"), CHINESE),
        (module.with_suffix(".cases.md"), CASES.format(id=id_)),
    ):
        path.write_text(text)
        sys.stdout.write(f"{path.relative_to(CAUSES.parent.parent.parent)}\n")
    sys.stdout.write(f"now: .venv/bin/pytest -q tests/contract/test_cases.py -k {id_}\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
