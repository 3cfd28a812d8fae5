"""Failed CRI calls, which the kubelet's client logs without a name and its caller logs again at once with the
Pod's.

Source: k8s.io/cri-client pkg/remote_runtime.go and remote_image.go (`RunPodSandbox from runtime service
failed`), before 1.31 in pkg/kubelet/cri/remote; pkg/kubelet/kuberuntime (`CreatePodSandbox for pod failed …
pod="ns/name"`).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Sequence
from datetime import timedelta

from unstuck.facts.aspects.objects import Failure
from unstuck.facts.regex import regex
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.wording.klog import KlogRecord

_CLIENT = regex(r"^\"?\w{1,60} from (?:runtime|image) service failed")
_AGAIN = timedelta(seconds=1)
# Errors about the runtime itself, which did not answer: they belong to the node, for any caller.
_OF_THE_RUNTIME: tuple[ErrorWord, ...] = ("runtime-gone", "deadline-exceeded")


class Calls:
    """Failures of one log; the client's is held back because its caller may report the same for a Pod:
    then only that one is kept.
    """

    def __init__(self) -> None:
        self._held: deque[tuple[KlogRecord, list[Failure]]] = deque()

    def add(self, record: KlogRecord, hits: Sequence[Failure]) -> Iterator[Failure]:
        """Add a record, and yield the failures that it settles, in order. hits: its own."""
        if record.at is None:
            yield from hits
            return
        while self._held and not self._is_soon_after(self._held[0][0], record):
            yield from self._held.popleft()[1]
        if _CLIENT.match(record.message):
            mine = [f for f in hits if f.about.kind == "Node" and f.error not in _OF_THE_RUNTIME]
            self._held.append((record, mine))
            yield from (f for f in hits if f not in mine)
            return
        for f in hits:
            if f.about.kind == "Pod":
                self._drop_repeated(record, f)
        yield from hits

    def flush(self) -> Iterator[Failure]:
        """Yield the failures that no caller repeated before the log ended."""
        while self._held:
            yield from self._held.popleft()[1]

    def _drop_repeated(self, record: KlogRecord, named: Failure) -> None:
        for client, held in self._held:
            if (client.host, client.pid) == (record.host, record.pid):
                held[:] = [f for f in held if (f.operation, f.error) != (named.operation, named.error)]

    def _is_soon_after(self, client: KlogRecord, record: KlogRecord) -> bool:
        return (
            client.at is not None
            and record.at is not None
            and timedelta(0) <= record.at - client.at <= _AGAIN
        )
