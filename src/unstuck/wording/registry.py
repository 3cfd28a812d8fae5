"""Registries' answers to requests for an image, and pulls that asked none: credentials, limits, names,
platforms.

The same words mean different things from different programs: CRI-O reports `invalid username/password` for any 401 of a token service, even without a
password; a token service that refuses anonymous clients gives the same answer for missing names.
"""

from __future__ import annotations

from unstuck.wording.image import PULL
from unstuck.wording.pattern import Call, Error, Example, Rank, Seen, words

_ANY = Seen("registries", "all", "opencontainers/distribution-spec spec.md (error codes)")
_CONTAINERD = "core/remotes/docker/authorizer.go"
_IMAGES = "pkg/kubelet/images/image_manager.go"
_FETCH = r"unexpected status[^\n]{0,40}? https?://[^\s\"]{1,2048}: "

CALLS: tuple[Call, ...] = (
    Call(
        words(
            r"Unable to retrieve some image pull secrets \((?P<key>[A-Za-z0-9][A-Za-z0-9.-]{0,252})[^)\n]{0,1024}\)"
        ),
        "pull-secret-read",
        ("image pull secrets",),
        (Seen("kubelet", "1.22–1.34", "pkg/kubelet/kubelet_pods.go (getPullSecretsForPod)"),),
        (
            Example(
                "Unable to retrieve some image pull secrets (secretFoo); attempting to pull the image may not succeed.",
                "pull-secret-read missing key=secretFoo",
            ),
            Example(
                "Unable to retrieve some image pull secrets (regcred, other-cred); attempting to pull the image may not succeed.",
                "pull-secret-read missing key=regcred",
            ),
        ),
        bare="missing",
    ),
)

ERRORS: tuple[Error, ...] = (
    Error(
        words(
            r"toomanyrequests|too many requests to registry|429 Too Many Requests|You have reached your (?:unauthenticated )?pull rate limit"
        ),
        "rate-limited",
        ("toomanyrequests", "too many requests", "pull rate limit"),
        (Seen("registries", "2020 on"), Seen("cri-o", "1.13–1.33", "containers/image docker/errors.go")),
        (
            Example(
                'Failed to pull image "a/b": rpc error: code = Unknown desc = Error response from daemon: toomanyrequests: You have reached your pull rate limit.',
                "image-pull rate-limited host=docker.io object=Image/a/b",
            ),
            Example(
                'Failed to pull image "a/b": rpc error: code = Unknown desc = Error reading manifest 1 in docker.io/a/b: toomanyrequests: slow',
                "image-pull rate-limited host=docker.io object=Image/a/b",
            ),
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = initializing source docker://r.example/a:1: '
                "reading manifest 1 in r.example/a: too many requests to registry",
                "image-pull rate-limited host=r.example object=Image/r.example/a:1",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
    Error(
        words(r"pull QPS exceeded"),
        "pull-qps",
        ("pull qps exceeded",),
        (Seen("kubelet", "1.2–1.34", "pkg/kubelet/images/helpers.go"),),
        (
            Example(
                'Failed to pull image "r.example/a:1": pull QPS exceeded',
                "image-pull pull-qps host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Back-off pulling image "a/b": ErrImagePull: pull QPS exceeded',
                "image-pull pull-qps host=docker.io object=Image/a/b",
            ),
        ),
        Rank.NAMED,
        "image-pull",
        PULL,
    ),
    Error(
        words(
            r"pull access denied for (?P<image>[^\s,]{1,255})[^\n]{0,80}?(?:repository does not exist|may require)|repository \S{1,255} not found: does not exist or no pull access"
        ),
        "not-found-or-denied",
        ("pull access",),
        (
            Seen("docker", "1.10–27", "distribution/errors.go"),
            Seen("containerd", "1.2–2.1", "core/remotes/docker/resolver.go"),
        ),
        (
            Example(
                "Failed to pull image \"a/b\": rpc error: code = Unknown desc = Error response from daemon: pull access denied for a/b, repository does not exist or may require 'docker login'",
                "image-pull not-found-or-denied host=docker.io object=Image/a/b",
            ),
            Example(
                'Failed to pull image "a/b": rpc error: code = 2 desc = Error: image a/b not found: repository a/b not found: does not exist or no pull access',
                "image-pull not-found-or-denied host=docker.io object=Image/a/b",
            ),
            Example(
                "Error response from daemon: pull access denied for a/b, repository does not exist or may require 'docker login'",
                "image-pull not-found-or-denied host=docker.io object=Image/a/b",
            ),
        ),
        Rank.NAMED,
        "image-pull",
        within=PULL,
    ),
    Error(
        words(
            r"pull access denied, [^\n]{0,80}?(?:repository does not exist|may require)|(?:insufficient_scope: )?authorization failed(?!: no basic auth)|requested access to the resource is denied|"
            r"failed to fetch anonymous token: (?:" + _FETCH + r"|unexpected status: )(?:401|403) \w{1,20}|"
            r"access to the requested resource is not authorized|(?-i:401 UNAUTHORIZED)|denied: [^\n]{1,400}\(or it may not exist\)"
        ),
        "not-found-or-denied",
        (
            "authorization failed",
            "pull access denied, ",
            "access to the resource is denied",
            "anonymous token",
            "requested resource is not authorized",
            "401 unauthorized",
            "or it may not exist",
        ),
        (
            _ANY,
            Seen("docker", "1.10–27", "distribution/errors.go"),
            Seen("containerd", "1.2–2.1", "core/remotes/docker/resolver.go"),
        ),
        (
            Example(
                'failed to resolve reference "r.example/a:1": failed to authorize: failed to fetch anonymous token: unexpected status from GET request to '
                "https://r.example/token?scope=repository%3Aa%3Apull&service=r.example: 401 Unauthorized",
                "image-pull not-found-or-denied host=r.example object=Image/r.example/a:1",
            ),
            # Quay's answer for a missing name; its status is written in capitals.
            Example(
                'Failed to pull image "r.example/a": rpc error: code = Unknown desc = Error response from daemon: unauthorized: access to the requested resource is not authorized',
                "image-pull not-found-or-denied host=r.example object=Image/r.example/a",
            ),
            Example(
                'failed to resolve reference "r.example/a:1": unexpected status from HEAD request to https://r.example/v2/a/manifests/1: 401 UNAUTHORIZED',
                "image-pull not-found-or-denied host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a": rpc error: code = Unknown desc = denied: Permission "r.downloadArtifacts" denied on resource "projects/x" (or it may not exist)',
                "image-pull not-found-or-denied host=r.example object=Image/r.example/a",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
    Error(
        words(r"no basic auth credentials|failed to handle basic auth because missing username or secret"),
        "no-credentials",
        ("no basic auth credentials", "missing username or secret"),
        (
            Seen("docker", "1.8–27", "distribution registry/client/auth/session.go"),
            Seen("containerd", "1.2–2.1", _CONTAINERD),
        ),
        (
            Example(
                'Failed to pull image "r.example/a": rpc error: code = Unknown desc = Error response from daemon: Get https://r.example/v2/a/manifests/1: no basic auth credentials',
                "image-pull no-credentials host=r.example object=Image/r.example/a",
            ),
            Example(
                'failed to resolve reference "r.example/a:1": pull access denied, repository does not exist or may require authorization: authorization failed: no basic auth credentials',
                "image-pull no-credentials host=r.example object=Image/r.example/a:1",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
    Error(
        words(
            r"incorrect username or password|authorization token has expired|wrong username or password|"
            r"failed to fetch oauth token: (?:" + _FETCH + r"|unexpected status: )(?:400|401|403) [\w ]{1,20}"
        ),
        "credentials-rejected",
        ("username or password", "token has expired", "oauth token"),
        (_ANY, Seen("containerd", "1.2–2.1", _CONTAINERD)),
        (
            Example(
                'Failed to pull image "r.example/a:1": failed to authorize: failed to fetch oauth token: unexpected status from POST request to https://r.example/token: 401 Unauthorized',
                "image-pull credentials-rejected host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "a/b": rpc error: code = Unknown desc = Error response from daemon: Get https://registry-1.docker.io/v2/a/b/manifests/1: unauthorized: incorrect username or password',
                "image-pull credentials-rejected host=docker.io object=Image/a/b",
            ),
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = denied: Your authorization token has expired. Reauthenticate and try again.',
                "image-pull credentials-rejected host=r.example object=Image/r.example/a:1",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
    # Ranked below named errors: docker adds `unauthorized: authentication required` to its own words.
    Error(
        words(
            r"401 Unauthorized|unauthorized: [^\n]{0,80}|invalid username/password|authentication required"
        ),
        "unauthorized",
        ("unauthorized", "username/password", "authentication required"),
        (_ANY, Seen("cri-o", "1.13–1.33", "containers/image docker/errors.go")),
        (
            Example(
                'failed to resolve reference "r.example/a:1": unexpected status from HEAD request to https://r.example/v2/a/manifests/1: 401 Unauthorized',
                "image-pull unauthorized host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a": rpc error: code = Unknown desc = unable to retrieve auth token: invalid username/password: unauthorized: authentication required',
                "image-pull unauthorized host=r.example object=Image/r.example/a",
            ),
        ),
        within=PULL,
    ),
    Error(
        words(r"403 Forbidden|denied: [^\n]{1,120}"),
        "forbidden",
        ("403 forbidden", "denied: "),
        (_ANY,),
        (
            Example(
                'failed to resolve reference "r.example/a:1": unexpected status from HEAD request to https://r.example/v2/a/manifests/1: 403 Forbidden',
                "image-pull forbidden host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a": rpc error: code = Unknown desc = denied: Permission "read" denied',
                "image-pull forbidden host=r.example object=Image/r.example/a",
            ),
        ),
        within=PULL,
    ),
    Error(
        words(
            r"manifest unknown|Tag \S{1,128} not found in repository|manifest for \S{1,512} not found|name unknown|(?<=: )(?<!content digest sha256:[0-9a-f]{64}: )(?<!sha256:[0-9a-f]{64} not found: )(?<!text/html for sha256:[0-9a-f]{64}: )not found(?=[\s\",]|$)|code = NotFound(?! desc)|repository name not known"
        ),
        "not-found",
        ("manifest", "name unknown", "not found", "notfound", "not known"),
        (_ANY, Seen("containerd", "1.2–2.1", "core/remotes/docker/resolver.go")),
        (
            Example(
                'Failed to pull image "nginx:nope": rpc error: code = Unknown desc = Error response from daemon: manifest for nginx:nope not found: manifest unknown: manifest unknown',
                "image-pull not-found host=docker.io object=Image/nginx:nope",
            ),
            Example(
                'Failed to pull image "r.example/a:1": failed to resolve reference "r.example/a:1": r.example/a:1: not found',
                "image-pull not-found host=r.example object=Image/r.example/a:1",
            ),
        ),
        within=PULL,
    ),
    Error(
        words(
            r"no match for platform in manifest|no matching manifest for \S{1,60}|no image found in (?:manifest list|image index) for architecture [^\n]{1,80}|"
            r"image operating system \"[^\"\n]{1,40}\" cannot be used on this platform"
        ),
        "platform-missing",
        (
            "no match for platform",
            "no matching manifest",
            "no image found in",
            "cannot be used on this platform",
        ),
        (
            Seen("containerd", "1.2–2.1", "core/images/image.go"),
            Seen("docker", "17.06–27", "distribution/pull_v2.go"),
            Seen("cri-o", "1.18–1.33", "containers/image internal/manifest/oci_index.go"),
        ),
        (
            Example(
                'Failed to pull image "r.example/a:1": failed to pull and unpack image "r.example/a:1": no match for platform in manifest: not found',
                "image-pull platform-missing host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "a/b": rpc error: code = Unknown desc = no matching manifest for linux/arm64 in the manifest list entries',
                "image-pull platform-missing host=docker.io object=Image/a/b",
            ),
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = choosing an image from manifest list docker://r.example/a:1: '
                'no image found in image index for architecture "arm64", variant "v8", OS "linux"',
                "image-pull platform-missing host=r.example object=Image/r.example/a:1",
            ),
            Example(
                "no matching manifest for linux/arm64/v8 in the manifest list entries",
                "image-pull platform-missing",
            ),
        ),
        Rank.NAMED,
        within=PULL,
        operation="image-pull",
    ),
    Error(
        words(r"(?:Container image \"(?P<image>[^\"\s]{1,512})\" )?is not present with pull policy of Never"),
        "never-pulled",
        ("pull policy of never",),
        (Seen("kubelet", "1.2–1.34", _IMAGES),),
        (
            Example(
                'Container image "r.example/a:1" is not present with pull policy of Never',
                "image-pull never-pulled host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Error: ErrImageNeverPull: Container image "a" is not present with pull policy of Never',
                "image-pull never-pulled host=docker.io object=Image/a",
            ),
        ),
        Rank.NAMED,
        "image-pull",
    ),
    Error(
        words(
            r"Failed to apply default image tag \"(?P<key>[^\"\n]{1,512})\": couldn't parse image (?:name|reference)[^\n]{0,600}|"
            r"(?:couldn't parse image (?:name|reference)|failed to parse image reference) \"(?P<key_2>[^\"\n]{1,512})\"[^\n]{0,600}|invalid reference format[^\n]{0,200}"
        ),
        "name-invalid",
        ("parse image", "invalid reference format"),
        (
            Seen("kubelet", "1.2–1.34", "pkg/util/parsers/parsers.go"),
            Seen("containerd, docker", "all", "distribution/reference reference.go"),
        ),
        (
            Example(
                'Failed to apply default image tag "A B:1": couldn\'t parse image name "A B:1": invalid reference format',
                "image-pull name-invalid key=A B:1",
            ),
            Example(
                'Error: InvalidImageName: couldn\'t parse image reference "r:5/x:": invalid reference format',
                "image-pull name-invalid key=r:5/x:",
            ),
            Example(
                'Failed to apply default image tag "Nginx": couldn\'t parse image name "Nginx": invalid reference format: repository name (library/Nginx) must be lowercase',
                "image-pull name-invalid key=Nginx",
            ),
        ),
        Rank.NAMED,
        "image-pull",
    ),
    Error(
        words(
            r"(?:"
            + _FETCH.replace("https?://", r"https?://(?P<host>[^/\s\"]{1,255})/")
            + r"|failed with status code \[[^\]\n]{1,300}\]: |unexpected status code (?:https?://(?P<host_2>[^/\s\"]{1,255})/)?[^\s\"]{1,2048}: |received unexpected HTTP status: )(?:400|5\d\d) [A-Z][\w -]{1,40}"
        ),
        "server-error",
        ("unexpected status", "unexpected http status", "failed with status code"),
        (
            Seen("containerd", "1.2–2.1", "core/remotes/errors/errors.go"),
            Seen("docker", "1.10–27", "registry/client/errors.go"),
        ),
        (
            Example(
                'failed to resolve reference "r.example/a:1": unexpected status from HEAD request to https://r.example/v2/a/manifests/1: 503 Service Unavailable',
                "image-pull server-error host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'failed to resolve reference "r.example/a:1": pulling from host r.example failed with status code [manifests 1]: 500 Internal Server Error',
                "image-pull server-error host=r.example object=Image/r.example/a:1",
            ),
            # A TLS front end may answer plain HTTP in these words.
            Example(
                'failed to resolve reference "r.example:1443/a:1": unexpected status from HEAD request to http://r.example:1443/v2/a/manifests/1?ns=docker.io: 400 Bad Request',
                "image-pull server-error host=r.example:1443 object=Image/r.example:1443/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = Error response from daemon: received unexpected HTTP status: 502 Bad Gateway',
                "image-pull server-error host=r.example object=Image/r.example/a:1",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
    # A web page where a manifest belongs: a proxy's page, a login page, another server at this address.
    Error(
        words(
            r"unexpected media type text/html(?: for sha256:[0-9a-f]{64})?(?:: not found)?|"
            r"(?:error parsing HTTP \d{3} response body: |error unmarshalling content: |pinging container registry [^\s:]{1,253}(?::\d{1,5})?: )?"
            r"invalid character '<' looking for beginning of value(?:: \"[^\n]{1,200})?"
        ),
        "html-answer",
        ("media type text/html", "invalid character '<'"),
        (
            Seen("containerd", "1.2–2.1", "core/images/image.go, core/unpack/unpacker.go"),
            Seen("docker", "1.6–27", "registry/client/errors.go"),
            Seen("Go encoding/json", "all", "src/encoding/json/scanner.go"),
        ),
        (
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = NotFound desc = failed to pull and unpack image "r.example/a:1": '
                "failed to unpack image on snapshotter overlayfs: unexpected media type text/html for sha256:"
                + "1" * 64
                + ": not found",
                "image-pull html-answer host=r.example object=Image/r.example/a:1",
            ),
            Example(
                'Failed to pull image "r.example/a": rpc error: code = Unknown desc = Error response from daemon: error parsing HTTP 403 response body: '
                "invalid character '<' looking for beginning of value: \"<html><head><title>Blocked</title></head></html>\"",
                "image-pull html-answer host=r.example object=Image/r.example/a",
            ),
            Example(
                'Failed to pull image "r.example/a:1": rpc error: code = Unknown desc = initializing source docker://r.example/a:1: '
                "pinging container registry r.example: invalid character '<' looking for beginning of value",
                "image-pull html-answer host=r.example object=Image/r.example/a:1",
            ),
        ),
        Rank.NAMED,
        within=PULL,
    ),
)
