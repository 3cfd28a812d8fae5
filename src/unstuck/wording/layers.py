"""Layers of an image: fetched, checked, unpacked, and read again later from where the runtime keeps them."""

from __future__ import annotations

from unstuck.wording.image import PULL
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_UNPACK = "pkg/archive, core/unpack/unpacker.go"

CALLS: tuple[Call, ...] = (
    Call(
        words(r"Failed to inspect image \"(?P<image>[^\"\s]{0,512})\""),
        "image-inspect",
        ("failed to inspect image",),
        (Seen("kubelet", "1.5–1.34", "pkg/kubelet/images/image_manager.go"),),
        (
            Example(
                'Failed to inspect image "r.example/a:1": rpc error: code = Unknown desc = Error response from daemon: readlink /var/lib/docker/overlay2/l: invalid argument',
                "image-inspect layer-file-missing host=r.example object=Image/r.example/a:1 path=/var/lib/docker/overlay2/l",
            ),
            Example(
                'Failed to inspect image "a": rpc error: code = Unknown desc = Error response from daemon: layer does not exist',
                "image-inspect layer-file-missing host=docker.io object=Image/a",
            ),
        ),
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        words(
            r"failed size validation: \d{1,20} != \d{1,20}|unexpected commit (?:digest|size) [^\n]{1,200}?expected [^\s:]{1,80}(?::[0-9a-f]{64})?|"
            r"Digest did not match, expected \S{1,100}, got \S{1,100}|filesystem layer verification failed for digest \S{1,100}|"
            r"short read: expected \d{1,20} bytes but got \d{1,20}|failed to read expected number of bytes: unexpected EOF"
        ),
        "blob-mismatch",
        (
            "size validation",
            "unexpected commit",
            "digest did not match",
            "layer verification failed",
            "short read",
            "expected number of bytes",
        ),
        (
            Seen("containerd", "1.2–2.1", "plugins/content/local/writer.go"),
            Seen("docker", "1.10–27", "distribution/pull_v2.go"),
            Seen("cri-o", "1.13–1.33", "containers/image copy/digesting_reader.go"),
        ),
        (
            Example(
                'Failed to pull image "r.example/a:1": failed to pull and unpack image "r.example/a:1": failed commit on ref '
                '"layer-sha256:0a": "layer-sha256:0a" failed size validation: 4096 != 81920: failed precondition',
                "image-pull blob-mismatch host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = filesystem layer verification failed for digest sha256:0a1b',
                "image-pull blob-mismatch host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a:1": failed to pull and unpack image "r.example/a:1": failed to read expected number of bytes: unexpected EOF',
                "image-pull blob-mismatch host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = copying system image from manifest list: reading blob sha256:0a: '
                "Digest did not match, expected sha256:0a, got sha256:0b",
                "image-pull blob-mismatch host=r.example object=Image/r.example/a:1",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
    Error(
        words(
            r"archive/tar: invalid tar header|gzip: invalid (?:header|checksum)|flate: corrupt input before offset \d{1,20}|invalid zstd[^\n]{0,60}|"
            r"magic number mismatch|wrong diff id (?:\"[^\"\n]{1,100}\" )?calculated on extraction|layers from manifest don't match image configuration|unpigz: [^\n]{1,120}"
        ),
        "layer-unreadable",
        (
            "tar header",
            "gzip:",
            "flate:",
            "zstd",
            "magic number",
            "wrong diff id",
            "don't match image configuration",
            "unpigz:",
        ),
        (
            Seen("containerd", "1.2–2.1", _UNPACK),
            Seen("docker", "1.10–27", "layer/layer_store.go"),
            Seen("Go compress, archive/tar", "all"),
        ),
        (
            Example(
                'Failed to pull image "r.example/a:1": failed to pull and unpack image "r.example/a:1": failed to extract layer sha256:0a: archive/tar: invalid tar header: unknown',
                "image-pull layer-unreadable host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = failed to register layer: Error processing tar file(exit status 1): gzip: invalid checksum',
                "image-pull layer-unreadable host=r.example object=Image/r.example/a:1",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
    Error(
        words(r"(?<!\w)unexpected EOF"),
        "cut-short",
        ("unexpected eof",),
        (Seen("Go io", "all"),),
        (
            Example(
                'Failed to pull image "r.example/a:1": failed to pull and unpack image "r.example/a:1": failed to copy: httpReadSeeker: failed open: unexpected EOF',
                "image-pull cut-short host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = error pulling image configuration: download failed after attempts=6: unexpected EOF',
                "image-pull cut-short host=r.example object=Image/r.example/a:1",
            ),
        ),
        within=PULL,
    ),
    # The path is one inside the layer, not one of the node: a cause that looks at file systems must not take it for one.
    Error(
        words(r"Error processing tar file\([^)\n]{1,80}\):[^\n]{0,600}no space left on device"),
        "ENOSPC",
        ("error processing tar file",),
        (Seen("docker", "1.5–27", "pkg/chrootarchive"),),
        (
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = failed to register layer: Error processing tar file(exit status 1): write /usr/lib/x.so: no space left on device',
                "image-pull ENOSPC host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "a": rpc error: code = 2 desc = failed to register layer: Error processing tar file(exit status 1): open /app/node_modules/x: no space left on device',
                "image-pull ENOSPC host=docker.io object=Image/a",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
    Error(
        words(
            r"(?:open|l?stat|readlink|chdir) (?P<path>/[^\s:\"]{1,512}/overlay2?/(?:[0-9a-f]{32,64}[^\s:\"]{0,1024}|l)): (?:no such file or directory|invalid argument)|"
            r"(?<=daemon: )layer does not exist"
        ),
        "layer-file-missing",
        ("/overlay", "layer does not exist"),
        (Seen("docker", "17.06–27", "layer/layer_store.go, daemon/graphdriver/overlay2"),),
        (
            Example(
                "Error response from daemon: open /var/lib/docker/overlay2/0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d/diff/lib/ld.so: no such file or directory",
                "image-inspect layer-file-missing path=/var/lib/docker/overlay2/0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d0a1b2c3d/diff/lib/ld.so",
            ),
            Example(
                'Failed to inspect image "a:1": rpc error: code = Unknown desc = Error response from daemon: readlink /var/lib/docker/overlay2/l: invalid argument',
                "image-inspect layer-file-missing host=docker.io object=Image/a:1 path=/var/lib/docker/overlay2/l",
            ),
        ),
        Rank.NAMED,
        "image-inspect",
        ("image-inspect", "container-create"),
    ),
)
