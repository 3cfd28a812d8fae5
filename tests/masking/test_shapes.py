"""Every self-identifying form of a secret is masked: none is skipped for lack of its mark."""

from __future__ import annotations

import re

import pytest

from unstuck.collect import masking

FILL = "Ab0cD1eF2gH3iJ4kL5mN6oP7qR8sT9uV0wX1yZ2aB3cD4eF5gH6iJ7kL8mN9oP0qR1sT2"
FORMS = (
    f"eyJ{FILL[:20]}.eyJ{FILL[:20]}.{FILL[:20]}",
    FILL,
    "-----BEGIN RSA " + f"PRIVATE KEY-----\\n{FILL}",
    *(prefix + "Q7W2E9R4T6Y1U8I3" for prefix in ("AKIA", "ASIA", "AIDA", "AROA", "LTAI", "AKID")),
    *(
        prefix + FILL[:40]
        for prefix in (
            "AIza",
            "ya29.",
            "ghp_",
            "gho_",
            "ghu_",
            "ghs_",
            "ghr_",
            "github_pat_",
            "glpat-",
            "npm_",
            "hvs.",
            "hvb.",
        )
    ),
    *(f"xox{kind}-1234567890-{FILL[:20]}" for kind in "abeprs"),
    *(f"{kind}k_{where}_{FILL[:24]}" for kind in "rs" for where in ("live", "test")),
    f"SG.{FILL[:22]}.{FILL[:43]}",
    *(f"sk-{of}{FILL[:40]}" for of in ("", "proj-", "ant-", "svcacct-")),
    f"1234567890:AA{FILL[:33]}",
    "hooks.slack.com/services/T0123/B0123/" + FILL[:24],
    *(f"$2{kind}$10${FILL[:53]}" for kind in "abxy"),
)


@pytest.mark.parametrize("form", FORMS)
def test_each_form_is_masked(form: str) -> None:
    line = form if form == FILL else f"refused - {form} just now"
    assert form not in masking.mask(line)


def test_each_form_of_the_expression_has_an_example() -> None:
    for form in _alternatives(str(masking._SHAPES.pattern)):
        assert any(re.search(form, example) for example in FORMS), f"add an example of {form}, and its mark"


def _alternatives(pattern: str) -> list[str]:
    """Return the alternatives of an expression, ignoring bars in brackets."""
    found, depth, quoted = [""], 0, False
    for at, char in enumerate(pattern):
        escaped = at > 0 and pattern[at - 1] == "\\"
        quoted = (quoted or char == "[") and not (quoted and char == "]" and not escaped)
        depth += 0 if quoted or escaped else (char == "(") - (char == ")")
        if char == "|" and not depth and not quoted:
            found.append("")
        else:
            found[-1] += char
    return found
