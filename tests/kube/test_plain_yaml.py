"""Whatever is read without the YAML library is read as that reads it."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import many
from unstuck.collect.kube.plain_yaml import plain_mapping

KUBECONFIG = """\
apiVersion: v1
clusters:
- cluster:
    certificate-authority-data: LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCg==
    server: https://10.0.0.1:6443
  name: kubernetes
- cluster:
    insecure-skip-tls-verify: true
    server: https://lab.example:443
  name: lab
contexts:
- context:
    cluster: kubernetes
    namespace: shop
    user: kubernetes-admin
  name: kubernetes-admin@kubernetes
current-context: kubernetes-admin@kubernetes
kind: Config
preferences: {}
users:
- name: kubernetes-admin
  user:
    client-certificate: /etc/kubernetes/admin.crt
    client-key: /etc/kubernetes/admin.key
"""


def test_a_kubeconfig_as_kubeadm_writes_it() -> None:
    assert plain_mapping(KUBECONFIG) == yaml.safe_load(KUBECONFIG)


def test_lists_that_are_indented_too() -> None:
    text = "a:\n  - b: c\n    d:\n      e: f\n  - b: g\nh: {}\n"
    assert plain_mapping(text) == yaml.safe_load(text) == {"a": [{"b": "c", "d": {"e": "f"}}, {"b": "g"}], "h": {}}


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a:",
        "a: 1",
        "a: 0x1f",
        "a: 2026-11-21",
        "a: on",
        "a: No",
        "on: a",
        "a: ~",
        "a: 'b'",
        "a: b # c",
        "a: b: c",
        "a: b:",
        "a: *b",
        "a: |\n  b",
        "a: b\n  c: d",
        "a:\n    b: c\n  d: e",
        "a: b\na: c",
        "a:\n- b",
        "a:\n- b: c\n - d: e",
        "a:\tb",
        "a: b\r\nc: d\r\n",
        "---\na: b",
        "- a: b",
        " a: b\nc: d",
        "a: é",
        "a: <<",
        "<<: a",
        "a: b\n# c",
    ],
)
def test_what_may_mean_more_is_left_to_the_library(text: str) -> None:
    assert plain_mapping(text) is None


WORDS = st.sampled_from(
    ["a", "b-c", "server", "on", "Yes", "true", "null", "1", "1e3", ".5", "~", "{}", '""', "a:b", "x:", "a#b", "=", "/a/b", "-"]
)
LINES = st.builds(
    lambda indent, dash, key, value: f"{' ' * indent}{dash}{key}:{value}",
    st.integers(0, 6),
    st.sampled_from(["", "", "", "- ", "-"]),
    WORDS,
    st.one_of(st.just(""), WORDS.map(lambda w: f" {w}"), st.sampled_from([" ", "  a", " a b", "\ta"])),
)


@settings(max_examples=many(3000), deadline=None)
@given(st.lists(st.one_of(LINES, st.sampled_from(["", " ", "# a", "- a"])), min_size=1, max_size=7))
def test_any_lines(lines: list[str]) -> None:
    text = "\n".join(lines)
    found = plain_mapping(text)
    if found is not None:
        assert found == yaml.safe_load(text), text


LEAVES = st.one_of(st.text(min_size=1, max_size=8), st.booleans(), st.just({}), st.sampled_from(["https://a:6443", "/a/b", "on"]))
KEYS = st.sampled_from(["name", "server", "user", "client-key-data", "cluster"])
DOCUMENTS = st.dictionaries(
    KEYS, st.recursive(LEAVES, lambda inner: st.one_of(st.dictionaries(KEYS, inner), st.lists(st.dictionaries(KEYS, inner))), max_leaves=6)
)


@settings(max_examples=many(1000), deadline=None)
@given(DOCUMENTS)
def test_any_document(document: dict[str, Any]) -> None:
    assert plain_mapping(yaml.safe_dump(document)) in (None, document)
