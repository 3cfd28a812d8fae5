"""Caches one collector's requests: each is sent to the server once, even with several threads."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from types import MappingProxyType
from typing import TypeVar, cast
from urllib.parse import urlencode

from unstuck.collect.kube.transport.client import JSON, RETRIES, Client
from unstuck.collect.kube.transport.reply import Reply
from unstuck.collect.objects import doc, facts_of
from unstuck.collect.objects.kinds import Kind
from unstuck.errors import AccessError, UnstuckError
from unstuck.facts.core import Fact, Ref, Refused, Source, Want, WhyOpen
from unstuck.facts.record import Record, record

METADATA_LIST = "application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1,application/json"
T = TypeVar("T")
# From the server's cache: a list of most types then comes unpaged, regardless of `limit`, at a small part of
# the cost of a page from etcd.
CACHED: Mapping[str, str | int] = MappingProxyType({"resourceVersion": "0"})
PAGE = 500
PAGES = 400
# After a page that was too large, this factor fewer objects are requested per page, and as many more pages
# are read.
SMALLER = 8
NO_LIST = "the server's answer is no list"


@record()
class ApiRead(Record):
    """A reply and when it was given (UTC, whole seconds: evidence is shown so)."""

    reply: Reply
    at: datetime

    @property
    def where(self) -> str:
        """The path, without its query."""
        return self.reply.path.partition("?")[0]

    def src(self, quote: str = "") -> Source:
        """Return the source of this reply's facts."""
        return Source(self.where, quote, self.at)


@record()
class Listing(Record):
    """Items of a list, each with its kind filled in. whole: all of them were read. read: the first page
    that failed, else the last.
    """

    items: tuple[doc.Doc, ...]
    whole: bool
    read: ApiRead
    remaining: int = 0


@dataclass
class Session:
    """Reads through a client and remembers. namespace: the one for names without one.

    last: the latest reply. failed: why no request can be sent at all (credentials, certificates). events: all
    Events of a Namespace, if they were read together. looked_up: paths read only to find owners of
    finalizers. dry_run: whether the user wants writes to be tried as dry runs. ask_registry: whether
    registries may be asked. cached: whether an object may come from the server's cache, as its tables do: it
    then costs the server a third.
    """

    client: Client
    namespace: str
    dry_run: bool = False
    ask_registry: bool = False
    cached: bool = False
    last: ApiRead | None = None
    failed: AccessError | None = None
    looked_up: set[str] = field(default_factory=set)
    events: dict[str, Listing] = field(default_factory=dict)
    _made: dict[object, object] = field(default_factory=dict)
    _spaces: dict[str, frozenset[str]] = field(default_factory=dict)
    _locks: dict[object, threading.Lock] = field(default_factory=dict)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def get(
        self,
        path: str,
        params: Mapping[str, str | int] | None = None,
        *,
        accept: str = JSON,
        retries: int = RETRIES,
        seconds: float | None = None,
    ) -> ApiRead:
        """Return one GET, remembered. Never raises: credentials that fail half way are a reply, too."""
        return self.remember(
            _make_key(path, params, accept), lambda: self._ask(path, params, accept, retries, seconds)
        )

    def remember(self, what: object, make: Callable[[], T]) -> T:
        """Return a value that is requested, or computed from replies, only once. what: its key, including all
        its inputs.
        """
        with self._lock:
            lock = self._locks.setdefault(what, threading.Lock())
        with lock:
            if what not in self._made:
                self._made[what] = make()
            return cast(T, self._made[what])

    def _ask(
        self,
        path: str,
        params: Mapping[str, str | int] | None,
        accept: str,
        retries: int = RETRIES,
        seconds: float | None = None,
        *,
        whole_list: bool = False,
    ) -> ApiRead:
        try:
            reply = self.client.get(
                path, params, accept=accept, retries=retries, seconds=seconds, whole_list=whole_list
            )
        except AccessError as e:
            self.failed = e
            reply = Reply(path, 0, why="denied", detail=str(e))
        self.last = ApiRead(reply, datetime.now(UTC).replace(microsecond=0))
        return self.last

    def read_short_list(
        self, path: str, params: Mapping[str, str | int] | None = None, *, accept: str = JSON
    ) -> ApiRead:
        """Return one GET of a list of all objects, in a short form, that is not remembered. Never raises."""
        return self._ask(path, params, accept, whole_list=True)

    def dry_patch(self, path: str, changes: object) -> ApiRead:
        """Return the server's answer to a JSON patch sent as a dry run; it is not remembered. Never
        raises.
        """
        try:
            reply = self.client.write("PATCH", path, changes, {"dryRun": "All"})
        except AccessError as e:
            self.failed = e
            reply = Reply(path, 0, why="denied", detail=str(e))
        return ApiRead(reply, datetime.now(UTC).replace(microsecond=0))

    def facts(self, read: ApiRead) -> list[Fact]:
        """Return all facts of a reply's object. Many questions about one object are answered by one reply,
        which is read once.
        """
        # The reply itself is kept beside them: while it lives, its identity is unique.
        return list(
            self.remember(("facts", id(read)), lambda: (read, facts_of(read.reply.doc, read.where, read.at)))[
                1
            ]
        )

    def knows(self, path: str) -> bool:
        """Tell whether a GET of this object's path has been answered already."""
        return _make_key(path, CACHED if self.cached else None) in self._made

    def saw_all(self, kind: Kind, namespaces: Iterable[str]) -> None:
        """Remember that all objects of this type were listed. namespaces: the Namespace of each; nothing is
        concluded if one is unknown.
        """
        spaces = frozenset(namespaces)
        if "" not in spaces:
            self._spaces[kind.path()] = spaces

    def may_hold(self, namespace: str, kind: Kind) -> bool:
        """Return False if all objects of this type were just listed and none is in this Namespace."""
        return namespace in self._spaces.get(kind.path(), (namespace,))

    def object(self, kind: Kind, ref: Ref) -> ApiRead:
        """Return GET of one named object. That it is not there is never said by a cache alone."""
        path = kind.path(ref.within, ref.name)
        read = self.get(path, CACHED if self.cached else None)
        return self.get(path) if self.cached and read.reply.object_missing else read

    def pages(
        self,
        kind: Kind,
        namespace: str | None,
        params: Mapping[str, str | int] | None = None,
        *,
        metadata: bool = False,
        most: int = PAGES,
        remember: bool = True,
    ) -> Iterator[Listing]:
        """Yield a list page by page, each page with its own items. namespace: None for the whole cluster.
        most: maximum number of pages.

        remember: False for lists that may be too long to hold. A continuation that expired (410) ends the
        list as not whole: the pages read remain true. A page that is too large is requested again with fewer
        objects, and not from the cache, which has no pages.
        """
        path, token, seen, limit = kind.path(namespace), "", 0, PAGE
        while True:
            asked = {"limit": limit, **make_page_params(params or {}, token)}
            accept = METADATA_LIST if metadata else JSON
            read = self.get(path, asked, accept=accept) if remember else self._ask(path, asked, accept)
            if read.reply.why == "too-large" and limit > 1:
                limit = max(1, limit // SMALLER)
                params = {k: v for k, v in (params or {}).items() if k != "resourceVersion"}
                continue
            if not read.reply.ok:
                yield Listing((), False, read)
                return
            body, seen = read.reply.doc, seen + 1
            if "items" not in body:
                # Not to be taken for a list without objects.
                yield Listing(
                    (), False, ApiRead(Reply(read.reply.path, 0, why="unreachable", detail=NO_LIST), read.at)
                )
                return
            token = doc.text(body, "metadata", "continue")
            own = {
                "kind": kind.name,
                "apiVersion": f"{kind.group}/{kind.version}" if kind.group else kind.version,
            }
            items = tuple({**item, **own} for item in doc.rows(body, "items"))
            yield Listing(
                items, not token, read, doc.whole_number(body, "metadata", "remainingItemCount") or 0
            )
            if not token or seen >= (most if limit == PAGE else most * SMALLER):
                return

    def listing(
        self,
        kind: Kind,
        namespace: str | None,
        params: Mapping[str, str | int] | None = None,
        *,
        metadata: bool = False,
        most: int = 20,
    ) -> Listing:
        """Return a list as one, of at most `most` pages (10,000 objects)."""
        items: list[doc.Doc] = []
        for page in self.pages(kind, namespace, params, metadata=metadata, most=most):
            items += page.items
        return Listing(tuple(items), page.whole, page.read, page.remaining)


def _make_key(path: str, params: Mapping[str, str | int] | None, accept: str = JSON) -> str:
    """Return the key under which the reply to a GET is remembered."""
    return f"{accept} {path}?{urlencode(params or {})}"


def make_page_params(params: Mapping[str, str | int], token: str) -> Mapping[str, str | int]:
    """Return the parameters of a list's next page. token: "" for the first; a continued page belongs to the
    list's own resource version.
    """
    return (
        {**{k: v for k, v in params.items() if k != "resourceVersion"}, "continue": token}
        if token
        else params
    )


def cannot_ask(session: Session, reply: Reply) -> UnstuckError | None:
    """Return the reason why this cluster cannot be asked at all, from one of its replies; None if only this
    question was refused.
    """
    if reply.status == 0 and reply.why == "denied":
        return session.failed
    return session.client.error(reply)


def make_refused(want: Want, read: ApiRead) -> Refused:
    """Return a reply without an answer, as the reason why a Want stays open."""
    return Refused(
        about=want.about,
        src=read.src(read.reply.detail),
        want=want.fact.__name__,
        why=_find_why(read.reply),
        detail=_detail(read.reply),
    )


def make_unanswered(want: Want, why: WhyOpen, detail: str, where: str = "") -> Refused:
    """Return the reason why a Want stays open, if no reply gives one."""
    return Refused(
        about=want.about, src=Source(where, detail), want=want.fact.__name__, why=why, detail=detail
    )


def _find_why(reply: Reply) -> WhyOpen:
    return reply.why or "not-offered"


def _detail(reply: Reply) -> str:
    return reply.detail or reply.message or f"HTTP {reply.status}"


def is_answered(facts: list[Fact], want: Want) -> bool:
    """Tell whether these facts answer a Want: of its type, about its subject, whole or not."""
    return any(isinstance(f, want.fact) and are_same(f.about, want.about) for f in facts)


def are_same(a: Ref, b: Ref) -> bool:
    """Tell whether two Refs of one kind name the same object, one of them perhaps without its uid."""
    return (a.kind, a.within, a.name) == (b.kind, b.within, b.name) and (
        a.uid is None or b.uid is None or a.uid == b.uid
    )
