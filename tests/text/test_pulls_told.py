"""Image pulls in texts without a Pod's name, or in manually broken lines."""

from __future__ import annotations

from tests.text.support import NOW, pick
from unstuck.collect.text import read_text
from unstuck.facts.aspects.objects import Failure
from unstuck.facts.aspects.pod import Placement
from unstuck.facts.core import Fact, Ref

PULL = (
    'E1120 23:32:58.710418    2450 remote_image.go:238] "PullImage from image service failed" err="rpc error: code = Unknown desc = failed to pull and unpack image '
    '\\"r.example/a:1\\": failed to resolve reference \\"r.example/a:1\\": failed to do request: Head \\"https://r.example/v2/a/manifests/1\\": '
    'dial tcp 10.0.0.9:443: connect: connection refused" image="r.example/a:1"\n'
)
OF_N_1 = f"Nov 20 23:32:58 n-1 kubelet[2450]: {PULL}"
BROKEN = """\
Failed to pull image `r.example/a:1`:
rpc error: code = Unknown desc = failed to pull and unpack image `r.example/a:1`:
failed to resolve reference `r.example/a:1`:
failed to do request: Head https://r.example/v2/a/manifests/1:
x509: certificate signed by unknown authority
"""


def facts(text: str) -> list[Fact]:
    return read_text(text, "paste.txt", NOW).facts


def test_a_pull_by_hand_is_for_a_pod_that_nobody_named() -> None:
    (told,) = pick(facts(PULL), Failure)
    assert (told.about.kind, told.about.name, told.error) == ("Pod", None, "connection-refused")


def test_such_a_pod_lies_on_the_machine_of_the_log() -> None:
    told = facts(OF_N_1)
    (failure,), (placed,) = pick(told, Failure), pick(told, Placement)
    assert placed.about == failure.about
    assert placed.node == Ref("Node", None, "n-1")


def test_where_the_log_names_a_pod_a_pull_without_one_stays_with_the_node() -> None:
    named = (
        'Nov 20 23:33:30 n-1 kubelet[2450]: E1120 23:33:30.710418    2450 pod_workers.go:1300] "Error syncing pod, skipping" err="failed to \\"StartContainer\\" '
        'for \\"c\\" with CreateContainerConfigError: \\"configmap \\\\\\"x\\\\\\" not found\\"" pod="f/p" podUID="00000000-0000-4000-8000-0000000000a1"\n'
    )
    pulls = [f for f in pick(facts(OF_N_1 + named), Failure) if f.operation == "image-pull"]
    assert [f.about for f in pulls] == [Ref("Node", None, "n-1")]


def test_pulls_of_two_machines_stay_with_them() -> None:
    told = pick(facts(OF_N_1 + OF_N_1.replace("n-1", "n-2")), Failure)
    assert {f.about for f in told} == {Ref("Node", None, "n-1"), Ref("Node", None, "n-2")}


def test_a_message_broken_behind_its_colons_is_one() -> None:
    (told,) = pick(facts(BROKEN), Failure)
    assert (told.error, told.object, told.host) == (
        "certificate-untrusted",
        Ref("Image", None, "r.example/a:1"),
        "r.example",
    )
