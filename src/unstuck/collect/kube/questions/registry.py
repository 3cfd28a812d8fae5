"""Asks a registry for an image's tags, from this machine and without credentials: only on the user's request.

The author of a Pod chooses its registry's name. So no registry is asked without the user's knowledge; no
answer leads to another host, except to a token service of the registry's own domain; and only the names of
tags are kept from a reply. Source: opencontainers/distribution-spec spec.md (listing tags); distribution
docs/spec/auth/token.md.
"""

from __future__ import annotations

import json
import re
import threading
from http.client import HTTPException
from typing import Any
from urllib.error import HTTPError
from urllib.parse import urlencode, urlsplit
from urllib.request import HTTPRedirectHandler, Request, build_opener

from unstuck.collect.kube.questions.registry_realm import may_name
from unstuck.collect.kube.transport.session import make_unanswered
from unstuck.collect.masking import mask
from unstuck.facts.aspects.pulls import Tags
from unstuck.facts.core import Fact, Source, Want, WhyOpen

_HOST = re.compile(
    r"(?:[a-z0-9](?:[a-z0-9.-]{0,252}[a-z0-9])?|\[[0-9a-f:]{2,45}\])(?::\d{1,5})?", re.IGNORECASE
)
_PATH = re.compile(r"[a-z0-9]+(?:[._/-]+[a-z0-9]+)*")
_TAG = re.compile(r"\w[\w.-]{0,127}", re.ASCII)
_FIELD = re.compile(r'(\w+)="([^"]{0,1000})"')
_HUB = {"docker.io": "registry-1.docker.io"}
_SECONDS = 4.0
_ALTOGETHER = 12.0
_MOST = 1000
_LONGEST = 1 << 20


class _NoRedirect(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        """Follow no redirect: it counts as no answer."""


class _RefusedError(Exception):
    """The registry gave no tags. status: of its answer, 0 if there was none. challenge: the authentication
    that it asks for.
    """

    def __init__(self, detail: str, status: int = 0, challenge: str = "") -> None:
        super().__init__(detail)
        self.status, self.challenge = status, challenge


def tags(want: Want) -> list[Fact]:
    """Return one Tags, or why it is not known. Never raises, and never takes longer than some seconds."""
    host, path = want.about.within or "", want.about.name or ""
    if not _HOST.fullmatch(host) or not _PATH.fullmatch(path):
        return [make_unanswered(want, "not-asked", "its name is not known")]
    url = f"https://{_HUB.get(host, host)}/v2/{path}/tags/list"
    done: list[Fact] = []

    def ask() -> None:
        try:
            found = _read_tags(url, path)
        except _RefusedError as e:
            known = e.status == 404
            done.append(
                Tags(about=want.about, src=Source(url, "404"), exists=False)
                if known
                else make_unanswered(want, _find_why(e), str(e)[:200], url)
            )
            return
        shown = ", ".join(found[:10]) + (" …" if len(found) > 10 else "")
        done.append(
            Tags(about=want.about, src=Source(url, shown), exists=True, tags=found, whole=len(found) < _MOST)
        )

    # Resolving a name has no deadline of its own.
    asking = threading.Thread(target=ask, daemon=True)
    asking.start()
    asking.join(_ALTOGETHER)
    return list(done) or [make_unanswered(want, "timeout", f"no answer within {_ALTOGETHER:g} s", url)]


def _find_why(refused: _RefusedError) -> WhyOpen:
    return "denied" if refused.status in (401, 403) else "not-offered" if refused.status else "unreachable"


def _read_tags(url: str, path: str) -> tuple[str, ...]:
    query = f"{url}?{urlencode({'n': _MOST})}"
    try:
        body = _get(query)
    except _RefusedError as e:
        if e.status != 401 or not e.challenge.lower().startswith("bearer "):
            raise
        body = _get(query, _token(urlsplit(url).netloc, e.challenge, path))
    named = body.get("tags")
    return (
        tuple(sorted(t for t in named if isinstance(t, str) and _TAG.fullmatch(t)))
        if isinstance(named, list)
        else ()
    )


def _token(registry: str, challenge: str, path: str) -> str:
    """Return an anonymous token from the service that the registry names."""
    fields = dict(_FIELD.findall(challenge))
    realm = fields.get("realm", "")
    if not may_name(registry, realm):
        raise _RefusedError("names no token service of its own domain that is reached by TLS", 401)
    asked = {
        "scope": f"repository:{path}:pull",
        **({"service": fields["service"]} if "service" in fields else {}),
    }
    body = _get(f"{realm}{'&' if '?' in realm else '?'}{urlencode(asked)}")
    token = body.get("token") or body.get("access_token")
    if not isinstance(token, str) or not token.isprintable():
        raise _RefusedError("gives no token to a stranger", 401)
    return token


def _get(url: str, token: str = "") -> dict[str, Any]:
    headers = {
        "Accept": "application/json",
        "User-Agent": "unstuck",
        **({"Authorization": f"Bearer {token}"} if token else {}),
    }
    try:
        with build_opener(_NoRedirect).open(Request(url, headers=headers), timeout=_SECONDS) as reply:  # noqa: S310 - https alone
            told = reply.read(_LONGEST)
    except HTTPError as e:
        raise _RefusedError(f"HTTP {e.code}", e.code, str(e.headers.get("WWW-Authenticate") or "")) from e
    except OSError as e:
        raise _RefusedError(mask(str(getattr(e, "reason", e)))[:200]) from e
    except (ValueError, HTTPException) as e:
        # Their words quote an address that does not read, and its password with it: that of HTTPS_PROXY,
        # mostly.
        raise _RefusedError(f"cannot be asked ({type(e).__name__}): check HTTPS_PROXY") from e
    try:
        body = json.loads(told)
    except (ValueError, RecursionError) as e:
        raise _RefusedError("its answer is no JSON", 200) from e
    if not isinstance(body, dict):
        raise _RefusedError("its answer is no list of tags", 200)
    return body
