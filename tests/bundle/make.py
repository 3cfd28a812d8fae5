"""Archives for the tests: good ones in every format, and hostile ones."""

from __future__ import annotations

import bz2
import gzip
import io
import lzma
import tarfile
import zipfile
from collections.abc import Callable, Mapping

import zstandard

from tests.text.support import DESCRIBE, YAML

FILES: Mapping[str, bytes] = {"shop/pods.yaml": YAML.encode(), "outputs/describe.txt": DESCRIBE.encode()}
PACK: Mapping[str, Callable[[bytes], bytes]] = {
    "": bytes,
    ".gz": gzip.compress,
    ".xz": lzma.compress,
    ".bz2": bz2.compress,
    ".zst": zstandard.compress,
}


def make_tar(
    files: Mapping[str, bytes],
    form: int = tarfile.PAX_FORMAT,
    more: Callable[[tarfile.TarFile], None] | None = None,
) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w", format=form) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
        if more:
            more(archive)
    return out.getvalue()


def make_zip(files: Mapping[str, bytes]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return out.getvalue()


def make_special(archive: tarfile.TarFile) -> None:
    """Add a link to the outside, a hard link, devices, a pipe and a directory."""
    for name, kind, link in (
        ("out", tarfile.SYMTYPE, "/etc/passwd"),
        ("hard", tarfile.LNKTYPE, "../../etc/passwd"),
        ("null", tarfile.CHRTYPE, ""),
        ("disk", tarfile.BLKTYPE, ""),
        ("pipe", tarfile.FIFOTYPE, ""),
        ("folder", tarfile.DIRTYPE, ""),
    ):
        info = tarfile.TarInfo(name)
        info.type, info.linkname = kind, link
        archive.addfile(info)
