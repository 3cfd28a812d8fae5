"""Secrets without `=` or `:` before them: hex beside a word, options of programs, whole command lines
written as one word.
"""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from unstuck.collect.masking import mask, mask_message
from unstuck.collect.objects import facts_of
from unstuck.collect.text.node.ps import name_program
from unstuck.facts.aspects.pod import Containers, ContainerStatuses
from unstuck.facts.codec import to_json
from unstuck.facts.core import Fact

HEX = "9f8e7d6c5b4a39281706f5e4d3c2b1a0"
LETTERS = "deadbeefcafedeadbeefcafedeadbeef"


@pytest.mark.parametrize("key", [HEX, LETTERS, HEX.upper(), HEX[:16], HEX * 2])
@pytest.mark.parametrize(
    "form",
    [
        "api key {} refused",
        "using key {}",
        "encryption key: {}",
        "key={}",
        'the key is "{}"',
        "signing-key {}",
        "X-Signature {}",
        "apikey {}",
        "token {}",
        "secret key {}",
        "license {} has expired",
        "masterKey '{}'",
        "{} is the key",
        "{} as api-key was refused",
        "{} is your API token",
    ],
)
def test_hex_beside_a_word_that_sounds_like_a_key_is_masked(form: str, key: str) -> None:
    assert key[:16] not in mask(form.format(key))


@pytest.mark.parametrize(
    "line",
    [
        "redis-server --requirepass hunter2 *:6379",
        "requirepass hunter",
        "mysqld -phunter2 -u root",
        "mysql -h db -u root -phunter2",
        "sshpass -p hunter2 ssh root@h",
        "redis-cli -h h -a hunter2 ping",
        "curl -u admin:hunter2 https://x",
        "etcdctl --user root:hunter2 get x",
        "etcdctl --user=root:hunter2 get x",
        "openssl enc -pass pass:hunter2",
        "PGPASSWORD=hunter2 psql",
        "psql --db-password=hunter2",
        "run --account-key hunter2",
        "AccountName=x;AccountKey=hunter2==;EndpointSuffix=core",
        "Cookie: session=hunter2",
        "pass=hunter2",
        "passphrase=hunter2",
        "https://hooks.slack.com/services/T0/B0/hunter2",
        r"key -----BEGIN PRIVATE KEY-----\nhunter2\n-----END PRIVATE KEY-----",
        "bot 123456789:AAhunter2hunter2hunter2hunter2hunter2",
    ],
)
def test_a_secret_in_a_line_of_a_command_is_masked(line: str) -> None:
    assert "hunter" not in mask(line)


OF_A_COMMAND = (
    "redis-server --requirepass hunter2",
    "mysql -uroot -phunter2",
    "curl -u admin:hunter2 http://x",
    "PGPASSWORD=hunter2",
    "psql --password=hunter2",
    "psql postgres://app:hunter2@db/x",
    "wget --header 'Authorization: Bearer hunter2hunter2'",
)


@pytest.mark.parametrize("command", OF_A_COMMAND)
@pytest.mark.parametrize(
    "message",
    [
        "Exec lifecycle hook ([sh -c {}]) for Container \"app\" failed - error: command '{}' exited with 1: ",
        'Liveness probe failed: command "{}" timed out',
        (
            'failed to create containerd task: runc create failed: exec: "{}": executable file not found in '
            "$PATH: unknown"
        ),
    ],
)
def test_no_message_tells_the_secrets_of_a_command(command: str, message: str) -> None:
    """A kubelet quotes whole commands of probes and hooks, and the runtime a program that is none."""
    said = message.format(command, command)
    assert "hunter" not in mask_message(said)
    pod = {
        "apiVersion": "v1",
        "kind": "Pod",
        "metadata": {"name": "web-0", "namespace": "shop", "uid": "u"},
        "spec": {
            "containers": [
                {"name": "app", "command": [command], "livenessProbe": {"exec": {"command": [command]}}}
            ]
        },
        "status": {
            "containerStatuses": [
                {"name": "app", "state": {"waiting": {"reason": "RunContainerError", "message": said}}}
            ],
            "conditions": [{"type": "Ready", "status": "False", "message": said}],
        },
    }
    event = {
        "apiVersion": "v1",
        "kind": "Event",
        "metadata": {"name": "e", "namespace": "shop"},
        "involvedObject": {"kind": "Pod", "name": "web-0", "namespace": "shop"},
        "type": "Warning",
        "reason": "Failed",
        "message": said,
    }
    facts: list[Fact] = [
        f for obj in (pod, event) for f in facts_of(obj, "x", datetime(2026, 1, 1, tzinfo=UTC))
    ]
    assert {Containers, ContainerStatuses} <= {type(f) for f in facts}
    assert not [f for f in facts if "hunter" in str(to_json(f))]


@pytest.mark.parametrize("title", ["PGPASSWORD=hunter2 psql", "redis://:hunter2@h/0", "--password=hunter2"])
def test_a_title_of_a_process_tells_none(title: str) -> None:
    assert "hunter" not in name_program(title)


@pytest.mark.parametrize(
    "message",
    [
        'MountVolume.SetUp failed for volume "token-1" : secret "db-token12345678" not found',
        "couldn't find key password in Secret shop/db",
        'Error: secret "my-token": not found',
        'Failed to pull image "registry.example:5000/team/web@sha256:' + HEX * 2 + '": not found',
        "running as user 1000:1000, --user 1000:1000",
        "Readiness probe failed: HTTP probe failed with statuscode: 503",
        "0/3 nodes are available: 1 node(s) had untolerated taint {key: value}.",
    ],
)
def test_a_messages_own_words_stay(message: str) -> None:
    assert mask_message(message) == message


@pytest.mark.parametrize(
    "piece",
    [
        *(
            "key ",
            "a:",
            "://",
            "://a:",
            "@",
            "password ",
            "--token ",
            "eyJaaaaaaaaa.",
            "sk-",
            "bearer ",
            "token ",
            "-",
            "0",
            "a",
            "mysql ",
        ),
        *(
            "-u ",
            "-u a",
            "sshpass -p",
            "redis-cli ",
            "-----BEGIN PRIVATE KEY",
            "is key ",
            "0123456789abcdef ",
            "A=",
            "key='",
            "\\",
            "$2a$10$",
        ),
    ],
)
def test_no_line_of_16_kib_takes_long(piece: str) -> None:
    """A quarter of a second is some hundred times what one takes, and a thousandth of what one takes that
    is tried again and again.
    """
    for line in (
        piece * (16384 // len(piece)),
        "password='" + piece * (16384 // len(piece)),
        piece * (16384 // len(piece)) + "@",
    ):
        began = time.process_time()
        mask(line), mask_message(line)
        assert time.process_time() - began < 1.0
