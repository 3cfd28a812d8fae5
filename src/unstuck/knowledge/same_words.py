"""The causes behind equal messages in public reports, each report with its address and date
(docs/why/commonness.md).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from types import MappingProxyType

from unstuck.facts.record import Record, record
from unstuck.facts.vocabulary.failures import ErrorWord, Operation


@record()
class SameWords(Record):
    """Reports with the same error of the same call.

    operations, error: as in a `Failure`. reports: the confirmed cause, `other` for a cause outside this
    program; the thread at github.com; the month of the observation.
    """

    operations: tuple[Operation, ...]
    error: ErrorWord
    reports: tuple[tuple[str, str, str], ...]

    def count(self) -> Mapping[str, int]:
        """Count the reports by cause."""
        return MappingProxyType(Counter(cause for cause, _, _ in self.reports))


# Frozen: the rows of one group are added or removed only with a new count of all of it.
SAME_WORDS: tuple[SameWords, ...] = (
    SameWords(
        ("container-start", "container-create"),
        "exec-not-found",
        (
            ("container.command-not-found", "aylei/kubectl-debug#30", "2019-05"),
            ("container.command-not-found", "Azure/aad-pod-identity#30", "2018-05"),
            ("container.command-not-found", "BioContainers/containers#23", "2015-11"),
            ("container.command-not-found", "DaoCloud/python-ipython-notebook#8", "2015-09"),
            ("container.command-not-found", "DataDog/watermarkpodautoscaler#94", "2021-06"),
            ("container.command-not-found", "docker-library/php#469", "2017-07"),
            ("container.command-not-found", "docker/for-linux#963", "2020-03"),
            ("container.command-not-found", "docker/for-linux#966", "2020-03"),
            ("container.command-not-found", "ehazlett/shipyard#740", "2016-02"),
            ("container.command-not-found", "grafana/mimir#10571", "2025-02"),
            ("container.command-not-found", "iGeeky/wolf#2", "2020-09"),
            ("container.command-not-found", "jlesage/docker-cloudberry-backup#13", "2019-07"),
            ("container.command-not-found", "leonjza/log4jpwn#5", "2022-07"),
            ("container.command-not-found", "lightspeed-core/lightspeed-stack#226", "2025-07"),
            ("container.command-not-found", "ManageIQ/manageiq-pods#475", "2020-04"),
            ("container.command-not-found", "markshust/docker-magento#210", "2020-01"),
            ("container.command-not-found", "mgoltzsche/podman-static#131", "2025-06"),
            ("container.command-not-found", "mhart/alpine-node#28", "2016-03"),
            ("container.command-not-found", "mongodb/mongodb-kubernetes-operator#699", "2021-08"),
            ("container.command-not-found", "nigelpoulton/TheK8sBook#30", "2023-01"),
            ("container.command-not-found", "packetworks/docker-nxfilter#19", "2021-03"),
            ("container.command-not-found", "rosskukulinski/nginx-kubernetes-reload#1", "2017-07"),
            ("container.command-not-found", "tangle-network/tangle#93", "2022-11"),
            ("container.command-not-found", "tektoncd/pipeline#5910", "2022-12"),
            ("container.command-not-found", "turnbullpress/dockerbook-code#33", "2016-10"),
            ("container.not-executable", "bheisig/i-doit-docker#4", "2020-02"),
            ("container.not-executable", "moby/moby#31437", "2017-03"),
            ("runtime.default-path-missing", "containerd/containerd#3597", "2019-09"),
            ("runtime.default-path-missing", "satoshipay/stellar-helm-charts#12", "2019-09"),
            ("other", "containerd/containerd#4800", "2020-12"),
            ("other", "opencontainers/runc#4713", "2025-04"),
        ),
    ),
    SameWords(
        ("rootfs-remove", "netns-remove", "container-remove", "snapshot-remove"),
        "EBUSY",
        (
            ("mount.held-by-process", "containerd/containerd#3667", "2019-09"),
            ("mount.held-by-process", "docker/for-linux#124", "2018-03"),
            ("mount.held-by-process", "imroc/learning-kubernetes#33", "2021-05"),
            ("mount.held-by-process", "moby/moby#17902", "2017-02"),
            ("mount.held-by-process", "moby/moby#22260", "2017-09"),
            ("mount.held-by-process", "moby/moby#25718", "2016-09"),
            ("mount.held-by-process", "moby/moby#27381", "2017-07"),
            ("mount.held-by-process", "prometheus-operator/prometheus-operator#2578", "2019-04"),
            ("mount.held-by-process", "prometheus/node_exporter#602", "2017-06"),
            ("mount.held-by-process", "rancher/rancher#26506", "2020-04"),
            ("other", "Mirantis/virtlet#809", "2018-11"),
        ),
    ),
)


def find_same_words(operation: Operation, error: ErrorWord) -> SameWords | None:
    """Return the reports of this call and error; None if none were counted."""
    return next((w for w in SAME_WORDS if w.error == error and operation in w.operations), None)
