"""A failed but since completed step of a Pod's start is no trouble, and no proof of current health."""

from __future__ import annotations

import pytest

from tests.text.support import read, snap
from unstuck.api.ranking import rank_diagnoses_of_text
from unstuck.diagnosis.answer import Diagnosis
from unstuck.engine import list_causes
from unstuck.facts.aspects.cluster import Unschedulable
from unstuck.facts.aspects.objects import Failure

ROW = "{age:<10}  {type}   {reason:<24}  pod/db-0   {message}\n"
HEAD = "LAST SEEN   TYPE      REASON                    OBJECT     MESSAGE\n"
UNBOUND = (
    "Warning",
    "FailedScheduling",
    "0/3 nodes are available: pod has unbound immediate PersistentVolumeClaims.",
)
UNMOUNTED = (
    "Warning",
    "FailedMount",
    'MountVolume.SetUp failed for volume "c" : failed to sync configmap cache: timed out waiting for the condition',
)
UNATTACHED = (
    "Warning",
    "FailedAttachVolume",
    'Multi-Attach error for volume "v-1" Volume is already used by pod(s) db-9',
)
WAITS = (
    "Warning",
    "FailedMount",
    "Unable to attach or mount volumes: unmounted volumes=[d], unattached volumes=[d]: timed out waiting for the condition",
)
ATTACHED = ("Normal ", "SuccessfulAttachVolume", 'AttachVolume.Attach succeeded for volume "v-1"')
PLACED = ("Normal ", "Scheduled", "Successfully assigned shop/db-0 to n-1")
STARTED = ("Normal ", "Started", "Started container db")
OTHER = ("Normal ", "Created", "Created container side")
UNPULLED = ("Warning", "Failed", 'Failed to pull image "db:9": rpc error: code = NotFound desc = not found')


def rows(*of: tuple[str, tuple[str, str, str]]) -> str:
    return HEAD + "".join(ROW.format(age=age, type=t, reason=r, message=m) for age, (t, r, m) in of)


def answers(text: str) -> list[Diagnosis]:
    return rank_diagnoses_of_text(snap(text), list_causes())


def failing(text: str) -> list[object]:
    return [f for f in read(text).facts if isinstance(f, Failure | Unschedulable)]


@pytest.mark.parametrize(
    "text",
    [
        rows(("7m45s", UNBOUND), ("7m43s", PLACED)),
        rows(("7m43s", PLACED), ("7m45s", UNBOUND)),
        rows(("9m", UNBOUND), ("9m30s", UNMOUNTED), ("8m", STARTED)),
        rows(("6m", UNATTACHED), ("2m", WAITS), ("8s", ATTACHED)),
    ],
    ids=["two seconds later", "in any order", "two steps", "a wait for the attachment"],
)
def test_a_later_step_shows_that_it_was_passed(text: str) -> None:
    assert not failing(text)
    (told,) = answers(text)
    assert (told.state.name, told.state.passed, told.causes) == ("unknown", True, ())
    assert not [o for o in told.undecided if o.possible]
    assert "was overcome" in told.state.headline.en and "was not seen" in told.state.headline.en


@pytest.mark.parametrize(
    "text",
    [
        rows(("7m43s", UNBOUND), ("7m45s", PLACED)),
        rows(("7m45s", UNBOUND), ("7m45s", PLACED)),
        # The image is another container's.
        rows(("7m45s", UNPULLED), ("7m", OTHER), ("6m", STARTED)),
        rows(("7m", PLACED), ("6m", UNMOUNTED)),
        rows(("7m", UNMOUNTED), ("6m", PLACED)),
        rows(("7m", UNMOUNTED), ("6m", ATTACHED)),
    ],
    ids=[
        "it came after",
        "at once",
        "another container",
        "a later step fails",
        "an earlier step is done later",
        "a mount of its own",
    ],
)
def test_else_it_is_told(text: str) -> None:
    assert failing(text)
    assert not any(d.state.passed for d in answers(text))


NO_CLASS = 'Warning  ProvisioningFailed  {age}  persistentvolume-controller  storageclass.storage.k8s.io "fast" not found\n'
WITH_CLASS = (
    "Warning  ProvisioningFailed  17s  csi.example.com_c-0  "
    'failed to provision volume with StorageClass "fast": rpc error: code = Internal desc = quota exceeded\n'
)


def test_a_provisioner_at_work_shows_that_its_class_was_found() -> None:
    assert "storage.class-missing" not in _told(NO_CLASS.format(age="19s") + WITH_CLASS)
    assert "storage.class-missing" in _told(WITH_CLASS + NO_CLASS.format(age="15s"))


def _told(text: str) -> set[str]:
    return {c.id for d in answers(text) for c in d.causes}


ENDED = """    State:          Terminated
      Reason:       {reason}
      Exit Code:    {code}
      Started:      Tue, 17 Mar 2020 20:19:54 +0000
      Finished:     Tue, 17 Mar 2020 20:24:54 +0000
    Ready:          False
    Restart Count:  {restarts}
"""


@pytest.mark.parametrize("reason", ["Error", "Completed"])
def test_a_container_that_ended_with_0_once_is_not_told_as_broken(reason: str) -> None:
    (told,) = answers(ENDED.format(reason=reason, code=0, restarts=0))
    assert (told.state.name, told.state.passed, told.causes) == ("unknown", True, ())
    assert not [o for o in told.undecided if o.possible]


@pytest.mark.parametrize(("code", "restarts"), [(1, 0), (0, 3)])
def test_another_end_is(code: int, restarts: int) -> None:
    (told,) = answers(ENDED.format(reason="Error", code=code, restarts=restarts))
    assert (told.state.name, told.state.passed) == ("stuck", False)
