"""Lines that only look like a reason."""

from __future__ import annotations

import pytest

from unstuck.diagnosis.gravity import is_relayed, is_skipped, sort_by_gravity

LOOKED_FOR = (
    "I0729 18:09:13.329869   28650 context.go:283] unable to get service from store, no such service "
    "kube-system/kube-scheduler"
)
SKIPPED = (
    "I0729 18:09:13.329894   28650 worker.go:38] Skipping endpoints kube-system/kube-scheduler as it is not "
    "used by any ingress"
)
NO_NEED = (
    "W0826 17:09:29.895649       1 genericapiserver.go:557] Skipping API storage.k8s.io/v1alpha1 because it "
    "has no resources."
)


@pytest.mark.parametrize("lines", [[LOOKED_FOR, SKIPPED], [SKIPPED, LOOKED_FOR], [NO_NEED]])
def test_what_a_program_skips_as_nobody_needs_it_is_no_reason(lines: list[str]) -> None:
    assert is_skipped(sort_by_gravity(lines)[0], lines)


@pytest.mark.parametrize(
    "lines",
    [
        [LOOKED_FOR],
        [LOOKED_FOR, SKIPPED.replace("kube-scheduler", "orders")],
        [LOOKED_FOR, SKIPPED.replace(" as it is not used by any ingress", "")],
        [
            LOOKED_FOR,
            SKIPPED.replace(
                "as it is not used by any ingress", "because of error while validating its class"
            ),
        ],
        [
            LOOKED_FOR,
            SKIPPED,
            "E0729 18:09:14.000000   28650 worker.go:50] failed to list *v1.Service: forbidden",
        ],
        [LOOKED_FOR, SKIPPED, "W0729 18:09:14.000000   28650 worker.go:50] the cache is stale"],
        [LOOKED_FOR, SKIPPED, "panic: runtime error: invalid memory address"],
        [LOOKED_FOR, SKIPPED, "waiting for the lease: exceeded"],
        ["E" + LOOKED_FOR[1:], SKIPPED],
        [LOOKED_FOR, "E" + SKIPPED[1:]],
    ],
)
def test_a_line_is_a_reason_where_nothing_says_otherwise_or_anything_is_graver(lines: list[str]) -> None:
    assert not is_skipped(sort_by_gravity(lines)[0], lines)


RELAYED = (
    'time="2023-01-09T21:42:28Z" level=warning msg="cleanup warnings time=\\"2023-01-09T21:42:28Z\\" '
    'level={} msg=\\"{}\\"\\n"'
)


def test_what_another_program_wrote_as_information_is_no_reason() -> None:
    line = RELAYED.format("info", "starting signal loop")
    assert is_relayed(line) and not sort_by_gravity([line])


@pytest.mark.parametrize(
    "line",
    [
        RELAYED.format("warning", "starting signal loop"),
        RELAYED.format("info", "failed to read init pid file"),
        'time="2023-01-09T21:42:28Z" level=warning msg="cleanup warnings"',
    ],
    ids=["a warning", "a failure", "nobody else's"],
)
def test_what_another_program_wrote_of_a_failure_stays_one(line: str) -> None:
    assert not is_relayed(line) and sort_by_gravity([line])
