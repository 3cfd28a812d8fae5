"""Words of tools about a lock that another run holds, a thing that is defined twice, and a value that an option does not take."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "lock-held",
        words(
            # Of the controllers that run Terraform; the tool itself writes the holder over several lines.
            r"error acquiring the (?P<resource>state lock)\b.{0,200}?\bWho: (?P<name>\S{2,253})(?:.{0,120}?\bCreated: (?P<reason>\d{4}-\d\d-\d\d \d\d:\d\d:\d\d))?"
            r"|(?P<resource_2>dpkg frontend lock|dpkg status database) (?:was|is) locked by another process with (?P<name_2>pid \d{1,8})"
            r"|Could not get (?P<resource_3>lock /var/\S{1,120}?)\. It is held by (?P<name_3>process \d{1,8} \([\w.-]{1,40}\))"
        ),
        ("the state lock", "locked by another process", "Could not get lock"),
        (
            Seen("Terraform", "0.12–1", "internal/states/statemgr/locker.go (LockInfo)"),
            Seen("dpkg", "1.19–1.22", "lib/dpkg/dbmodify.c"),
            Seen("apt", "1.9–3", "apt-pkg/contrib/fileutl.cc (GetLock)"),
        ),
        (
            Example(
                "error running Apply: error acquiring the state lock: Lock Info: ID: 5c1e Path: Operation: OperationTypeApply Who: runner@till-tf-runner Version: 1.5.7 Created: 2026-11-20 22:27:10.2447 +0000 UTC",
                "lock-held name=runner@till-tf-runner reason=2026-11-20 22:27:10 resource=state lock",
            ),
            Example(
                "dpkg: error: dpkg frontend lock was locked by another process with pid 1234",
                "lock-held name=pid 1234 resource=dpkg frontend lock",
            ),
        ),
    ),
    LastWord(
        "name-taken",
        words(
            r"(?P<reason>may not add resource with an already registered id: (?P<resource>[^\s'\"/|]{1,160})[/|](?P<name>[^\s'\":]{1,320}))"
        ),
        ("already registered id: ",),
        (Seen("kustomize", "2–5", "api/resmap/reswrangler.go"),),
        (
            Example(
                "Error: accumulating resources: accumulation err='merging resources from 'svc.yaml': may not add resource with an already registered id: Service.v1.[noGrp]/till.shop': must build at directory",
                "name-taken name=till.shop reason=may not add resource with an already registered id: Service.v1.[noGrp]/till.shop resource=Service.v1.[noGrp]",
            ),
            Example(
                "may not add resource with an already registered id: apps_v1_Deployment|~X|till",
                "name-taken name=~X|till reason=may not add resource with an already registered id: apps_v1_Deployment|~X|till resource=apps_v1_Deployment",
            ),
        ),
        own=True,
    ),
    LastWord(
        "value-absent",
        words(
            r"(?P<reason>failed to find unique target for (?P<resource>patch) (?P<name>[^\s\"']{3,320})|no matches for (?P<resource_2>Id) (?P<name_2>[^\s\"';]{3,320}))"
        ),
        ("unique target for patch", "no matches for Id "),
        (Seen("kustomize", "3–5", "api/resmap/reswrangler.go (GetById)"),),
        (
            Example(
                "error: no matches for Id Deployment.v1.apps/till.[noNs]; failed to find unique target for patch Deployment.v1.apps/till.[noNs]",
                "value-absent name=Deployment.v1.apps/till.[noNs] reason=no matches for Id Deployment.v1.apps/till.[noNs] resource=Id",
            ),
            Example(
                "error: failed to find unique target for patch Service.v1.[noGrp]/till.shop",
                "value-absent name=Service.v1.[noGrp]/till.shop reason=failed to find unique target for patch Service.v1.[noGrp]/till.shop resource=patch",
            ),
        ),
        own=True,
    ),
    LastWord(
        "value-refused",
        words(
            r"(?P<reason>invalid argument \"(?P<name>[^\"\n]{1,200})\" for \"(?:-\w, )?(?P<resource>--[\w.-]{1,60})\" flag: (?!strconv|parse error|time: |unrecognized feature gate|illegal base64|invalid (?:CIDR|IP|duration))[^\n]{3,300})"
        ),
        ("invalid argument ",),
        (Seen("pflag", "1", "flag.go (Set)"),),
        (
            Example(
                'invalid argument "till.fast=enabled" for "--feature-gates" flag: no such feature gate "till.fast=enabled"',
                'value-refused name=till.fast=enabled reason=invalid argument "till.fast=enabled" for "--feature-gates" flag: no such feature gate "till.fast=enabled" resource=--feature-gates',
            ),
            Example(
                'Error: invalid argument "tables" for "-o, --output" flag: must be one of json|yaml',
                'value-refused name=tables reason=invalid argument "tables" for "-o, --output" flag: must be one of json|yaml resource=--output',
            ),
        ),
        own=True,
    ),
)
