"""Keys, certificates, tokens and kubeconfigs of the lab, created once with openssl(1)."""

import base64
import json
import secrets
import shutil
import tempfile
from dataclasses import dataclass
from pathlib import Path

from unstuck_lab import shell
from unstuck_lab.paths import CONTROL_ADDRESS, NODE_NAMES, SERVICE_API_ADDRESS, Paths

DAYS = "3650"
SERVER_NAMES = (
    f"IP:127.0.0.1,IP:{CONTROL_ADDRESS},IP:{SERVICE_API_ADDRESS},DNS:localhost,DNS:kubernetes,"
    "DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local"
)


@dataclass(frozen=True)
class User:
    """A line of the token file. Kubernetes adds `system:authenticated` itself."""

    name: str
    groups: tuple[str, ...] = ()


ADMIN = User("lab-admin", ("system:masters",))
# A user without rights, for tests of denied access: rights are granted with RBAC.
READER = User("reader")
CONTROLLER_MANAGER = User("system:kube-controller-manager")
SCHEDULER = User("system:kube-scheduler")
PROXY = User("system:kube-proxy")


def make_node_user(name: str) -> User:
    """Return the identity of a node's kubelet in the form required by the Node authorizer."""
    return User(f"system:node:{name}", ("system:nodes",))


USERS = (ADMIN, READER, CONTROLLER_MANAGER, SCHEDULER, PROXY, *map(make_node_user, NODE_NAMES))


def ensure(paths: Paths) -> None:
    """Create the missing parts, each atomically."""
    if not paths.pki.exists():
        part = paths.pki.with_suffix(".part")
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True, mode=0o700)
        _make_certificates(part)
        part.rename(paths.pki)
    if not paths.tokens.exists():
        lines = [f'{secrets.token_hex(16)},{u.name},{u.name},"{",".join(u.groups)}"' for u in USERS]
        part = paths.tokens.with_suffix(".part")
        part.touch(mode=0o600)
        part.write_text("\n".join(lines) + "\n")
        part.rename(paths.tokens)


def read_token(paths: Paths, user: User) -> str:
    """Return the bearer token of one of `USERS`."""
    for line in paths.tokens.read_text().splitlines():
        fields = line.split(",", 3)
        if fields[1] == user.name:
            return fields[0]
    raise KeyError(user.name)


def format_kubeconfig(paths: Paths, user: User, server: str) -> str:
    """Return a kubeconfig for a user and the API server's address.

    It is JSON, which is also YAML.
    """
    authority = base64.b64encode((paths.pki / "ca.crt").read_bytes()).decode()
    config = {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "lab",
        "clusters": [{"name": "lab", "cluster": {"server": server, "certificate-authority-data": authority}}],
        "users": [{"name": user.name, "user": {"token": read_token(paths, user)}}],
        "contexts": [{"name": "lab", "context": {"cluster": "lab", "user": user.name}}],
    }
    return json.dumps(config, indent=1) + "\n"


def write_private(file: Path, text: str) -> None:
    """Write a file that only root can read, atomically, even if two processes write it at the same time."""
    file.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.NamedTemporaryFile("w", dir=file.parent, prefix=f"{file.name}.", delete=False) as part:
        part.write(text)
    Path(part.name).rename(file)


def _make_certificates(directory: Path) -> None:
    for name in ("ca", "front-proxy-ca"):
        _make_key(directory / f"{name}.key")
        _run_openssl(
            "req",
            "-x509",
            "-new",
            "-key",
            f"{directory}/{name}.key",
            "-subj",
            f"/CN=lab-{name}",
            "-days",
            DAYS,
            "-out",
            f"{directory}/{name}.crt",
            "-addext",
            "keyUsage=critical,keyCertSign,digitalSignature",
        )
    _sign(directory, "apiserver", "ca", "/CN=kube-apiserver", "serverAuth", SERVER_NAMES)
    _sign(directory, "kubelet-client", "ca", "/O=system:masters/CN=kube-apiserver", "clientAuth")
    _sign(directory, "front-proxy-client", "front-proxy-ca", "/CN=front-proxy-client", "clientAuth")
    _run_openssl("genrsa", "-out", f"{directory}/sa.key", "2048")
    _run_openssl("rsa", "-in", f"{directory}/sa.key", "-pubout", "-out", f"{directory}/sa.pub")


def _make_key(file: Path) -> None:
    _run_openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", str(file))


def _sign(directory: Path, name: str, ca: str, subject: str, use: str, names: str = "") -> None:
    base = f"{directory}/{name}"
    _make_key(directory / f"{name}.key")
    _run_openssl("req", "-new", "-key", f"{base}.key", "-subj", subject, "-out", f"{base}.csr")
    extensions = f"extendedKeyUsage={use}\n" + (f"subjectAltName={names}\n" if names else "")
    (directory / f"{name}.ext").write_text(extensions)
    _run_openssl(
        "x509",
        "-req",
        "-in",
        f"{base}.csr",
        "-CA",
        f"{directory}/{ca}.crt",
        "-CAkey",
        f"{directory}/{ca}.key",
        "-CAcreateserial",
        "-days",
        DAYS,
        "-extfile",
        f"{base}.ext",
        "-out",
        f"{base}.crt",
    )


def _run_openssl(*arguments: str) -> None:
    shell.run(["openssl", *arguments])
