"""`docker inspect` and `crictl inspect|inspectp`: the Pods of container ids, and the runtime's state of each.

Sources: docs.docker.com/engine/api (`/containers/ID/json`), dockershim's labels
(pkg/kubelet/dockershim/labels.go of 1.5 to 1.23), cri-tools cmd/crictl/container.go (`status` and `info`).
Environments and command lines are a stranger's and not kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import datetime
from typing import Any

from unstuck.collect.objects import doc
from unstuck.collect.text.cutting.piece import Piece, Reading, TypedCommand
from unstuck.collect.text.objects.json_yaml import find_json_end, parse_json_documents
from unstuck.facts.aspects.host import Proc
from unstuck.facts.aspects.runtime import DOCKER_WORDS, RuntimeWord
from unstuck.facts.core import Ref
from unstuck.facts.regex import regex
from unstuck.wording.klog import parse_rfc3339

_ID = regex(r'^\s{0,16}"[Ii]d": ?"[0-9a-f]{64}",?\s*$')
_LABEL = "io.kubernetes."
_NEAR = 40


def find(lines: Sequence[str], i: int, _command: TypedCommand | None) -> int | None:
    """Return the end of the piece that runs from the brace before an id of 64 characters to the closing
    one.
    """
    if not lines[i].startswith(("[", "{")) or not any(_ID.match(line) for line in lines[i : i + _NEAR]):
        return None
    return find_json_end(lines, i)


def read(piece: Piece) -> Reading:
    """Return no facts by itself; containers with their Pods, docker's words, and processes by pid. Not
    understood if it is no such answer.
    """
    out = Reading(understood=False)
    try:
        found = list(parse_json_documents("\n".join(piece.lines)))
    except (ValueError, RecursionError):
        return out
    for one in (o for f in found for o in (f if isinstance(f, list) else [f]) if isinstance(o, Mapping)):
        out.understood |= _read_docker(one, piece, out) or _read_cri(one, out)
    return out


def _read_docker(obj: Mapping[str, Any], piece: Piece, out: Reading) -> bool:
    """Read one container in docker's form, and tell whether it is one."""
    id_, state = doc.text(obj, "Id"), doc.section(obj, "State")
    if not id_ or not state:
        return False
    pod = _find_pod(doc.section(obj, "Config", "Labels"))
    word = DOCKER_WORDS.get(doc.text(state, "Status"))
    pid = doc.whole_number(state, "Pid") or 0
    if pod is not None:
        out.containers[id_[:12]] = pod
        if word:
            told = RuntimeWord(
                "dockerd",
                word,
                "docker inspect",
                pid,
                doc.whole_number(state, "ExitCode") if word == "exited" else None,
                _parse_time(doc.text(state, "StartedAt")),
                _parse_time(doc.text(state, "FinishedAt")),
            )
            out.words.append((id_, told, piece.src(_find_line(piece, '"Status"'))))
    if pid:
        out.processes[pid] = Proc(
            pid, doc.text(obj, "Path").rpartition("/")[2][:64], pod=pod.uid if pod else None, container=id_
        )
    return True


def _read_cri(obj: Mapping[str, Any], out: Reading) -> bool:
    """Read one container or sandbox in crictl's form, without the runtime's name, and tell whether it
    is one.
    """
    id_, status = doc.text(obj, "status", "id"), doc.section(obj, "status")
    if not id_:
        return False
    meta = doc.section(status, "metadata")
    pod = _find_pod(doc.section(status, "labels"))
    if pod is None and doc.text(meta, "namespace"):
        pod = Ref(
            "Pod", doc.text(meta, "namespace"), doc.text(meta, "name") or None, doc.text(meta, "uid") or None
        )
    if pod is not None:
        out.containers[id_[:12]] = pod
    pid = doc.whole_number(obj, "info", "pid") or 0
    if pid:
        out.processes[pid] = Proc(pid, "", pod=pod.uid if pod else None, container=id_)
    return True


def _find_pod(labels: Mapping[str, Any]) -> Ref | None:
    told = {k: str(labels.get(f"{_LABEL}pod.{k}") or "") for k in ("name", "namespace", "uid")}
    return (
        Ref("Pod", told["namespace"], told["name"], told["uid"] or None)
        if told["name"] and told["namespace"]
        else None
    )


def _parse_time(text: str) -> datetime | None:
    return None if text.startswith("0001") else parse_rfc3339(text)


def _find_line(piece: Piece, words: str) -> int:
    return next(_find_lines(piece, words), 0)


def _find_lines(piece: Piece, words: str) -> Iterator[int]:
    return (n for n, line in enumerate(piece.lines) if words in line)
