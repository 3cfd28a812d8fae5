"""An existing cluster (kind, k3d, …), used through its kubeconfig alone.

It works wherever kubectl works: requests go through `kubectl proxy` on a UNIX socket, so kubectl handles
client certificates, tokens and exec plugins.
"""

import atexit
import contextlib
import hashlib
import json
import os
import shutil
import socket
import subprocess
import tempfile
from dataclasses import dataclass
from functools import cached_property
from http.client import HTTPConnection
from pathlib import Path

from unstuck_lab import build, shell
from unstuck_lab.errors import CommandFailedError, LabError
from unstuck_lab.images import BUSYBOX
from unstuck_lab.paths import Paths

VARIABLE = "UNSTUCK_LAB_KUBECONFIG"
# `lab.local` is only the registry's name in the lab's own image, not a host.
IMAGE_VARIABLE, IMAGE = "UNSTUCK_LAB_IMAGE", "busybox:1.36"


@dataclass(frozen=True)
class Existing:
    """The cluster of a kubeconfig's current context. image: the image of the faults' Pods."""

    kubeconfig: Path
    kubectl: str
    image: str = IMAGE

    @classmethod
    def from_environment(cls, paths: Paths) -> "Existing | None":
        """Return the cluster of `UNSTUCK_LAB_KUBECONFIG`, None when that is not set.

        Raises `LabError` if the file or kubectl is missing.
        """
        name = os.environ.get(VARIABLE)
        if not name:
            return None
        file = Path(name).expanduser().absolute()
        if not file.is_file():
            raise LabError(
                "no such file", f"{VARIABLE}={name}", "name the kubeconfig of a running cluster, or unset it"
            )
        own = build.locate_programs(paths).locate("kubectl")
        program = own if Path(own).exists() else shutil.which("kubectl")
        if program is None:
            raise LabError("is not installed", "kubectl", f"{VARIABLE} needs it")
        return cls(file, program, os.environ.get(IMAGE_VARIABLE, IMAGE))

    @property
    def command(self) -> list[str]:
        """The command line of kubectl with its kubeconfig."""
        return [self.kubectl, f"--kubeconfig={self.kubeconfig}"]

    @property
    def server(self) -> str:
        """The API server's address in the kubeconfig. Raises `LabError`."""
        where = "jsonpath={.clusters[0].cluster.server}"
        return shell.run([*self.command, "config", "view", "--minify", "-o", where])

    @cached_property
    def _socket(self) -> str:
        """The socket of a `kubectl proxy` that ends with this process."""
        directory = tempfile.mkdtemp(prefix="unstuck-lab-")
        atexit.register(shutil.rmtree, directory, ignore_errors=True)
        path = f"{directory}/api"
        # Its errors go to a file: it prints a line for each rejected request.
        with open(f"{directory}/log", "w") as log:  # noqa: PTH123
            child = subprocess.Popen(
                [*self.command, "proxy", f"--unix-socket={path}", "--reject-paths=^$"],
                stdin=subprocess.DEVNULL,
                stdout=subprocess.DEVNULL,
                stderr=log,
            )
        atexit.register(_end, child)

        def has_started() -> bool:
            if child.poll() is not None:
                raise CommandFailedError(
                    [*self.command, "proxy"], child.returncode, Path(f"{directory}/log").read_text()
                )
            return Path(path).exists()

        shell.wait_for(has_started, 20, "kubectl proxy")
        return path

    def connect(self, timeout: float) -> HTTPConnection:
        """Return a separate connection to the API server."""
        return _SocketConnection(self._socket, timeout)

    def replace_image(self, listing: object) -> str:
        """Return objects as JSON, with an image that this cluster can pull instead of the lab's own."""
        return json.dumps(listing).replace(json.dumps(BUSYBOX), json.dumps(self.image))

    def locate_record(self, paths: Paths, uid: str) -> Path:
        """Return the directory with the records of the applied faults. uid: kube-system's, which differs
        between clusters.
        """
        return paths.cache / "existing" / hashlib.sha256(uid.encode()).hexdigest()[:16]


class _SocketConnection(HTTPConnection):
    def __init__(self, path: str, timeout: float) -> None:
        super().__init__("localhost", timeout=timeout)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


def _end(child: "subprocess.Popen[bytes]") -> None:
    child.terminate()
    with contextlib.suppress(subprocess.TimeoutExpired):
        child.wait(5)
