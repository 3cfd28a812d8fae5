"""Images that a runtime refuses by itself: names without a registry, images forbidden by its policy, unsupported formats.

Source: containers/image pkg/shortnames, signature; cri-o internal/storage/image.go; containerd client, docker distribution.
"""

from __future__ import annotations

from unstuck.wording.image import PULL
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

CALLS: tuple[Call, ...] = ()

ERRORS: tuple[Error, ...] = (
    # The kubelet puts its own reason in front from 1.28 on.
    Error(
        words(
            r"(?:Source image rejected: |SignatureValidationFailed: (?:[^\n]{0,200}?Source image rejected: )?)(?P<key>[^\n]{1,300}?)(?=\" image=|\n|$)|"
            r"invalid policy in \"(?P<path>/[^\s\"]{1,300})\": (?P<key_2>[^\n]{1,200}?)(?=\" image=|\n|$)"
        ),
        "policy-rejected",
        ("source image rejected", "invalid policy in", "signaturevalidationfailed: "),
        (
            Seen(
                "cri-o",
                "1.10–1.34",
                "containers/image signature/policy_eval.go, policy_config.go, copy/single.go",
            ),
            Seen("cri-api", "0.28–0.34", "pkg/errors/errors.go (ErrSignatureValidationFailed)"),
        ),
        (
            Example(
                'Failed to pull image "r.example/a:1": SignatureValidationFailed: copying system image from manifest list: Source image rejected: '
                "A signature was required, but no signature exists",
                "image-pull policy-rejected host=r.example key=A signature was required, but no signature exists object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = Source image rejected: Running image docker://r.example/a:1 is rejected by policy.',
                "image-pull policy-rejected host=r.example key=Running image docker://r.example/a:1 is rejected by policy. object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = invalid policy in "/etc/containers/policy.json": Unknown key "keyPaths"',
                'image-pull policy-rejected host=r.example key=Unknown key "keyPaths" object=Image/r.example/a:1 path=/etc/containers/policy.json',
            ),
        ),
        Rank.NAMED,
        "image-pull",
        PULL,
    ),
    # containerd and docker have given up Docker's first formats of manifests and images.
    Error(
        words(
            r"Pulling Schema 1 images have been deprecated|media type \"(?P<key>application/vnd\.docker\.distribution\.manifest\.v1\+[a-z]{1,20})\" is no longer supported|"
            r"(?:Docker Image Format v1|manifest version 2, schema 1)[^\n]{0,80}support (?:is disabled|has been removed)|"
            r"unsupported manifest media type and no default available: (?P<key_2>application/vnd\.docker\.distribution\.manifest\.v1\+[a-z]{1,20})"
        ),
        "format-unsupported",
        ("schema 1", "manifest.v1+", "image format v1"),
        (
            Seen("containerd", "2.0–2.1", "client/pull.go, core/remotes/docker/schema1"),
            Seen("docker", "26–28", "distribution/pull_v2.go (DeprecatedSchema1ImageError)"),
        ),
        (
            Example(
                'Back-off pulling image "r.example/a": ErrImagePull: failed to pull and unpack image "r.example/a:latest": failed to get converter for "r.example/a:latest": '
                "Pulling Schema 1 images have been deprecated and disabled by default since containerd v2.0.",
                "image-pull format-unsupported host=r.example object=Image/r.example/a",
            ),
            Example(
                'Failed to pull image "r.example/a:1": failed to pull and unpack image "r.example/a:1": not implemented: media type '
                '"application/vnd.docker.distribution.manifest.v1+prettyjws" is no longer supported since containerd v2.1, please rebuild the image',
                "image-pull format-unsupported host=r.example key=application/vnd.docker.distribution.manifest.v1+prettyjws object=Image/r.example/a:1",
            ),
        ),
        Rank.NAMED,
        "image-pull",
        PULL,
    ),
    # containers/image contacts no registry if a name without one is ambiguous.
    Error(
        words(
            r"short name mode is enforcing, but image name (?P<key>[^\s\"]{1,512}) returns ambiguous list|"
            r"short-name \"?(?P<key_2>[^\s\"]{1,512})\"? did not resolve to an alias and no (?:unqualified-search registries are defined|containers-registries\.conf\(5\) was found)"
            r"[^\n]{0,100}|short-name resolution enforced but cannot prompt without a TTY|"
            r"no registries configured while trying to pull an unqualified image"
        ),
        "name-unqualified",
        ("short name mode", "short-name", "unqualified image"),
        (
            Seen("cri-o", "1.34 on", "internal/storage/image.go (CandidatesForPotentiallyShortImageName)"),
            Seen("cri-o", "1.18–1.33", "containers/image pkg/shortnames/shortnames.go"),
            Seen("cri-o", "1.10–1.17", "pkg/storage/image.go (ErrNoRegistriesConfigured)"),
        ),
        (
            Example(
                'Failed to inspect image "": rpc error: code = Unknown desc = short name mode is enforcing, but image name shop/web:1 returns ambiguous list',
                "image-pull name-unqualified key=shop/web:1",
            ),
            Example(
                'Failed to inspect image "shop/web:1": rpc error: code = Unknown desc = short-name "shop/web:1" did not resolve to an alias and no '
                'unqualified-search registries are defined in "/etc/containers/registries.conf"',
                "image-pull name-unqualified host=docker.io key=shop/web:1 object=Image/shop/web:1",
            ),
            Example(
                'Failed to pull image "web": rpc error: code = Unknown desc = no registries configured while trying to pull an unqualified image, '
                "add at least one in either /etc/crio/crio.conf or /etc/containers/registries.conf",
                "image-pull name-unqualified host=docker.io object=Image/web",
            ),
        ),
        Rank.NAMED,
        "image-pull",
        ("image-pull", "image-inspect"),
        takes_over=True,
    ),
)
