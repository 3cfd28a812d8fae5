"""The owner of a log below a command without a Namespace, or with a workload instead of a Pod."""

from __future__ import annotations

import pytest

from tests.text.support import read
from unstuck.facts.aspects.pod import LastLines
from unstuck.facts.core import Ref

_ROWS = "NAME                   READY   STATUS             RESTARTS   AGE\n"
_WEB = "web-5d9c7b8f6d-xk2p4   0/1     CrashLoopBackOff   3          10m\n"
_OTHER = "web-5d9c7b8f6d-zzzzz   1/1     Running            0          10m\n"
_SAID = "KeyError: 'DATABASE_URL'\n"


def owners(text: str) -> list[Ref]:
    return [f.about for f in read(text).facts if isinstance(f, LastLines)]


@pytest.mark.parametrize(
    ("command", "within"),
    [
        ("kubectl logs web-5d9c7b8f6d-xk2p4", "web-5d9c7b8f6d-xk2p4"),
        ("kubectl logs web-5d9c7b8f6d-xk2p4 -n shop", "web-5d9c7b8f6d-xk2p4"),
        ("kubectl logs deploy/web", "web-5d9c7b8f6d-xk2p4"),
        ("kubectl logs -l app=web", "web-5d9c7b8f6d-xk2p4"),
    ],
)
def test_a_row_without_a_namespace_has_the_log_below_it(command: str, within: str) -> None:
    assert owners(f"$ kubectl get pods\n{_ROWS}{_WEB}$ {command}\n{_SAID}") == [Ref("Container", within)]


def test_a_log_without_a_namespace_is_of_the_pod_that_is_shown_in_one() -> None:
    rows = f"$ kubectl get pods -n shop\n{_ROWS}{_WEB}$ kubectl logs web-5d9c7b8f6d-xk2p4\n{_SAID}"
    assert owners(rows) == [Ref("Container", "shop/web-5d9c7b8f6d-xk2p4")]


def test_of_several_pods_it_is_of_the_one_that_kubectl_chose() -> None:
    rows = f"$ kubectl get pods\n{_ROWS}{_WEB}{_OTHER}$ kubectl logs deploy/web\n"
    assert owners(f"{rows}{_SAID}") == []
    chosen = "Found 2 pods, using pod/web-5d9c7b8f6d-xk2p4\n"
    assert owners(f"{rows}{chosen}{_SAID}") == [Ref("Container", "web-5d9c7b8f6d-xk2p4")]


def test_a_pod_of_the_same_name_in_another_namespace_is_another() -> None:
    rows = f"$ kubectl get pods -n shop\n{_ROWS}{_WEB}$ kubectl logs web-5d9c7b8f6d-xk2p4 -n till\n{_SAID}"
    assert owners(rows) == [Ref("Container", "till/web-5d9c7b8f6d-xk2p4")]
