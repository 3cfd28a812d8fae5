"""Things that a program, controller or command does not find or accept, by their sort and name, for any program.

Two forms: the sort and name before the verdict (`middleware "x" does not exist`), and after it (`unknown
field "x"`). A verdict without a name does not count. These words are specific to no program: they count only in a
line that is written as an error, and after all narrower patterns.
"""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import ANY_PROGRAM, LastWord, words

_WORD = r"[A-Za-z][A-Za-z-]{1,30}"
# The beginning of a new clause.
_FROM = r"(?:^|[:;,(=\"] {0,3}|\b(?:[Tt]he|an?|[Tt]hat|[Rr]eferenced|[Cc]onfigured|[Ss]pecified) )"
# Names of the parts of an unparsable text are not references, nor are names of errors and processes.
_NO_SORT = r"(?!(?:token|character|end|status|response|error|reason|message|line|byte|symbol|escape|operator|signal|exit|process|pid|with|named|called|for|of|in|on|to|is|was|that)\b)"
_SORT = rf"{_NO_SORT}{_WORD}(?: {_NO_SORT}{_WORD}){{0,2}}"
_VALUE = r"[^\s\"'“”‘’`\[\]{}<>][^\"'“”‘’`\[\]{}<>]{0,200}"
# A name without quotes holds a sign.
_BARE = r"(?:https?://|[\w*@-])[\w*@-]{0,80}(?:[./:\\@][\w*@-]{1,80}){1,20}/?"


# A key or variable in capital letters.
_UPPER = r"[A-Z][A-Z0-9]{1,30}(?:_[A-Z0-9]{1,30}){1,8}"


def _quoted(n: str) -> str:
    return rf"[\"'“‘`](?P<name{n}>{_VALUE})[\"'”’`]"


def _join_listed(n: str) -> str:
    return rf"\[(?P<name{n}>[^\s\[\]][^\[\]]{{1,300}})\]"


_ABSENT = (
    r"(?:(?:does not|doesn't|do not) exist|(?:(?:was|is|are|could) )?(?:not|n't) (?:be )?found|(?:is |are )?not (?:registered|installed|defined|declared|present)"
    r"|(?:is|are) (?:undefined|missing|unknown))"
)
_UNACCEPTED = (
    r"(?:(?:is|are|was) (?:not|n't) (?:a )?(?:valid|supported|allowed|permitted|recogni[sz]ed|accepted)|(?:is|are) (?:invalid|unsupported|unrecogni[sz]ed)"
    r"|not supported)"
)
# The program's own reaction.
_MENDED = (
    "skipping",
    "Installing it now",
    "ignoring",
    "ignored",
    "using default",
    "will be created",
    "creating it",
    "retrying",
)
_BEFORE = r"[Mm]issing|[Uu]nknown|[Uu]ndefined|[Uu]nresolved|[Nn]o such"

# A missing answer may be temporary.
_NO_ANSWER = r"(?!.{0,600}?(?:deadline exceeded|i/o timeout|handshake timeout|Client\.Timeout|TooManyRequests|toomanyrequests|\b5\d\d\b))"
# Placed before the network errors: the network error that follows is the reason.
OF_IMAGES: tuple[LastWord, ...] = (
    LastWord(
        "digest-unresolved",
        words(
            rf"[Uu]nable to fe\w{{1,4}} image \"(?P<name>[^\"\s]{{3,400}})\": {_NO_ANSWER}(?:failed to resolve image to digest: )(?P<reason>\S.{{3,400}})"
        ),
        ("failed to resolve image to digest: ",),
        (Seen("Knative Serving", "0.5–1", "pkg/reconciler/revision/reconcile_resources.go, resolve.go"),),
        (
            Example(
                'Unable to fetch image "registry.example.com/a/web:1": failed to resolve image to digest: Get "https://registry.example.com/v2/": '
                "dial tcp 10.0.0.9:443: connect: connection refused",
                'digest-unresolved name=registry.example.com/a/web:1 reason=Get "https://registry.example.com/v2/": dial tcp 10.0.0.9:443: connect: connection refused',
            ),
            Example(
                'Unable to fetch image "registry.example.com/a/web": failed to resolve image to digest: GET https://registry.example.com/v2/: '
                "unexpected status code 401 Unauthorized",
                "digest-unresolved name=registry.example.com/a/web reason=GET https://registry.example.com/v2/: unexpected status code 401 Unauthorized",
            ),
        ),
    ),
)
# Of one controller each, or with a file's error behind: before the words of files.
NARROW: tuple[LastWord, ...] = (
    LastWord(
        "value-absent",
        words(
            r"(?P<reason>(?P<resource>[a-z]{3,30} path) not found: stat /tmp/[^/\s:]{1,120}/(?P<name>[^\s:]{1,300}): no such file)"
        ),
        (" path not found: stat /tmp/",),
        (Seen("Flux kustomize-controller", "0.1–1", "internal/controller/kustomization_controller.go"),),
        (
            Example(
                "kustomization path not found: stat /tmp/kustomization-878691743/kustomize/tester: no such file or directory",
                "value-absent name=kustomize/tester reason=kustomization path not found: stat /tmp/kustomization-878691743/kustomize/tester: no such file"
                " resource=kustomization path",
            ),
            Example(
                "kustomization path not found: stat /tmp/flux-system022185384/clusters\\staging: no such file or directory",
                "value-absent name=clusters\\staging reason=kustomization path not found: stat /tmp/flux-system022185384/clusters\\staging: no such file"
                " resource=kustomization path",
            ),
        ),
    ),
    LastWord(
        "value-refused",
        words(
            r"\b(?P<reason>(?P<resource>claim)\.?(?: |[sS]pec\.)(?P<name>[sS]elector) is not supported(?: for dynamic provisioning on [\w ]{1,40}\w)?)"
        ),
        ("elector is not supported",),
        (
            Seen(
                "kube-controller-manager",
                "1.4–1.30",
                "pkg/volume/awsebs/aws_ebs.go and other in-tree provisioners",
            ),
            Seen("external-provisioner", "0.2–5", "pkg/controller/controller.go"),
        ),
        (
            Example(
                'Failed to provision volume with StorageClass "gp2": claim.Spec.Selector is not supported for dynamic provisioning on AWS',
                "value-refused name=Selector reason=claim.Spec.Selector is not supported for dynamic provisioning on AWS resource=claim",
            ),
            Example(
                'failed to provision volume with StorageClass "standard": claim Selector is not supported',
                "value-refused name=Selector reason=claim Selector is not supported resource=claim",
            ),
        ),
    ),
    LastWord(
        "value-absent",
        words(
            r"(?P<reason>unable to find (?P<resource>user|group) (?P<name>[\w.-]{1,64}): no matching entries in (?:passwd|group) file)"
        ),
        ("no matching entries in ",),
        (Seen("moby/sys/user", "0.1–0.4", "user.go"), Seen("gosu", "1", "setup-user.go")),
        (
            Example(
                'error: failed switching to "shop": unable to find user shop: no matching entries in passwd file',
                "value-absent name=shop reason=unable to find user shop: no matching entries in passwd file resource=user",
            ),
            Example(
                "unable to find group shop: no matching entries in group file",
                "value-absent name=shop reason=unable to find group shop: no matching entries in group file resource=group",
            ),
        ),
    ),
)
WORDS: tuple[LastWord, ...] = (
    LastWord(
        "value-absent",
        words(
            rf"{_FROM}(?P<reason>(?P<resource>{_SORT}) (?:{_quoted('')}|(?P<name_9>{_BARE})) {_ABSENT}\b[^\"]{{0,120}})"
            rf"|(?:^|[\s:])(?P<reason_2>(?P<name_2>[\w.*@-]{{1,80}}(?:[/\\][\w.*@-]{{1,80}}){{1,20}}): (?P<resource_2>{_SORT}) {_ABSENT}\b[^\"]{{0,60}})"
            rf"|(?P<reason_3>\b(?:{_BEFORE}) (?P<resource_3>{_SORT}):? {{0,2}}{_quoted('_3')}[^\"]{{0,120}})"
            rf"|(?P<reason_4>\b(?:{_BEFORE}) (?P<resource_4>{_SORT}): {{0,2}}{_join_listed('_4')})"
            rf"|(?P<reason_5>\b(?:[Cc]annot|[Cc]an't|[Cc]ould ?n[o']t|[Uu]nable to) (?:find|locate|resolve|recogni[sz]e) (?:the |an? |any )?"
            rf"(?P<resource_5>{_SORT})(?: with| named| called)?:? (?:{_quoted('_5')}|(?P<name_6>{_BARE}))(?=\.? *$|[,;(]| (?:in|on|at|for)\b))"
            rf"|(?P<reason_10>\b(?:[Cc]annot|[Uu]nable to) resolve {_quoted('_10')} to an? (?P<resource_10>{_SORT}))"
            rf"|(?P<reason_7>{_WORD} [\"'][^\"']{{1,200}}[\"'] (?:does not|doesn't) (?:have|contain|include|define) (?:an? |the |any )?(?P<resource_7>{_SORT}) {_quoted('_7')})"
            rf"|(?P<reason_8>\b(?P<resource_8>field) (?P<name_8>[\w.-]{{1,80}}) not found in type [\w.*]{{1,120}})"
            rf"|(?P<reason_11>\b(?:[a-z]{{3,20}} [a-z0-9]\w{{0,40}}[./-][\w./-]{{1,80}}: )?[Nn]o (?P<resource_11>{_SORT}) (?:matching|with|named|called)(?: the)?(?: key| name| id)? {_quoted('_11')}[^\"]{{0,60}})"
            rf"|(?P<reason_12>\b(?:{_BEFORE})(?: or [a-z]{{2,12}}(?: [a-z]{{2,12}})?)? (?P<resource_12>{_SORT}):? (?P<name_12>{_UPPER}))(?=[\"'.,;]|\s|$)"
            # A reference that ends with its slash names nothing in its Namespace.
            rf"|{_FROM}(?P<reason_13>(?P<resource_13>{_SORT}) \"?(?P<name_13>[a-z0-9-]{{1,63}}/)\"? {_ABSENT}\b[^\"]{{0,60}})"
        ),
        (
            *(
                "exist",
                "found",
                "registered",
                "installed",
                "defined",
                "declared",
                "present",
                "missing",
                "issing ",
                "unknown",
                "nknown ",
            ),
            *(
                "ndefined ",
                "nresolved ",
                "o such ",
                "annot ",
                "an't ",
                "ould",
                "nable to",
                " have ",
                " contain ",
                " include ",
                " define ",
                "o object",
                " matching ",
                " named ",
            ),
        ),
        (
            ANY_PROGRAM,
            Seen("Argo CD", "1–3", "reposerver/repository/repository.go"),
            Seen("Traefik", "2–3", "pkg/server/middleware/middlewares.go"),
        ),
        (
            Example(
                'level=error msg="middleware "shop-auth@kubernetescrd" does not exist" entryPointName=web',
                'value-absent name=shop-auth@kubernetescrd reason=middleware "shop-auth@kubernetescrd" does not exist resource=middleware',
            ),
            Example(
                "rpc error: code = Unknown desc = Manifest generation error (cached): apps/shop: app path does not exist",
                "value-absent name=apps/shop reason=apps/shop: app path does not exist resource=app path",
            ),
            Example(
                "cannot resolve package dependencies: missing dependencies: [registry.example.com/a/provider-b]",
                "value-absent name=registry.example.com/a/provider-b reason=missing dependencies: [registry.example.com/a/provider-b] resource=dependencies",
            ),
            Example(
                'FATAL:  database "shop" does not exist',
                'value-absent name=shop reason=database "shop" does not exist resource=database',
            ),
            Example(
                "error: unable to find dns zone with: example.com",
                "value-absent name=example.com reason=unable to find dns zone with: example.com resource=dns zone",
            ),
            Example(
                "rpc error: code = Unknown desc = Unable to resolve '2023.6.22' to a commit SHA",
                "value-absent name=2023.6.22 reason=Unable to resolve '2023.6.22' to a commit SHA resource=commit SHA",
            ),
            Example(
                'error: secret "dns" does not have key "token"',
                'value-absent name=token reason=secret "dns" does not have key "token" resource=key',
            ),
            Example(
                'error: cannot load it: no object matching key "shop/till" in local store',
                'value-absent name=shop/till reason=no object matching key "shop/till" in local store resource=object',
            ),
            Example(
                "error: manage users: undefined or not exist user name TILL_ADMIN_USER",
                "value-absent name=TILL_ADMIN_USER reason=undefined or not exist user name TILL_ADMIN_USER resource=user name",
            ),
            Example(
                'Error getting SSL certificate "shop/": local SSL certificate shop/ was not found',
                "value-absent name=shop/ reason=local SSL certificate shop/ was not found resource=local SSL certificate",
            ),
            Example(
                "error: line 1: field chunk_size not found in type ingester.Config",
                "value-absent name=chunk_size reason=field chunk_size not found in type ingester.Config resource=field",
            ),
        ),
        unless=_MENDED,
        marked=True,
    ),
    LastWord(
        "value-refused",
        words(
            rf"{_FROM}(?P<reason>(?P<resource>{_SORT}) (?:{_quoted('')}|(?P<name_9>{_BARE})) {_UNACCEPTED}\b[^\"]{{0,160}})"
            rf"|(?P<reason_2>\b(?:[Ii]nvalid|[Uu]nsupported|[Uu]nrecogni[sz]ed|[Ii]ncompatible) (?P<resource_2>{_SORT}):? {{0,2}}{_quoted('_2')}[^\"]{{0,160}})"
            rf"|(?P<reason_3>\b(?:[Ii]nvalid|[Uu]nsupported|[Uu]nrecogni[sz]ed|[Ii]ncompatible) (?P<resource_3>{_SORT}): {{0,2}}{_join_listed('_3')})"
            rf"|{_FROM}(?P<reason_5>(?P<resource_5>{_SORT}) must be (?:an? |in |valid )[^\":]{{3,60}}(?::\S{{1,20}} [^\":]{{1,40}})?: {{0,2}}\"(?P<name_5>\"?{_VALUE}\"?)\")"
            rf"|{_FROM}(?P<reason_6>(?P<resource_6>{_SORT}) {_UNACCEPTED}[.,:;]? (?:[a-z]{{2,20}} )?name:? [\"']?(?P<name_6>[\w][\w./-]{{1,120}}))(?=[\"']?\s*$)"
            rf"|(?P<reason_4>(?P<resource_4>{_SORT}) must be (?:one|any) of .{{3,400}}?,? (?:but )?(?:got|not|was) {_quoted('_4')})"
        ),
        ("valid", "upported", "allowed", "permitted", "ecogni", "accepted", "ncompatible ", "must be "),
        (
            ANY_PROGRAM,
            Seen("Crossplane", "1–2", "internal/controller/pkg/revision/dependency.go"),
            Seen("kingpin", "2", "values.go"),
        ),
        (
            Example(
                "cannot resolve package dependencies: incompatible dependencies: [registry.example.com/a/provider-b]",
                "value-refused name=registry.example.com/a/provider-b reason=incompatible dependencies: [registry.example.com/a/provider-b]"
                " resource=dependencies",
            ),
            Example(
                'level=error msg=Cannot start the provider: host must be a URL or a host:port pair: ""http://localhost:80""',
                'value-refused name="http://localhost:80" reason=host must be a URL or a host:port pair: ""http://localhost:80"" resource=host',
            ),
            Example(
                "flag parsing error: enum value must be one of aws,google,azure, got 'civo'",
                "value-refused name=civo reason=enum value must be one of aws,google,azure, got 'civo' resource=enum value",
            ),
            Example(
                "rpc error: code = PermissionDenied desc = helm repos https://charts.example.com/a/ are not permitted in project 'prod'",
                "value-refused name=https://charts.example.com/a/ reason=helm repos https://charts.example.com/a/ are not permitted in project 'prod'"
                " resource=helm repos",
            ),
            Example(
                "Error response from daemon: invalid volume specification: '/data/config:/:ro': invalid mount config for type \"bind\": invalid specification: destination can't be '/'",
                "value-refused name=/data/config:/:ro reason=destination can't be '/' resource=volume specification",
            ),
            Example(
                "rpc error: code = Unknown desc = render plugin not supported. plugin name till-plugin",
                "value-refused name=till-plugin reason=render plugin not supported. plugin name till-plugin resource=render plugin",
            ),
            Example(
                "error: Domain '*.shop.example.com' is not valid",
                "value-refused name=*.shop.example.com reason=Domain '*.shop.example.com' is not valid resource=Domain",
            ),
        ),
        # Helm guesses so of a repository that it cannot fetch.
        unless=(*_MENDED, "Invalid value: ", "Looks like "),
        marked=True,
    ),
)
