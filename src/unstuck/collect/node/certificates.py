"""Reads dates and names from the certificates that the kubelet uses.

Only the part between BEGIN and END CERTIFICATE is decoded; a private key in the same file is never looked at.
Sources: pkg/kubelet/certificate, cmd/kubelet/app/server.go (`--cert-dir`, `kubelet-client-current.pem`,
`kubelet.crt`, `kubelet-server-current.pem`), client-go clientcmd (kubeconfig).
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator

from unstuck.collect.node.settings import read_nested
from unstuck.collect.node.view import NodeView
from unstuck.collect.x509 import find_certificates
from unstuck.facts.aspects.kubelet import Certificate, Certificates, CertificateUse
from unstuck.facts.core import Source
from unstuck.facts.regex import regex

# In YAML or JSON, a comment's line left out.
_IN_KUBECONFIG = regex(
    (
        r"^(?!\s*#).*?(?<![\w-])(client-certificate"
        r"|certificate-authority)(-data)?[\"']?[ \t]*:[ \t]*[\"']?([^\s\"',}]+)"
    ),
    re.MULTILINE,
)
_MAX_FILE = 1 << 20
_MAX_BLOCKS = 20


def certificates(view: NodeView) -> Certificates | None:
    """Return the kubelet's client, serving and CA certificates; None if there are none."""
    items: list[Certificate] = []
    unread: list[str] = []
    for use, path, text in _read_texts(view):
        found = list(_parse_certificates(use, path, text)) if text is not None else []
        # In a chain the first certificate is the kubelet's; its issuers' follow.
        items += found if use == "ca" else found[:1]
        unread += [] if found else [path]
    if not items and not unread:
        return None
    first = min(
        (c for c in items if c.not_after and c.use == "client"),
        key=lambda c: c.not_after or view.now,
        default=None,
    )
    return Certificates(
        about=view.ref,
        src=Source(
            f"{view.name} {first.path if first else view.kubelet.root_dir + '/pki'}",
            f"{first.subject} until {first.not_after}" if first else "",
        ),
        whole=view.kubelet.process is not None and not unread,
        items=tuple(dict.fromkeys(items)),
        unread=tuple(dict.fromkeys(unread)),
    )


def serving_fingerprint(view: NodeView) -> str:
    """Return the SHA-256 (hex) of the certificate that this node's kubelet presents to its clients, "" if
    it cannot be read.
    """
    path, text = _read_serving(view)
    return next((c.sha256 for c in _parse_certificates("serving", path, text or "")), "")


def _read_texts(view: NodeView) -> Iterator[tuple[CertificateUse, str, str | None]]:
    """Yield (use, path, text) of each file or part of a kubeconfig in use; text None if it cannot be read."""
    kubelet = view.kubelet
    flags = kubelet.settings.flags
    kubeconfig = flags.get("kubeconfig", "/etc/kubernetes/kubelet.conf")
    named = list(_list_kubeconfig_texts(view, kubeconfig))
    rotated = f"{_pki_directory(view)}/kubelet-client-current.pem"
    # With rotation, the kubeconfig names this file; with only a bootstrap kubeconfig it is used without being
    # named.
    if not any(use == "client" for use, _, _ in named) and (text := _read_file(view, rotated)) is not None:
        yield "client", rotated, text
    yield from named
    serving, text = _read_serving(view)
    if text is not None or serving == _find_configured_serving_path(view):
        yield "serving", serving, text
    trusted = flags.get("client-ca-file") or read_nested(view, "authentication", "x509").get("clientCAFile")
    if trusted:
        yield "ca", trusted, _read_file(view, trusted)


def _read_serving(view: NodeView) -> tuple[str, str | None]:
    """Return the path of the serving certificate, and its text."""
    flags, config = view.kubelet.settings.flags, view.kubelet.settings.config
    bootstrapped = (
        flags.get("rotate-server-certificates") or config.get("serverTLSBootstrap", "")
    ).lower() == "true"
    usual = f"{_pki_directory(view)}/{'kubelet-server-current.pem' if bootstrapped else 'kubelet.crt'}"
    path = _find_configured_serving_path(view) or usual
    return path, _read_file(view, path)


def _find_configured_serving_path(view: NodeView) -> str | None:
    """Return the path of the serving certificate if the settings name one."""
    return view.kubelet.settings.flags.get("tls-cert-file") or view.kubelet.settings.config.get("tlsCertFile")


def _pki_directory(view: NodeView) -> str:
    return (view.kubelet.settings.flags.get("cert-dir") or f"{view.kubelet.root_dir}/pki").rstrip("/")


def _list_kubeconfig_texts(
    view: NodeView, kubeconfig: str
) -> Iterator[tuple[CertificateUse, str, str | None]]:
    text = _read_file(view, kubeconfig)
    if text is None and "kubeconfig" in view.kubelet.settings.flags:
        yield "client", kubeconfig, None
    for name, inline, value in _IN_KUBECONFIG.findall(text or "")[:_MAX_BLOCKS]:
        use: CertificateUse = "client" if name == "client-certificate" else "ca"
        if inline:
            yield use, kubeconfig, _decode(value)
        else:
            path = value if value.startswith("/") else f"{kubeconfig.rpartition('/')[0]}/{value}"
            yield use, path, _read_file(view, path)


def _decode(value: str) -> str | None:
    try:
        return base64.b64decode(value, validate=True).decode("ascii", "replace")
    except (binascii.Error, ValueError):
        return None


def _read_file(view: NodeView, path: str) -> str | None:
    return view.kubelet.files.text(path, _MAX_FILE) if path.startswith("/") and view.may_touch(path) else None


def _parse_certificates(use: CertificateUse, path: str, text: str) -> Iterator[Certificate]:
    for one in find_certificates(text, _MAX_BLOCKS):
        yield Certificate(use, path, one.subject, one.issuer, one.not_before, one.not_after, one.sha256)
