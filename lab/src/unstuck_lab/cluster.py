"""The running lab, or an existing cluster in its place, for fixtures and faults."""

import os
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

from unstuck_lab import api, applying, build, control, helm, images, nodesetup, pki, shell
from unstuck_lab.errors import ApiError, LabError
from unstuck_lab.existing import VARIABLE, Existing
from unstuck_lab.node import Node
from unstuck_lab.paths import NODE_NAMES, Paths

T = TypeVar("T")


@dataclass(frozen=True)
class Lab:
    """A lab by its directories. It need not be running: see `lifecycle.bring_up`.

    existing: an existing cluster to use instead. Its nodes cannot be entered, and it has only its
    kubeconfig's user.
    """

    paths: Paths
    existing: Existing | None = None
    _kept: api.Kept = field(default_factory=api.Kept, compare=False, repr=False)

    @classmethod
    def from_environment(cls) -> "Lab":
        """Return the cluster of `UNSTUCK_LAB_KUBECONFIG`, else the lab of `UNSTUCK_LAB_DIR`. Raises
        `LabError`.
        """
        paths = Paths.from_environment()
        return cls(paths, Existing.from_environment(paths))

    @property
    def kubeconfig(self) -> Path:
        """The administrator's kubeconfig, for use from the host."""
        return self.existing.kubeconfig if self.existing else self.paths.kubeconfig

    @property
    def reader_kubeconfig(self) -> Path:
        """Return the kubeconfig of the user `reader`, whose only right is discovery. Raises `LabError` for an
        existing cluster.
        """
        self._require_own("the user `reader`")
        return self.paths.reader_kubeconfig

    def _require_own(self, what: str) -> None:
        """Raise `LabError` if this is not the lab's own cluster."""
        if self.existing:
            raise LabError(
                f"is not there in an existing cluster ({VARIABLE} is set)",
                what,
                f"unset {VARIABLE} to use the lab",
            )

    @property
    def nodes(self) -> tuple[Node, ...]:
        """The nodes created by `up`, ended ones included; none of an existing cluster."""
        if self.existing:
            return ()
        return tuple(Node(name, self.paths) for name in NODE_NAMES if self.paths.locate_box(name).is_dir())

    def get_node(self, name: str) -> Node:
        """Return a node by name. Raises `LabError` with the existing names."""
        self._require_own(f"access to node {name}")
        for node in self.nodes:
            if node.name == name:
                return node
        names = ", ".join(node.name for node in self.nodes) or "none"
        raise LabError("no such node", name, f"there are: {names}")

    @property
    def server(self) -> str:
        """The API server's address from the host."""
        return self.existing.server if self.existing else control.format_server_url(self.paths)

    def read_token(self, user: str) -> str:
        """Return the bearer token of a user such as `lab-admin`, `reader`, `system:node:lab-1`."""
        self._require_own(f"the user `{user}`")
        return pki.read_token(self.paths, pki.User(user))

    @property
    def kubectl_command(self) -> list[str]:
        """The command line of kubectl as the administrator, without arguments."""
        if self.existing:
            return self.existing.command
        return [build.locate_programs(self.paths).locate("kubectl"), f"--kubeconfig={self.kubeconfig}"]

    def run_kubectl(self, *args: str, stdin: str | None = None, timeout: float = 60) -> str:
        """Run kubectl as the administrator and return its output.

        Raises `CommandFailedError` with its error text.
        """
        return shell.run([*self.kubectl_command, *args], timeout=timeout, stdin=stdin)

    def run_helm(self, *args: str, stdin: str | None = None, timeout: float = 300) -> str:
        """Run helm as the administrator and return its output; it is built first if necessary.

        Raises `CommandFailedError` with its error text.
        """
        return shell.run(
            self.build_helm_command(lambda _: None, *args),
            timeout=timeout,
            stdin=stdin,
            env=self.helm_environment,
        )

    def build_helm_command(self, say: Callable[[str], None], *args: str) -> list[str]:
        """Return the command line of helm as the administrator. Raises `LabError` if it cannot be built."""
        return [str(helm.HELM.ensure(self.paths, say)), f"--kubeconfig={self.kubeconfig}", *args]

    @property
    def helm_environment(self) -> dict[str, str]:
        """Return helm's environment, with separate directories: the caller's repositories and plugins are not
        used.
        """
        home = self.paths.cache / "helm-home"
        return {
            **os.environ,
            **{f"HELM_{kind}_HOME": str(home / kind.lower()) for kind in ("CACHE", "CONFIG", "DATA")},
        }

    def request(
        self,
        method: str,
        path: str,
        body: object = None,
        token: str | None = None,
        content_type: str = "application/json",
        timeout: float = 60,
        accept: str = "application/json",
    ) -> dict[str, Any]:
        """Send one request and return the answer as a dict. accept: the wanted media type. Raises `ApiError`
        for a status of 400 or more.
        """
        if self.existing and token is None:
            return api.request(
                self.existing, method, path, body, content_type, timeout, accept=accept, kept=self._kept
            )
        server = api.ApiServer(self.server, str(self.paths.pki / "ca.crt"))
        return api.request(
            server,
            method,
            path,
            body,
            content_type,
            timeout,
            token or self.read_token("lab-admin"),
            accept,
            self._kept,
        )

    def get(self, path: str) -> dict[str, Any] | None:
        """Send a GET request and return the answer; None if the object does not exist."""
        try:
            return self.request("GET", path)
        except ApiError as error:
            if error.code == 404:
                return None
            raise

    def apply(self, *objects: dict[str, Any]) -> None:
        """Apply objects, in this order. Raises `LabError`."""
        if self.existing:
            listing = {"apiVersion": "v1", "kind": "List", "items": list(objects)}
            self.run_kubectl("apply", "-f", "-", stdin=self.existing.replace_image(listing))
            return
        for made in objects:
            applying.put(self.request, made)

    def get_pod(self, namespace: str, name: str) -> dict[str, Any] | None:
        """Return a Pod, or None."""
        return self.get(f"/api/v1/namespaces/{namespace}/pods/{name}")

    def find_pod_node(self, namespace: str, name: str) -> Node:
        """Return the node of a Pod. Raises `LabError` if it has none."""
        pod = self.get_pod(namespace, name)
        node = pod["spec"].get("nodeName") if pod else None
        if not node:
            raise LabError("is on no node", f"pod {namespace}/{name}")
        return self.get_node(str(node))

    def wait(self, predicate: Callable[[], T | None], timeout: float, what: str) -> T:
        """Call a function until its result is true, and return the result. Raises `TimedOutError`."""
        return shell.wait_for(predicate, timeout, what, interval=0.2)

    def load_python_image(self) -> str:
        """Build `lab.local/python:1` if it does not exist, load it on every running node, and return its
        name.
        """
        self._require_own("the image of Python")
        archive = images.ensure_python(self.paths, lambda _: None)
        for node in self.nodes:
            if node.running:
                nodesetup.load_images(node.box, [archive])
        return images.PYTHON

    def is_ready(self) -> bool:
        """Tell whether the API server reports itself ready."""
        try:
            self.request("GET", "/readyz", timeout=5)
        except LabError:
            return False
        return True

    def wait_ready(self, timeout: float = 60) -> None:
        """Wait until the API server is ready. Raises `TimedOutError`."""
        log = "" if self.existing else f" (see {control.locate_log(self.paths, 'kube-apiserver')})"
        self.wait(self.is_ready, timeout, f"API server ready{log}")

    @property
    def applied(self) -> Path:
        """The directory with one file for each applied fault. Raises `LabError` if an existing cluster
        does not answer.
        """
        if not self.existing:
            return self.paths.faults
        uid = self.request("GET", "/api/v1/namespaces/kube-system")["metadata"]["uid"]
        return self.existing.locate_record(self.paths, uid)

    def is_node_ready(self, name: str) -> bool:
        """Tell whether the Node's condition Ready is True and its lease has not run out.

        The condition alone stays True for 50 s after a kubelet's end, and so is no evidence of a restarted
        kubelet.
        """
        found = self.get(f"/api/v1/nodes/{name}")
        conditions = found["status"].get("conditions", []) if found else []
        ready = any(c["type"] == "Ready" and c["status"] == "True" for c in conditions)
        return ready and self._has_fresh_lease(name)

    def _has_fresh_lease(self, node: str) -> bool:
        lease = self.get(f"/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases/{node}")
        if lease is None:
            return False
        renewed = datetime.fromisoformat(lease["spec"]["renewTime"])
        return datetime.now(UTC) - renewed < timedelta(seconds=lease["spec"]["leaseDurationSeconds"])
