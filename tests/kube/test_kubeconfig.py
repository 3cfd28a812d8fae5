"""The choice of cluster and user: kubeconfig's rules, and one line for each possible error."""

from __future__ import annotations

import base64
import json
from pathlib import Path

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.examples import scale_examples
from unstuck.collect.kube.transport.kubeconfig import find_access, merge, read_service_account
from unstuck.errors import UnstuckError

CONFIG = {
    "current-context": "lab",
    "contexts": [
        {"name": "lab", "context": {"cluster": "k", "user": "jo", "namespace": "shop"}},
        {"name": "prod", "context": {"cluster": "k2", "user": "jo"}},
        {"name": "broken", "context": {"cluster": "gone", "user": "jo"}},
    ],
    "clusters": [
        {
            "name": "k",
            "cluster": {"server": "https://one:6443", "proxy-url": "http://p:1", "tls-server-name": "n"},
        },
        {"name": "k2", "cluster": {"server": "https://two:6443", "insecure-skip-tls-verify": True}},
    ],
    "users": [
        {
            "name": "jo",
            "user": {"token": "t", "as": "root", "as-groups": ["g"], "as-user-extra": {"why": ["x"]}},
        }
    ],
}


def write(path: Path, config: object) -> str:
    path.write_text(yaml.safe_dump(config))
    return str(path)


def test_the_current_context_is_used_with_all_its_parts(tmp_path):
    a = find_access(None, write(tmp_path / "c", CONFIG), None, {})
    assert (a.context, a.server, a.namespace, a.token, a.proxy, a.tls_name) == (
        "lab",
        "https://one:6443",
        "shop",
        "t",
        "http://p:1",
        "n",
    )
    assert a.headers == (
        ("Impersonate-User", "root"),
        ("Impersonate-Group", "g"),
        ("Impersonate-Extra-why", "x"),
    )


def test_context_and_namespace_may_be_chosen(tmp_path):
    a = find_access("prod", write(tmp_path / "c", CONFIG), "other", {})
    assert (a.server, a.namespace, a.insecure) == ("https://two:6443", "other", True)


def test_of_several_files_the_first_one_wins_entry_by_entry(tmp_path):
    first = write(
        tmp_path / "1",
        {"clusters": [{"name": "k", "cluster": {"server": "https://mine"}}], "current-context": "prod"},
    )
    second = write(tmp_path / "2", CONFIG)
    env = {"KUBECONFIG": f"{first}:{tmp_path / 'missing'}:{second}"}
    assert find_access(None, None, None, env).context == "prod"
    assert find_access("lab", None, None, env).server == "https://mine"


def test_relative_paths_belong_to_the_file_that_holds_them(tmp_path):
    (tmp_path / "d").mkdir()
    (tmp_path / "d" / "token").write_text("x")
    users = [
        {
            "name": "jo",
            "user": {
                "tokenFile": "token",
                "exec": {"command": "./bin/login", "args": ["a"], "interactiveMode": "Always"},
            },
        }
    ]
    a = find_access(None, write(tmp_path / "d" / "c", {**CONFIG, "users": users}), None, {})
    assert a.token_file == str(tmp_path / "d" / "token")
    assert a.plugin is not None
    assert (a.plugin.command, a.plugin.interactive) == (str(tmp_path / "d" / "./bin/login"), True)


def test_data_comes_before_files(tmp_path):
    user = {
        "client-certificate-data": base64.b64encode(b"CERT").decode(),
        "client-certificate": "/no/such",
        "client-key-data": "S0VZ",
    }
    a = find_access(
        None, write(tmp_path / "c", {**CONFIG, "users": [{"name": "jo", "user": user}]}), None, {}
    )
    assert (a.cert, a.key, a.cert_from) == ("CERT", "KEY", "client-certificate-data")


def test_json_is_read_too(tmp_path):
    (tmp_path / "c").write_text(json.dumps(CONFIG))
    assert find_access(None, str(tmp_path / "c"), None, {}).context == "lab"


def test_in_a_pod_its_service_account_is_used(tmp_path):
    for name, text in (("token", "t\n"), ("ca.crt", "PEM"), ("namespace", "shop")):
        (tmp_path / name).write_text(text)
    a = read_service_account(
        None, {"KUBERNETES_SERVICE_HOST": "fd00::1", "KUBERNETES_SERVICE_PORT": "443"}, tmp_path
    )
    assert (a.server, a.namespace, a.ca, a.token_file) == (
        "https://[fd00::1]:443",
        "shop",
        "PEM",
        str(tmp_path / "token"),
    )


@pytest.mark.parametrize(
    ("context", "content", "says"),
    [
        ("labb", CONFIG, "no context 'labb' in .*; nearest: lab"),
        ("zzzzz", CONFIG, "no context 'zzzzz' in .*; there is: broken, lab, prod"),
        ("broken", CONFIG, "context 'broken' names the cluster 'gone'"),
        (
            None,
            {**CONFIG, "current-context": ""},
            "sets no current-context; choose one with --context: broken, lab, prod",
        ),
        (None, {**CONFIG, "clusters": [{"name": "k", "cluster": {}}]}, "cluster 'k' in .* has no server"),
        (
            None,
            {**CONFIG, "users": [{"name": "jo", "user": {"client-certificate": "/no/such"}}]},
            "/no/such cannot be read: No such file",
        ),
        (
            None,
            {**CONFIG, "users": [{"name": "jo", "user": {"client-key-data": "/w=="}}]},
            "client-key-data in the kubeconfig is no base64",
        ),
        (None, [1], "is no kubeconfig"),
    ],
)
def test_what_is_off_is_one_line(tmp_path, context, content, says):
    with pytest.raises(UnstuckError, match=says) as e:
        find_access(context, write(tmp_path / "c", content), None, {})
    assert "\n" not in str(e.value)


def test_no_kubeconfig_at_all_is_one_line(tmp_path):
    with pytest.raises(UnstuckError, match=f"no kubeconfig: {tmp_path} is no file; set KUBECONFIG"):
        find_access(None, str(tmp_path), None, {})
    with pytest.raises(
        UnstuckError, match=f"no kubeconfig: {tmp_path}/.kube/config does not exist; set KUBECONFIG"
    ):
        find_access(None, None, None, {"HOME": str(tmp_path)})


def test_a_file_that_is_no_yaml_is_one_line(tmp_path):
    (tmp_path / "c").write_text("a: [\n")
    with pytest.raises(UnstuckError, match="is not valid YAML") as e:
        find_access(None, str(tmp_path / "c"), None, {})
    assert "\n" not in str(e.value)


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5) | st.sampled_from(["lab", "k", "jo"]),
    lambda v: (
        st.lists(v, max_size=3)
        | st.dictionaries(
            st.sampled_from([*CONFIG, "name", "cluster", "user", "context", "exec", "1"]), v, max_size=4
        )
    ),
    max_leaves=12,
)


@given(VALUES, st.sampled_from([None, "lab"]))
@settings(max_examples=scale_examples(200), deadline=None)
def test_no_content_ends_in_anything_but_one_line(value, context):
    content = {**CONFIG, **value} if isinstance(value, dict) else {"contexts": value}
    merged = merge([(Path("/x/c"), content)])
    assert all(isinstance(k, str) for k in merged.contexts)
