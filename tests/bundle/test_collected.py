"""The output of `unstuck collect` gives the same answer on reading: unchanged, redacted, repacked, and from
an older version.
"""

from __future__ import annotations

import gzip
import io
import json
import re
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from importlib.resources import files
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from tests.contract.support import Loaded, load_all
from unstuck import __version__
from unstuck.api.reading import TextQuestion, choose_question, read, read_paths
from unstuck.api.redaction import compare_answers, redact_saved, summarise_diagnoses, summarise_saved
from unstuck.api.replaying import replay_saved
from unstuck.api.saved_files import parse_saved
from unstuck.collect.bundle import read_bundle
from unstuck.collect.bundle import saved as layout
from unstuck.collect.bundle.members import size_of
from unstuck.collect.bundle.write import BundleFile
from unstuck.collect.redact.hiding import redact
from unstuck.errors import InputError
from unstuck.facts.aspects.objects import Event, Events
from unstuck.facts.aspects.pod import Containers, ContainerSpec
from unstuck.facts.codec import FORMAT, Saved, save
from unstuck.facts.core import Ref, Source
from unstuck.facts.snapshot import Snapshot

DEMO = files("unstuck") / "demo"
NAMES = sorted(f.name.removesuffix(".json.gz") for f in DEMO.iterdir() if f.name.endswith(".gz"))


def record(name: str) -> Saved:
    return parse_saved((DEMO / f"{name}.json.gz").read_bytes(), name)


def collected(saved: Saved, path: Path, report: dict[str, Any] | None = None) -> Path:
    with BundleFile(str(path)) as out:
        out.write(saved, __version__, {}, report)
    return path


def told(saved: Saved) -> str:
    return replay_saved(saved).to_text().split("\n", 1)[1]


def reading(*paths: Path) -> Saved:
    names = tuple(map(str, paths))
    snap, seen = read_paths(names)
    assert not seen.not_understood and not seen.notes
    return choose_question(TextQuestion(), snap, seen)


@pytest.mark.parametrize("name", NAMES)
def test_what_was_collected_says_what_the_record_says(name: str, tmp_path: Path) -> None:
    saved = record(name)
    again = reading(collected(saved, tmp_path / "b.tar.gz"))
    assert (
        again.asked == saved.asked
        and again.snapshot.facts == saved.snapshot.facts
        and again.snapshot.now == saved.snapshot.now
    )
    assert told(again) == told(saved)


@pytest.mark.parametrize("name", NAMES)
def test_without_its_names_it_has_the_same_causes(name: str, tmp_path: Path) -> None:
    saved = record(name)
    hidden = redact_saved(saved)
    assert hidden.report["same_causes"] is True
    again = reading(collected(hidden.saved, tmp_path / "b.tar.gz", hidden.report))
    assert summarise_saved(again) == summarise_saved(saved)
    text = json.dumps(save(hidden.saved, ""))
    assert saved.asked is not None and saved.asked.name is not None
    # The lab's own names: objects, Namespaces, nodes, images.
    gone = {
        *filter(None, (saved.asked.name, saved.asked.within)),
        "lab.local",
        "busybox",
        *re.findall(r"\blab-\d\b", told(saved)),
    }
    assert [
        name for name in gone - {"default"} if re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", text)
    ] == []


def test_a_snapshot_in_any_archive_is_recognised(tmp_path: Path) -> None:
    saved = record("mount-busy")
    data = gzip.decompress((DEMO / "mount-busy.json.gz").read_bytes())
    (tmp_path / "folder" / "deep").mkdir(parents=True)
    (tmp_path / "folder" / "deep" / "s.json").write_bytes(data)
    with tarfile.open(tmp_path / "a.tar.xz", "w:xz") as tar:
        tar.add(tmp_path / "folder", "folder")
    with zipfile.ZipFile(tmp_path / "a.zip", "w") as archive:
        archive.write(collected(saved, tmp_path / "b.tar.gz"), "in.tar.gz")
    with tarfile.open(tmp_path / "b.tar.gz") as tar:
        tar.extractall(tmp_path / "unpacked", filter="data")
    (tmp_path / "plain.json").write_bytes(data)
    (tmp_path / "plain.json.gz").write_bytes(gzip.compress(data))
    for name in ("folder", "a.tar.xz", "a.zip", "unpacked", "plain.json", "plain.json.gz"):
        assert told(reading(tmp_path / name)) == told(saved), name


def test_what_a_later_version_wrote_is_refused_in_one_line(tmp_path: Path) -> None:
    saved = record("configmap-missing")
    doc = save(saved, "9.9") | {"format": FORMAT + 1}
    (tmp_path / "s.json").write_text(json.dumps(doc))
    (tmp_path / "b.tar").write_bytes(
        _tar({layout.SNAPSHOT: save(saved, "9.9"), layout.MANIFEST: {"format": layout.FORMAT + 1}})
    )
    for name in ("s.json", "b.tar"):
        with pytest.raises(InputError, match="newer than 1, which this version reads; upgrade unstuck") as e:
            _asked(tmp_path / name)
        assert "\n" not in str(e.value)


def _asked(path: Path) -> None:
    read(path)


def _tar(members: dict[str, Any]) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w") as tar:
        for name, doc in members.items():
            data = json.dumps(doc).encode()
            info = tarfile.TarInfo(name)
            info.size = len(data)
            tar.addfile(info, io.BytesIO(data))
    return out.getvalue()


def test_a_bundle_tells_what_it_is(tmp_path: Path) -> None:
    saved = record("registry-unreachable")
    path = collected(saved, tmp_path / "b.tar.gz")
    assert path.stat().st_mode & 0o777 == 0o600
    with tarfile.open(path) as tar:
        members = {m.name: tar.extractfile(m) for m in tar}
        read = {name: file.read() for name, file in members.items() if file}
    manifest = json.loads(read[layout.MANIFEST])
    assert manifest["format"] == 1 and manifest["redacted"] is False and manifest["asked"]["kind"] == "Pod"
    assert [m["name"] for m in manifest["members"]] == ["README.txt", "snapshot.json"]
    assert all(name.startswith(f"{layout.FOLDER}/") for name in read)
    assert collected(saved, tmp_path / "again.tar.gz").read_bytes() == path.read_bytes()


def test_no_half_file_takes_the_name(tmp_path: Path) -> None:
    path = tmp_path / "b.tar.gz"
    with pytest.raises(KeyboardInterrupt), BundleFile(str(path)):
        raise KeyboardInterrupt
    assert list(tmp_path.iterdir()) == []
    path.write_text("mine")
    with pytest.raises(FileExistsError), BundleFile(str(path)):
        pass
    assert path.read_text() == "mine" and list(tmp_path.iterdir()) == [path]
    # A name that becomes taken during the questions to the cluster.
    with pytest.raises(FileExistsError), BundleFile(str(tmp_path / "c")) as out:
        (tmp_path / "c").write_text("theirs")
        out.write(record("mount-busy"), __version__, {})
    assert (tmp_path / "c").read_text() == "theirs" and not list(tmp_path.glob("*.part"))
    with BundleFile(str(path), replace=True) as out:
        out.write(record("mount-busy"), __version__, {})
    assert told(reading(path)) == told(record("mount-busy"))


def test_how_far_it_is_can_be_asked_while_it_reads(tmp_path: Path) -> None:
    for n in range(5):
        (tmp_path / f"{n}.txt").write_text("phase: Running\n" * 10)
    with tarfile.open(tmp_path / "a.tar.gz", "w:gz") as tar:
        for n in range(5):
            tar.add(tmp_path / f"{n}.txt")
    for path in (tmp_path, tmp_path / "a.tar.gz"):
        told: list[Callable[[], int]] = []
        read_bundle(str(path), datetime(2026, 11, 21, tzinfo=UTC), watch=told.append)
        assert told[0]() == size_of(str(path)) > 0


def without_names(cases: Iterable[Loaded]) -> list[str]:
    """List the cases in which pseudonyms change a cause or its confidence."""
    hidden = (
        (
            case.name,
            compare_answers(Saved(case.snapshot, case.subject), summarise_diagnoses([case.diagnosis])),
        )
        for case in cases
    )
    return [name for name, found in hidden if not found.report["same_causes"]]


def test_the_causes_of_a_sixtieth_of_all_cases_need_no_names() -> None:
    chosen = [case for case in load_all() if crc32(case.name.encode()) % 60 == 0]
    assert len(chosen) > 20
    assert without_names(chosen) == []


@pytest.mark.slow
def test_the_causes_of_no_case_need_names() -> None:
    assert without_names(load_all()) == []


def test_hosts_that_only_messages_name_are_replaced() -> None:
    pod = Ref("Pod", "shop", "web-0")
    said = [
        'Get "https://pay.shop.com/v1": dial tcp: lookup pay.shop.com on 10.96.0.10:53: no such host',
        "no endpoints for https://web.shop.svc:443/validate and web.shop.svc, from 10.128.4.7 in 10.128.4.0/24, then 10.128.9.7",
        'Failed to pull image "node.shop.com:5000/web/cart:v2": fetched node.shop.com:5000/web/cart:v2 by jane.doe@corp.io',
    ]
    items = tuple(Event("Failed", text, True) for text in said)
    containers = Containers(
        about=pod,
        src=Source("x"),
        items=(ContainerSpec("running", "main", "node.shop.com:5000/web/cart:v2"),),
    )
    snap = Snapshot(
        [Events(about=pod, src=Source("x"), items=items), containers], datetime(2026, 11, 21, tzinfo=UTC)
    )
    hidden = redact(
        Saved(snap, pod),
        {"get", "https", "com", "web", "shop", "failed", "running", "corp", "pull", "image", "svc", "io"},
    )
    text = json.dumps(save(hidden.saved, ""))
    for gone in ("pay.shop", "shop.com", "cart", "jane", "doe", "10.128", "10.96", "running"):
        assert gone not in text, gone
    (events,) = hidden.saved.snapshot.every(Events)
    first, second, third = (item.message for item in events.items)
    host = first.split("//")[1].split("/")[0]
    assert first.count(host) == 2
    a, b, c = re.findall(r"10(?:\.\d+){3}", second)
    assert a.rsplit(".", 1)[0] == b.rsplit(".", 1)[0] != c.rsplit(".", 1)[0]
    image = hidden.saved.snapshot.every(Containers)[0].items[0].image
    assert third.count(image) == 2 and image.endswith(":v2") and ":5000/" in image
