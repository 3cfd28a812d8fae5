"""The cases file of a cause is parsed by its format, and deviations are reported with file and line."""

from __future__ import annotations

from pathlib import Path

import pytest
from scripts.cases import load_cases, parse_cases

import unstuck.causes
from unstuck.errors import InputError
from unstuck.facts.core import Ref

GOOD = """# config.configmap-missing: cases

Words for readers.

## match: a volume names a ConfigMap that is not there
subject: Pod f/p
expect: proven
says: app-conf
now: 2026-11-20T10:00:00Z
whole: true

```yaml pod.yaml
## no heading: this is evidence
kind: Pod
```

```facts
[]
```

## near miss: another
subject: Node n-1
expect: ruled-out

````text
```
````
"""


def test_all_parts_of_a_case() -> None:
    match, near = parse_cases(GOOD, "x.md")
    assert (match.kind, match.title, match.expect, match.says, match.whole) == (
        "match",
        "a volume names a ConfigMap that is not there",
        "proven",
        "app-conf",
        True,
    )
    assert match.subject == Ref("Pod", "f", "p")
    assert match.now is not None and match.now.isoformat() == "2026-11-20T10:00:00+00:00"
    assert match.texts == (
        ("yaml pod.yaml", "## no heading: this is evidence\nkind: Pod\n"),
        ("facts", "[]\n"),
    )
    assert near.subject == Ref("Node", None, "n-1")
    assert near.texts == (("text", "```\n"),)
    assert (match.line, near.line) == (5, 21)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("## match without colon\n", "heading"),
        ("## match: a\nsubject: Pod p\nexpect: maybe\n```\n```\n", "expect is one of"),
        ("## match: a\nexpect: proven\n```\n```\n", "subject reads"),
        ("## match: a\nsubject: Pod p\nexpect: proven\n", "no evidence"),
        ("## match: a\nsubject: Pod p\nexpect: proven\n```\nx\n", "not closed"),
        ("## match: a\nsubject: Pod p\nexpect: proven\nnow: today\n```\n```\n", "RFC 3339"),
    ],
)
def test_a_wrong_form_is_told_in_one_line(text: str, says: str) -> None:
    with pytest.raises(InputError, match=says) as caught:
        list(parse_cases(text, "x.cases.md"))
    assert str(caught.value).startswith("x.cases.md:1: ")


def test_every_cause_has_cases_that_read() -> None:
    files = sorted(Path(unstuck.causes.__path__[0]).rglob("*.cases.md"))
    assert files
    for file in files:
        assert load_cases(file), file
