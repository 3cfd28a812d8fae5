"""Overrides of the kubeconfig, as by kubectl's flags of the same names."""

from __future__ import annotations

from unstuck.collect.kube.transport.compression import Compress
from unstuck.facts.record import Record, record


@record()
class Overrides(Record):
    """None if not given. cluster, user: names in the kubeconfig. as_user, as_groups: the identity to
    impersonate.

    token: sent instead of all credentials of the kubeconfig. insecure: the server's certificate is not
    checked. compress: whether answers come packed (gzip): always, never, or auto: by the kubeconfig, else by
    the server's address. seconds: the deadline of one request with its retries; None: the usual one. 0: none
    but `PATIENCE`, because nothing here waits for ever.
    """

    server: str | None = None
    cluster: str | None = None
    user: str | None = None
    token: str | None = None
    insecure: bool = False
    as_user: str | None = None
    as_groups: tuple[str, ...] = ()
    seconds: float | None = None
    compress: Compress = "auto"

    def __repr__(self) -> str:
        # The token is secret, and an address may hold a password.
        return f"Overrides(cluster={self.cluster!r}, user={self.user!r}, as_user={self.as_user!r})"


NOTHING = Overrides()
# kubectl's value for no limit (`--request-timeout 0`).
PATIENCE = 3600.0


def deadline(given: Overrides, usual: float) -> float:
    """Return the seconds that one request may take."""
    return usual if given.seconds is None else given.seconds or PATIENCE
