"""Runs a function over items in a few daemon threads.

`concurrent.futures` would do this too, but imports `logging`, a tenth of the time allowed for a whole answer,
and its workers keep the process alive after Ctrl-C.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from typing import Generic, TypeVar

T = TypeVar("T")
R = TypeVar("R")


def run_each(work: Callable[[T], R], items: Sequence[T], workers: int = 4) -> list[R]:
    """Return `[work(i) for i in items]`, up to `workers` at a time. The first error is raised once all
    that were begun have ended.
    """
    if len(items) <= 1 or workers <= 1:
        return [work(i) for i in items]
    results: dict[int, R] = {}
    errors: list[BaseException] = []
    todo = iter(enumerate(items))
    lock = threading.Lock()

    def run() -> None:
        while True:
            with lock:
                following = next(todo, None)
            if following is None or errors:
                return
            index, item = following
            try:
                results[index] = work(item)
            except BaseException as e:
                errors.append(e)

    threads = [threading.Thread(target=run, daemon=True) for _ in range(min(workers, len(items)))]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    if errors:
        raise errors[0]
    return [results[i] for i in range(len(items))]


class BackgroundCall(Generic[R]):
    """A call that starts in a thread of its own as soon as this is made."""

    def __init__(self, work: Callable[[], R]) -> None:
        self._results: list[R] = []
        self._errors: list[BaseException] = []
        self._thread = threading.Thread(target=self._run, args=(work,), daemon=True)
        self._thread.start()

    def _run(self, work: Callable[[], R]) -> None:
        try:
            self._results.append(work())
        except BaseException as e:
            self._errors.append(e)

    def wait(self) -> R:
        """Wait for the result and return it; from any thread, any number of times. Errors: the call's own."""
        self._thread.join()
        if self._errors:
            raise self._errors[0]
        return self._results[0]
