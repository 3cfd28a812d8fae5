"""An image's name taken apart as runtimes do, with docker's defaults filled in.

Source: distribution/reference normalize.go, reference.go; opencontainers/distribution-spec spec.md (pulling
manifests).
"""

from __future__ import annotations

import re

from unstuck.facts.core import Ref
from unstuck.facts.record import Record, record

_HUB = "docker.io"
_OF_HUB = frozenset({_HUB, "index.docker.io", "registry-1.docker.io", "registry.hub.docker.com"})


@record()
class Name(Record):
    """host: the registry. path: the repository in it. tag: "" if only a digest is given, `latest` if
    neither is.
    """

    host: str
    path: str
    tag: str = ""
    digest: str = ""

    @property
    def repository(self) -> Ref:
        """Whom a list of tags is about."""
        return Ref("Repository", self.host, self.path)

    @property
    def open_to_all(self) -> bool:
        """Whether the tags are public: Docker's own images need no account (docs.docker.com, "Docker
        Official Images").
        """
        return self.host == _HUB and self.path.startswith("library/")

    @property
    def short(self) -> str:
        """As people write it: `shop/web`, `registry.example/shop/web`."""
        return self.path.removeprefix("library/") if self.host == _HUB else f"{self.host}/{self.path}"


def parse_image(image: str) -> Name:
    """Parse the name. Never raises; keeps the valid parts of an invalid name."""
    rest, _, digest = image.partition("@")
    first, slash, after = rest.partition("/")
    host, path = (
        (first, after) if slash and ("." in first or ":" in first or first == "localhost") else (_HUB, rest)
    )
    path, tag = _split_tag(path)
    host = _HUB if host in _OF_HUB else host
    if host == _HUB and "/" not in path:
        path = f"library/{path}"
    return Name(host, path, tag or ("" if digest else "latest"), digest)


def _split_tag(path: str) -> tuple[str, str]:
    head, colon, tag = path.rpartition(":")
    return (head, tag) if colon and "/" not in tag else (path, "")


def serves(key: str, name: Name) -> bool:
    """Tell whether the kubelet takes a Secret's entry of this server for this image.

    key: as in `auths`: with or without a scheme, a port, a path, `*` within a part of the host's name.
    Source: pkg/credentialprovider/keyring.go (BasicDockerKeyring.Add, Lookup, URLsMatch).
    """
    host, slash, path = key.strip().removeprefix("https://").removeprefix("http://").partition("/")
    path = slash + path
    if path.startswith(("/v1/", "/v2/")):
        path = path[3:]
    if path == "/":
        path = ""
    if host == "index.docker.io" and not path and name.host == _HUB:
        return True
    return _host_fits(host, name.host) and f"/{name.path}".startswith(path)


def _host_fits(pattern: str, host: str) -> bool:
    name, _, port = pattern.partition(":")
    mine, _, my_port = host.partition(":")
    parts, mine_parts = name.split("."), mine.split(".")
    if port != my_port or len(parts) != len(mine_parts):
        return False
    return all(_matches_glob(p, m) for p, m in zip(parts, mine_parts, strict=True))


def _matches_glob(pattern: str, part: str) -> bool:
    return re.fullmatch(".*".join(re.escape(p) for p in pattern.split("*")), part) is not None
