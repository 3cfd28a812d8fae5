"""kubectl's YAML, read line by line: the result equals a full parser's, and all other YAML is left to that
parser.
"""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
import yaml

from tests.text.support import NOW
from unstuck.collect.text import read_text
from unstuck.collect.text.objects.plain_yaml import load_plain
from unstuck.collect.text.objects.yaml_loader import load

POD = """\
---
apiVersion: v1
kind: Pod
metadata:
  annotations:
    note: 'it''s "so": # yes'
    script: |-
      # not a comment

      echo "a: b"
  managedFields:
  - fieldsV1:
      f:spec:
        f:containers:
          k:{"name":"app"}:
            .: {}
    time: "2026-11-20T23:50:00Z"
  name: web-0
  namespace: shop
  uid: 00000000-0000-4000-8000-000000000001
spec:
  containers:
  - args:
    - --port=8080
    - |
      one
        two
    image: quay.io/shop/web:1
    name: app
    ports:
    - containerPort: 8080
  restartPolicy: Always
  tolerations: []
status:
  conditions:
  - lastTransitionTime: "2026-11-20T23:50:00Z"
    message: "C:\\\\x \\"q\\""
    status: "True"
    type: Ready
  - message: 'rpc error: it''s so long that it
      goes on: here'
    reason: containers that are not
      ready
    type: Other
  - "one \\"two\\"
    three"
  phase: Running
  startTime: null
"""
SIGNS = "a 1 0x1F 1.5 on No null ~ -1 a:b #c q' | > = << . 1_000 0o7 010 .5 .inf !x &a *a %x @x ? - ... true y : a: it's 12:30 2026-11-20"
SCALARS = SIGNS.split(" ")
# Folded scalars: plain, single-quoted and double-quoted.
WORDS = (
    "dial tcp",
    "it's",
    "a: b",
    "- x",
    "# no",
    '"',
    "C:\\\\x",
    "é",
    "said",
    "\u200b",
    "two  blanks",
    "connection refused",
)
MARKS = list(":- #'\"|>{}[]&*!?,.\n\n   ab1~\\<=\té")


def _some(random: Random, deep: int) -> Any:
    kind = random.random() if deep else 0
    if kind < 0.1:
        return " ".join(random.choice((*SCALARS, *WORDS)) for _ in range(random.randint(2, 12)))
    if kind < 0.4:
        return random.choice(
            (
                *SCALARS,
                "--a=b",
                "-x",
                "--",
                "",
                "a: b",
                "a #c",
                " a",
                "a ",
                "a\nb\n",
                "a\n\n b",
                1,
                None,
                True,
                2.5,
            )
        )
    if kind < 0.7:
        return {
            random.choice((f"k{n}", random.choice(SCALARS))): _some(random, deep - 1)
            for n in range(random.randint(0, 4))
        }
    return [_some(random, deep - 1) for _ in range(random.randint(0, 4))]


def _mangled(random: Random) -> str:
    text = POD if random.random() < 0.4 else _dumped(random)
    for _ in range(random.choice((0, 1, 1, 2, 3))):
        at = random.randrange(len(text) + 1)
        text = text[:at] + random.choice(MARKS) + text[at + random.randint(0, 1) :]
    return text


def _dumped(random: Random) -> str:
    """Return the YAML folded like kubectl's, more often, or not at all."""
    width, unicode = random.choice((20, 80, 10**6)), random.random() < 0.5
    return yaml.safe_dump(
        _some(random, 4), default_flow_style=False, width=width, sort_keys=False, allow_unicode=unicode
    )


def _loaded(text: str) -> str:
    try:
        return repr(list(load(text, 64, 2_000_000)))
    except ValueError:
        return "refused"


def test_what_is_read_is_what_a_whole_parser_reads() -> None:
    random, read = Random(1), 0  # noqa: S311 - not for secrets
    for _ in range(400):
        text = _mangled(random)
        try:
            found = repr(load_plain(text))
        except ValueError:
            continue
        read += 1
        assert found == _loaded(text), text
    assert read > 50


def test_a_pod_as_kubectl_prints_it_is_of_the_plain_form() -> None:
    assert repr(load_plain(POD)) == _loaded(POD)
    assert repr(load_plain(POD + POD)) == _loaded(POD + POD)


@pytest.mark.parametrize(
    "text",
    [
        "a: &x 1\nb: *x\n",
        "a: !!python/object:os.system 1\n",
        "a: [1]\n",
        "a: b\n\n  c\n",
        "# a\nb: 1\n",
        "\ta: 1\n",
        "fieldsV1:\n\nb: 1\n",
    ],
)
def test_what_is_not_is_left_to_the_other(text: str) -> None:
    with pytest.raises(ValueError):
        load_plain(text)


def test_a_whole_file_tells_what_it_tells_in_pieces() -> None:
    whole = read_text(POD, "pod.yaml", NOW)
    # A blank line in front: it is read in pieces.
    pieces = read_text("\n" + POD, "pod.yaml", NOW)
    assert [repr(f).replace("yaml:2", "yaml:1") for f in pieces.facts] == [repr(f) for f in whole.facts]
    assert whole.understood == [(1, POD.count("\n"), "json-yaml")] and not whole.not_understood


def test_a_fence_or_a_prompt_parts_it_all_the_same() -> None:
    for line in ("```\n", "$ kubectl get nodes -o yaml\n"):
        assert len(read_text(POD + line + POD.replace("web-0", "web-1"), "paste", NOW).understood) == 2
