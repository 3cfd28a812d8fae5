"""TLS as kubeconfig describes it."""

from __future__ import annotations

import os
import ssl
from datetime import datetime

from unstuck.collect.x509 import find_certificates
from unstuck.errors import AccessError
from unstuck.facts.text import Messages, same_in_both

say = Messages(__name__)


def tls_context(
    ca: str | None, insecure: bool, pair: tuple[str, str] | None, cert_from: str = ""
) -> ssl.SSLContext:
    """Return the context for one cluster. ca: PEM, None for the system's. pair: client certificate and key as
    PEM.

    Not `create_default_context`: from Python 3.13 on that refuses CAs without an authority key identifier,
    which old kubeadm versions made. Errors: AccessError for an invalid certificate.
    """
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    context.minimum_version = ssl.TLSVersion.TLSv1_2
    if insecure:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    elif ca:
        try:
            context.load_verify_locations(cadata=ca)
        except (ssl.SSLError, ValueError) as e:
            raise AccessError(
                say("certificate-authority in the kubeconfig does not read: {why}", why=e)
            ) from e
    else:
        context.load_default_certs()
    if pair:
        _load_pair(context, pair, cert_from)
    return context


def _load_pair(context: ssl.SSLContext, pair: tuple[str, str], cert_from: str) -> None:
    """Load a certificate with its key: OpenSSL accepts only files; this file has no name in any directory,
    and only this process sees it.
    """
    fd = os.memfd_create("client-certificate") if hasattr(os, "memfd_create") else -1
    if fd < 0:
        _load_from_directory(context, pair, cert_from)
        return
    try:
        os.write(fd, "\n".join(pair).encode())
        _load(context, f"/proc/self/fd/{fd}", cert_from)
    finally:
        os.close(fd)


def _load_from_directory(context: ssl.SSLContext, pair: tuple[str, str], cert_from: str) -> None:
    import tempfile  # Linux has a better way

    with tempfile.NamedTemporaryFile("w", suffix=".pem") as file:  # created for its owner alone
        file.write("\n".join(pair))
        file.flush()
        _load(context, file.name, cert_from)


def _load(context: ssl.SSLContext, path: str, cert_from: str) -> None:
    try:
        context.load_cert_chain(path)
    except (ssl.SSLError, OSError) as e:
        where = same_in_both(cert_from) if cert_from else say("of the kubeconfig")
        raise AccessError(
            say("the client certificate {where} does not read: {why}", where=where, why=e),
            say("check it and its key"),
        ) from e


def read_not_after(pem: str) -> datetime | None:
    """Return when a certificate ends (X.509 `Validity.notAfter`, RFC 5280 §4.1.2.5), None if it cannot be
    parsed.
    """
    return next((one.not_after for one in find_certificates(pem, 1)), None)
