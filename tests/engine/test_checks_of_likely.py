"""A likely cause with a remaining check has it as the next command, and its sentence contains every name and
reason of the text.
"""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from unstuck.api.replaying import diagnose_saved
from unstuck.collect.text import read_text
from unstuck.diagnosis.answer import CauseMatch, Diagnosis
from unstuck.facts.codec import Saved
from unstuck.facts.core import LONGEST_QUOTE, shorten
from unstuck.facts.snapshot import Snapshot
from unstuck.render.evidence import shorten_longest_paths, shorten_paths

AT = datetime(2026, 11, 28, tzinfo=UTC)
FIXED = "spec: Forbidden: updates to statefulset spec for fields other than 'replicas' are forbidden"
OF_WEB, OF_DB = (
    f'cannot patch "{n}" with kind StatefulSet: StatefulSet.apps "{n}" is invalid: {FIXED}'
    for n in ("web-filer", "web-db")
)
CHECKS = [
    # The look suggested by the message itself.
    (
        (
            'secrets is forbidden: User "system:serviceaccount:a:web" cannot create resource "secrets" in '
            'API group "" in the namespace "b"'
        ),
        "kubectl auth can-i create secrets --as=system:serviceaccount:a:web -n b",
    ),
    (
        'error: unable to recognize "a.yaml": no matches for kind "A" in version "x.example.com/v1"',
        "kubectl api-resources --api-group=x.",
    ),
    # The help's own first look.
    (
        (
            "Cannot determine if job needs to be started: too many missed start time (> 100). Set or "
            "decrease .spec.startingDeadlineSeconds"
        ),
        "kubectl get cronjobs -A",
    ),
    # Looks at other objects in the message.
    (
        (
            'Error: admission webhook "a.b.example" denied the request: host "w.example" is already defined '
            "in ingress shop/web"
        ),
        "kubectl describe ingress/web -n shop",
    ),
    # A look with a placeholder comes last.
    (f"Error: UPGRADE FAILED: {OF_WEB}", "kubectl get statefulset.apps/web-filer -n NAMESPACE -o yaml"),
]
NAMED = [
    (f"Error: UPGRADE FAILED: {OF_WEB} && {OF_DB}", ("web-filer", "web-db")),
    (
        'unable to recognize "a.yaml": no matches for kind "ScaledThing" in version "x.example.com/v1"\n'
        'unable to recognize "a.yaml": no matches for kind "TriggerAuthentication" in version '
        '"x.example.com/v1"',
        ("ScaledThing", "TriggerAuthentication"),
    ),
    (
        "Warning  FailedScheduling  3m  default-scheduler  0/3 nodes are available: 1 Insufficient cpu, "
        "2 node(s) had taint {team: a}, that the pod didn't tolerate.",
        ("2 node(s) had taint {team: a}",),
    ),
    (
        "    State:          Terminated\n      Reason:       OOMKilled\n      Exit Code:    137\n    Ready: "
        "         False\n"
        "    Limits:\n      memory:  300Mi\n",
        ("300Mi",),
    ),
    (
        'Failed create pod sandbox: failed to set up sandbox container "0a1b" network for pod "p": '
        "networkPlugin cni failed to set up pod "
        '"p_f" network: failed to allocate for range 0: no IP addresses available in range set: '
        "10.1.0.1-10.1.0.254",
        ("10.1.0.1-10.1.0.254",),
    ),
]


PLUGINS = r"""Events:
  FirstSeen	LastSeen	Count	From	SubObjectPath	Type	Reason	Message
  ---------	--------	-----	----	-------------	----	------	-------
  6m	3m	117	kubelet, n-1		Warning	FailedSync	Error syncing pod, skipping: failed to "SetupNetwork" for "p" with SetupNetworkError: "Failed to setup network for pod \"p\" using network plugins \"cni\": failed to find plugin \"loopback\" in path [/opt/a/bin /opt/cni/bin]; Skipping pod"
  3m	2s	224	kubelet, n-1		Warning	FailedSync	Error syncing pod, skipping: failed to "SetupNetwork" for "p" with SetupNetworkError: "Failed to setup network for pod \"p\" using network plugins \"cni\": failed to find plugin \"bridge\" in path [/opt/cni/bin]; Skipping pod"
"""


def answers(pasted: str) -> list[Diagnosis]:
    return [
        *diagnose_saved(
            Saved(Snapshot(read_text(pasted, "paste.txt", AT).facts, AT, ("file:-",)), None, None)
        ).diagnoses
    ]


def likely(pasted: str) -> tuple[Diagnosis, CauseMatch]:
    first = next(d for d in answers(pasted) if d.causes)
    assert first.causes[0].confidence == "likely"
    return first, first.causes[0]


@pytest.mark.parametrize(("pasted", "begins"), CHECKS)
def test_a_likely_cause_has_its_check_as_the_next_command(pasted: str, begins: str) -> None:
    first, _ = likely(pasted)
    assert first.next[0].command.line.startswith(begins)


@pytest.mark.parametrize(("pasted", "names"), NAMED)
def test_the_sentence_holds_each_name_and_reason(pasted: str, names: tuple[str, ...]) -> None:
    _, cause = likely(pasted)
    says = cause.finding.says
    assert all(name in says.en and name in says.zh for name in names)


def test_both_plugins_that_are_missing_are_named_with_where_they_were_looked_for() -> None:
    _, cause = likely(PLUGINS)
    assert "loopback, bridge" in cause.finding.says.en and "in /opt/cni/bin" in cause.finding.says.en


def test_a_login_that_an_unknown_server_refuses_is_possible_and_kubectls_own_is_asked_about() -> None:
    (one,) = answers("error: You must be logged in to the server (Unauthorized)")
    assert not one.causes and list(one.leads) == ["program.credentials-refused"]
    assert one.next[0].command.line == "kubectl config view --minify"
    _, cause = likely('FATAL: password authentication failed for user "orders"')
    assert "orders" in cause.finding.says.en


def test_a_long_quote_keeps_who_says_it_and_the_innermost_error() -> None:
    long = f"Error syncing pod: {'wrapped: ' * 60}no IP addresses available in range set"
    short = shorten(long)
    assert len(short) == LONGEST_QUOTE and short.startswith("Error syncing pod: ")
    assert short.endswith("no IP addresses available in range set")
    assert shorten(long[:LONGEST_QUOTE]) == long[:LONGEST_QUOTE]


def test_a_path_that_can_be_read_stands_whole_in_a_sentence_and_an_address_keeps_its_host() -> None:
    path = "/tmp/k8s-webhook-server/serving-certs/tls.crt"
    assert path in shorten_longest_paths(f"{path} is not there") and path not in shorten_paths(
        f"{path} is not there"
    )
    volume = (
        "/var/lib/kubelet/pods/0a1b2c3d-0000-4000-8000-000000000001/volumes/kubernetes.io~csi/pvc-0a1b/mount"
    )
    assert shorten_longest_paths(volume) == "…/pvc-0a1b/mount"
    asked = 'Head "https://registry.example.com/v2/a-long-project/images/pause/manifests/3.6": timeout'
    assert "https://registry.example.com" in shorten_paths(asked)
