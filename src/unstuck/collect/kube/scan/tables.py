"""Decodes lists in the server's own short forms at speed: Tables, metadata only, Leases. See
docs/why/scan.md.

Only the relevant fields are decoded; a body is released as soon as it has been.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from typing import Annotated, Generic, TypeVar

import msgspec

from unstuck.collect.kube.scan import metadata
from unstuck.collect.kube.scan.metadata import Meta, Object
from unstuck.collect.kube.scan.triage import columns
from unstuck.collect.kube.transport.reply import Reply, make_too_large
from unstuck.collect.kube.transport.room import TooLarge
from unstuck.collect.kube.transport.session import CACHED, ApiRead, Session, make_page_params
from unstuck.collect.objects.kinds import Kind
from unstuck.collect.objects.node import NODE_LEASES
from unstuck.facts.record import Record, record

# No plain list as a last resort: it would be every Pod in full. A server without Tables answers 406.
_TABLE = ",".join(f"application/json;as=Table;g=meta.k8s.io;v={v}" for v in ("v1", "v1beta1"))


class _Column(msgspec.Struct, frozen=True):
    name: str = ""


# No default, and none that is empty: rows of nothing, `{}` a hundred million times over, are refused at the
# first one.
_AnyCells = Annotated[tuple[str | int | float | bool | None, ...], msgspec.Meta(min_length=2)]
# As servers since 1.22 tell of a Pod: a row takes two thirds of the time of one of any length, whose cells
# may be of any type.
_PodCells = tuple[str, str, str, str, str, str, str, str, str]
C = TypeVar("C")


class _RawRow(msgspec.Struct, Generic[C], frozen=True, gc=False):
    cells: C
    object: Object | None = None


class _Table(msgspec.Struct, Generic[C], frozen=True, rename="camel"):
    kind: str = ""
    column_definitions: list[_Column] = []
    # Go writes a list without items as null.
    rows: list[_RawRow[C]] | None = None


class _LeaseSpec(msgspec.Struct, frozen=True, rename="camel"):
    renew_time: datetime | None = None


class _Lease(msgspec.Struct, frozen=True):
    metadata: Meta = Meta()
    spec: _LeaseSpec = _LeaseSpec()


class _Leases(msgspec.Struct, frozen=True):
    items: list[_Lease] | None = None


_tables = msgspec.json.Decoder(_Table[_AnyCells])
_pod_tables = msgspec.json.Decoder(_Table[_PodCells])
_leases = msgspec.json.Decoder(_Leases)


@record()
class Table(Record):
    """One kind's rows. at: the index of each column. objects: their metadata, if requested.

    read: the reply, without its body.
    """

    at: Mapping[str, int]
    rows: tuple[Sequence[object], ...]
    objects: tuple[Meta, ...]
    read: ApiRead

    @property
    def ok(self) -> bool:
        """Whether it is a table at all."""
        return self.read.reply.ok and bool(self.at)

    def without_rows(self) -> Table:
        """Return the table without its rows."""
        return Table(self.at, (), (), self.read)


@record()
class Metas(Record):
    """The metadata of one kind's objects. whole: of all of them. read: the first that failed, else the
    last.
    """

    items: tuple[Meta, ...]
    whole: bool
    read: ApiRead


def table(session: Session, kind: Kind, namespace: str | None, *, objects: bool = False) -> Table:
    """Return the server's table, from its cache (`resourceVersion=0`). objects: with each row's metadata,
    else with cells alone.
    """
    params = {**CACHED, "includeObject": "Metadata" if objects else "None"}
    read = session.read_short_list(kind.path(namespace), params, accept=_TABLE)
    if not read.reply.ok:
        return Table({}, (), (), read)
    found = _decode(kind, read.reply.body)
    if found is None or found.kind != "Table":
        return Table({}, (), (), _make_unreadable_reply(read))
    rows = found.rows or []
    metas = tuple(r.object.metadata if r.object else Meta() for r in rows) if objects else ()
    at = columns([c.name for c in found.column_definitions])
    cells = tuple([r.cells for r in rows])
    if set(map(len, cells)) - {len(found.column_definitions)}:
        return Table({}, (), (), _make_unreadable_reply(read))
    return Table(at, cells, metas, _without_body(read))


def _decode(kind: Kind, body: bytes) -> _Table[_PodCells] | _Table[_AnyCells] | None:
    if kind.name == "Pod":
        with suppress(msgspec.DecodeError):
            return _pod_tables.decode(body)
    try:
        return _tables.decode(body)
    except msgspec.DecodeError:
        return None


def metas(
    session: Session, kind: Kind, namespace: str | None, params: Mapping[str, str | int], most: int = 1
) -> Metas:
    """Return a list of metadata alone, in at most `most` pages where `params` has a limit."""
    items: list[Meta] = []
    token = ""
    for _ in range(most):
        read = session.read_short_list(
            kind.path(namespace), make_page_params(params, token), accept=metadata.ACCEPT
        )
        if not read.reply.ok:
            return Metas(tuple(items), False, read)
        try:
            found = metadata.parse(read.reply.body)
        except TooLarge as e:
            return Metas(tuple(items), False, ApiRead(make_too_large(read.reply.path, e), read.at))
        if found is None:
            return Metas(tuple(items), False, _make_unreadable_reply(read))
        more, token = found
        items += more
        if not token:
            break
    return Metas(tuple(items), not token, _without_body(read))


def renewals(session: Session, kind: Kind) -> Mapping[str, datetime]:
    """Return when each Node's Lease was last renewed; nothing if that may not be read."""
    read = session.read_short_list(kind.path(NODE_LEASES), CACHED)
    if not read.reply.ok:
        return {}
    try:
        found = _leases.decode(read.reply.body)
    except msgspec.DecodeError:
        return {}
    return {
        i.metadata.name: i.spec.renew_time
        for i in found.items or ()
        if i.spec.renew_time and i.spec.renew_time.tzinfo
    }


def _without_body(read: ApiRead) -> ApiRead:
    return ApiRead(Reply(read.reply.path, read.reply.status), read.at)


def _make_unreadable_reply(read: ApiRead) -> ApiRead:
    return ApiRead(
        Reply(
            read.reply.path, read.reply.status, why="not-offered", detail="the server's answer is no table"
        ),
        read.at,
    )
