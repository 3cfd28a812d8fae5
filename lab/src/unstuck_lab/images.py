"""Container images built without a registry: an OCI layout written with tarfile.

Format: OCI image-spec 1.0 (image-layout, manifest, config). `ctr images import`
takes the name from the annotation `io.containerd.image.name`.
"""

import gzip
import hashlib
import io
import json
import tarfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from unstuck_lab import shell
from unstuck_lab.build import Programs
from unstuck_lab.paths import Paths, read_architecture
from unstuck_lab.permission import require_setup_allowed

PAUSE = "lab.local/pause:1"
BUSYBOX = "lab.local/busybox:1"
PYTHON = "lab.local/python:1"
SEARCH_PATH = "PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True)
class Entry:
    """A file of a layer: a symbolic link when `link` is set, a directory when `content` is None."""

    path: str
    mode: int = 0o755
    content: bytes | None = None
    link: str | None = None


def locate_archive(paths: Paths, name: str) -> Path:
    """Return the path of an image's archive."""
    return paths.cache / "images" / (name.replace("/", "_").replace(":", "_") + ".tar")


def derive_name(archive: Path) -> str:
    """Return the image of an archive, such as `lab.local/busybox:1`."""
    repository, _, tag = archive.stem.rpartition("_")
    return f"{repository.replace('_', '/', 1)}:{tag}"


def ensure(paths: Paths, programs: Programs, say: Callable[[str], None]) -> list[Path]:
    """Build the two images for every node, and return their archives."""
    pause, busybox = locate_archive(paths, PAUSE), locate_archive(paths, BUSYBOX)
    # Rebuilt if older than its contents.
    if not pause.exists() or pause.stat().st_mtime < programs.labinit.stat().st_mtime:
        say(f"making the image {PAUSE}")
        layer = make_layer([Entry("pause", content=programs.labinit.read_bytes())])
        write_image(pause, PAUSE, layer, ["/pause"], [])
    if not busybox.exists():
        say(f"making the image {BUSYBOX}")
        write_image(busybox, BUSYBOX, make_layer(list_busybox_files()), [], ["sh"])
    return [pause, busybox]


def ensure_python(paths: Paths, say: Callable[[str], None]) -> Path:
    """Build `lab.local/python:1` (Debian's python3-minimal) unless it exists. Raises `NotSetUpError` while
    tests run.
    """
    target = locate_archive(paths, PYTHON)
    if not target.exists():
        require_setup_allowed(PYTHON)
        say(f"making the image {PYTHON}")
        target.parent.mkdir(parents=True, exist_ok=True)
        tar = target.with_suffix(".rootfs.tar")
        try:
            command = [
                "mmdebstrap",
                "--variant=extract",
                "--include=python3-minimal,libpython3-stdlib",
                "--format=tar",
                "bookworm",
                str(tar),
            ]
            shell.retry(lambda: shell.run_while_working(command), say)
            write_image(target, PYTHON, tar.read_bytes(), [], ["/usr/bin/python3.11"])
        finally:
            tar.unlink(missing_ok=True)
    return target


def list_busybox_files() -> list[Entry]:
    """List the files of Debian's static busybox, with a link for each of its applets."""
    binary = Path("/bin/busybox")
    entries = [Entry(d) for d in ("bin", "sbin", "usr", "usr/bin", "usr/sbin", "etc", "var", "root")]
    entries += [Entry("tmp", 0o1777), Entry("bin/busybox", content=binary.read_bytes())]
    entries += [
        Entry("etc/passwd", 0o644, b"root:x:0:0:root:/root:/bin/sh\nnobody:x:65534:65534::/:/bin/false\n"),
        Entry("etc/group", 0o644, b"root:x:0:\nnogroup:x:65534:\n"),
    ]
    applets = shell.run([str(binary), "--list"]).split()
    return entries + [Entry(f"bin/{a}", link="/bin/busybox") for a in applets if a != "busybox"]


def make_layer(entries: list[Entry]) -> bytes:
    """Return an uncompressed layer; equal entries give equal bytes."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as tar:
        for entry in entries:
            info = tarfile.TarInfo(entry.path)
            info.mode = entry.mode
            if entry.link is not None:
                info.type, info.linkname = tarfile.SYMTYPE, entry.link
            elif entry.content is None:
                info.type = tarfile.DIRTYPE
            else:
                info.size = len(entry.content)
            tar.addfile(info, io.BytesIO(entry.content or b""))
    return buffer.getvalue()


def write_image(target: Path, name: str, layer: bytes, entrypoint: list[str], cmd: list[str]) -> None:
    """Write an OCI archive with one layer. Replaces `target` atomically."""
    blobs: dict[str, bytes] = {}

    def add(content: bytes, media: str) -> dict[str, Any]:
        digest = hashlib.sha256(content).hexdigest()
        blobs[digest] = content
        return {"mediaType": media, "digest": f"sha256:{digest}", "size": len(content)}

    packed = add(gzip.compress(layer, 1, mtime=0), "application/vnd.oci.image.layer.v1.tar+gzip")
    config = {
        "architecture": read_architecture(),
        "os": "linux",
        "config": {"Env": [SEARCH_PATH], "Entrypoint": entrypoint, "Cmd": cmd},
        "rootfs": {"type": "layers", "diff_ids": ["sha256:" + hashlib.sha256(layer).hexdigest()]},
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": add(_dump_json(config), "application/vnd.oci.image.config.v1+json"),
        "layers": [packed],
    }
    described = add(_dump_json(manifest), "application/vnd.oci.image.manifest.v1+json")
    described["annotations"] = {
        "io.containerd.image.name": name,
        "org.opencontainers.image.ref.name": name.rpartition(":")[2],
    }
    entries = [
        Entry("oci-layout", 0o644, b'{"imageLayoutVersion":"1.0.0"}'),
        Entry("index.json", 0o644, _dump_json({"schemaVersion": 2, "manifests": [described]})),
        Entry("blobs"),
        Entry("blobs/sha256"),
        *(Entry(f"blobs/sha256/{digest}", 0o644, blob) for digest, blob in blobs.items()),
    ]
    target.parent.mkdir(parents=True, exist_ok=True)
    part = target.with_suffix(".part")
    part.write_bytes(make_layer(entries))
    part.rename(target)


def _dump_json(value: object) -> bytes:
    return json.dumps(value, sort_keys=True).encode()
