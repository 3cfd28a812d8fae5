"""Refusals by a server, a tool or a kernel, in its own words and with its own reason."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

_CODE = r"[A-Z][A-Za-z]{3,60}(?:\.[A-Za-z]{2,40}){0,2}"
# A rate limit may be over at the next try.
_NO_REFUSAL = r"(?!.{0,600}?(?:Throttl|RequestLimitExceeded|TooManyRequests|[Rr]ateLimit|SlowDown|RequestTimeout|InternalError))"
_OPTION = r"--[a-z][a-z0-9-]{2,60}"
# Words that only repeat it.
_SHOWS = r"(?!--(?:help|debug|verbose|trace|log|v\b|stacktrace|loglevel))"
# Up to a colon that begins a clause of its own; one before a number or a comparison does not.
_CLAUSE = r"(?:[^:]|:(?= ?[<>=~^\d]))"
_AWS = Seen(
    "AWS SDK",
    "1.44–2",
    "aws/awserr, smithy-go/errors.go; botocore/exceptions.py; karpenter pkg/errors/errors.go",
)
_AZURE = Seen("Azure SDK for Go", "10–68", "autorest/azure/azure.go")
_GOOGLE = Seen("google.golang.org/api", "0.1–0.250", "googleapi/googleapi.go")
_VSPHERE = Seen("govmomi", "0.20–0.50", "vim25/soap/client.go")
_GOPHER = Seen("gophercloud", "0.1–2", "errors.go")
_K3S = Seen("k3s", "1.17–1.34", "pkg/agent/config/config.go")
_DRAIN = Seen("kubectl", "1.6–1.34", "staging/src/k8s.io/kubectl/pkg/drain/filters.go")

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "cloud-refused",
        words(
            rf"^{_NO_REFUSAL}.{{0,1500}}?(?:"
            rf"operation error (?P<group>[\w ]{{1,40}}): (?P<verb>\w{{2,60}}), .{{0,200}}?StatusCode: 4\d\d, RequestID: [\w-]{{1,80}}, (?:api error )?(?P<name>{_CODE}): (?P<reason>\S.{{3,300}})"
            rf"|An error occurred \((?P<name_2>{_CODE})\) when calling the (?P<verb_2>\w{{2,60}}) operation(?: \([\w :]{{1,40}}\))?: (?P<reason_2>\S.{{3,300}})"
            rf"|(?P<name_3>{_CODE}): (?P<reason_3>[^:\s][^:]{{3,300}}?)[\s,]{{1,4}}status code: 4\d\d, request id: "
            rf"|(?P<name_8>{_CODE}): (?P<reason_8>[^:\s][^:]{{3,300}}?)\.? \(aws-error-code=[\w.]{{3,60}}, aws-operation-name=(?P<verb_8>\w{{2,60}})"
            rf"|Code=\"(?P<name_4>{_CODE})\" Message=\"(?P<reason_4>[^\"]{{4,400}})"
            r"|googleapi: Error 4\d\d: (?P<reason_5>\S.{3,300}?), (?P<name_5>[a-z][A-Za-z]{3,40})\b"
            # Its words are a list, and may go on for longer than anybody pastes.
            r"|(?P<name_9>InvalidChangeBatch): (?P<reason_9>\[?[A-Z]\S{2,40} .{3,400})"
            r"|ServerFaultCode: (?P<reason_6>\S.{3,300})"
            r"|(?:Bad request|Expected HTTP response code \[[\d ]{3,40}\] when accessing|Request forbidden:?|Conflict) ?(?:with: )?\[(?P<verb_3>[A-Z]{3,6}) https?://\S{3,300}\],?"
            r" (?:error message: |but got 4\d\d instead:? ?)(?P<reason_7>\S.{3,300})"
            r")"
        ),
        (
            *(
                "operation error",
                "An error occurred (",
                "status code: 4",
                "(aws-error-code=",
                'Code="',
                "googleapi: Error 4",
                "ServerFaultCode: ",
                "InvalidChangeBatch: ",
            ),
            *("Bad request with", "Expected HTTP response code", "Request forbidden", "Conflict"),
        ),
        (_AWS, _AZURE, _GOOGLE, _VSPHERE, _GOPHER),
        (
            Example(
                "operation error EC2: CreateFleet, https response error StatusCode: 400, RequestID: 1-2, api error InvalidParameterValue: the key pair does not exist",
                "cloud-refused group=EC2 name=InvalidParameterValue reason=the key pair does not exist verb=CreateFleet",
            ),
            Example(
                "An error occurred (InvalidParameterException) when calling the CreateCluster operation: Role is not trusted",
                "cloud-refused name=InvalidParameterException reason=Role is not trusted verb=CreateCluster",
            ),
            Example(
                "IncorrectState: vol-1 is not in state available status code: 400, request id: 1-2",
                "cloud-refused name=IncorrectState reason=vol-1 is not in state available",
            ),
            Example(
                "creating instance, InvalidParameterValue: The key pair k-1 does not exist. (aws-error-code=Unfulfillable, aws-operation-name=CreateFleet, a)",
                "cloud-refused name=InvalidParameterValue reason=The key pair k-1 does not exist verb=CreateFleet",
            ),
            Example(
                'StatusCode=400 -- Original Error: Code="InvalidParameter" Message="A disk at LUN 1 already exists."',
                "cloud-refused name=InvalidParameter reason=A disk at LUN 1 already exists.",
            ),
            Example(
                "googleapi: Error 400: The disk resource is already being used by another instance, resourceInUseByAnotherResource",
                "cloud-refused name=resourceInUseByAnotherResource reason=The disk resource is already being used by another instance",
            ),
            Example(
                "Failed submitting change (error: InvalidChangeBatch: [Tried to create resource record set [name='web.example.com.', type='TXT'] but it already exists",
                "cloud-refused name=InvalidChangeBatch reason=[Tried to create resource record set [name='web.example.com.', type='TXT'] but it already exists",
            ),
            Example(
                "ServerFaultCode: The object has already been deleted",
                "cloud-refused reason=The object has already been deleted",
            ),
            Example(
                "Bad request with: [POST https://nova.example.com/v2/servers/1/os-volume_attachments], error message: Invalid volume: in use",
                "cloud-refused reason=Invalid volume: in use verb=POST",
            ),
        ),
    ),
    LastWord(
        "request-refused",
        # hashicorp/vault api/response.go.
        words(
            r"\bURL: (?P<verb>[A-Z]{3,6}) (?P<path>https?://[^\s\\]{3,300})(?:\s|\\n|\|){1,12}Code: (?P<at>40[0345]|409|422)\. Errors:"
            r"(?:(?:\s|\\[nt]|\|){1,12}\* (?:\d{1,3} errors? occurred:(?:\s|\\[nt]|\|){1,12}\* )?(?P<reason>(?!\d{1,3} errors? occurred)[^\n\\|]{2,200}))?"
        ),
        (". Errors:",),
        (Seen("Vault", "0.7–1.20", "api/response.go (ResponseError)"),),
        (
            Example(
                "could not get it: Error making API request. URL: PUT http://keys:8200/v1/auth/approle/role/web/secret-id Code: 403. Errors: * permission denied",
                "request-refused at=403 path=http://keys:8200/v1/auth/approle/role/web/secret-id reason=permission denied verb=PUT",
            ),
            Example(
                "Error making API request. URL: GET http://keys:8200/v1/secret/data/till Code: 404. Errors:",
                "request-refused at=404 path=http://keys:8200/v1/secret/data/till verb=GET",
            ),
        ),
        own=True,
    ),
    LastWord(
        "node-password-refused",
        words(
            r"[Nn]ode password rejected, duplicate hostname or contents of '(?P<path>/[\w./-]{1,200})' may not match"
            r"|[Nn]ode password validation failed for \[(?P<name>[\w.-]{1,253})\]"
        ),
        ("ode password rejected", "ode password validation failed"),
        (_K3S,),
        (
            Example(
                "Node password rejected, duplicate hostname or contents of '/etc/rancher/node/password' may not match server node-passwd entry",
                "node-password-refused path=/etc/rancher/node/password",
            ),
            Example(
                "ERRO[2026-11-21T03:00:00Z] Node password validation failed for [till-2]",
                "node-password-refused name=till-2",
            ),
            Example(
                "fatal: Node password rejected, duplicate hostname or contents of '/data/node/password' may not match server node-passwd entry",
                "node-password-refused path=/data/node/password",
            ),
        ),
    ),
    LastWord(
        "forwarding-loop",
        words(
            r"plugin/loop: (?:Loop \((?P<name>[\w.:\[\]]{3,60}) -> :(?P<port>\d{1,5})\) detected for zone \"(?P<resource>[^\"]{1,253})\"|Forwarding loop detected in \"(?P<resource_2>[^\"]{1,253})\" zone"
            r"|Seen \"HINFO IN [\d.]{1,80}\" more than twice, loop detected)"
        ),
        ("plugin/loop: ",),
        (Seen("CoreDNS", "1.2–1.13", "plugin/loop/loop.go"),),
        (
            Example(
                'plugin/loop: Loop (127.0.0.1:40000 -> :53) detected for zone ".", see https://coredns.io/plugins/loop',
                "forwarding-loop name=127.0.0.1:40000 port=53 resource=.",
            ),
            Example(
                'plugin/loop: Forwarding loop detected in "." zone. Exiting.', "forwarding-loop resource=."
            ),
            Example(
                '[FATAL] plugin/loop: Seen "HINFO IN 71.904." more than twice, loop detected',
                "forwarding-loop",
            ),
        ),
    ),
    LastWord(
        "starts-missed",
        words(
            r"(?:\bdetermine if (?P<namespace>[a-z0-9.-]{1,63})/(?P<name>[a-z0-9.-]{1,253}) needs to be started: )?"
            r"(?:[Tt]oo many missed start times? \(> ?(?P<at>\d{1,5})\)|too many missed start times\. Set or decrease"
            r"|\bToo many missed start times to list\b)"
        ),
        ("oo many missed start time",),
        (Seen("kube-controller-manager", "1.4–1.34", "pkg/controller/cronjob/utils.go"),),
        (
            Example(
                "Cannot determine if job needs to be started: Too many missed start time (> 100). Set or decrease .spec.startingDeadlineSeconds or check clock skew.",
                "starts-missed at=100",
            ),
            Example(
                "too many missed start times. Set or decrease .spec.startingDeadlineSeconds or check clock skew",
                "starts-missed",
            ),
            Example(
                "Cannot determine if f/report needs to be started: Too many missed start times to list",
                "starts-missed name=report namespace=f",
            ),
        ),
    ),
    LastWord(
        "device-held",
        words(r"unregister_netdevice: waiting for (?P<name>\S{1,32}) to become free\. Usage count = -?\d"),
        ("unregister_netdevice: ",),
        (Seen("Linux", "2.6–6.12", "net/core/dev.c"),),
        (
            Example(
                "unregister_netdevice: waiting for veth0 to become free. Usage count = 2",
                "device-held name=veth0",
            ),
            Example(
                "kernel:unregister_netdevice: waiting for lo to become free. Usage count = 1",
                "device-held name=lo",
            ),
        ),
    ),
    LastWord(
        "option-wanted",
        words(
            rf"(?P<reason>[A-Za-z][^:()]{{7,200}}?) \(use {_SHOWS}(?P<verb>{_OPTION})(?:[ =][\w-]{{1,20}})? to [^)]{{3,60}}\)(?:: (?P<resource>[a-z0-9][\w./, -]{{1,300}}))?"
            rf"|(?P<reason_2>[A-Za-z][^:()]{{7,200}}?)[,;.] (?:[Tt]ry|[Pp]lease|[Cc]onsider|[Rr]e-?run|[Yy]ou (?:can|may|must|need to)) (?:enabling|enable|using|use|setting|set|adding|add|passing|pass|running|run|specifying|specify)\b"
            rf"[^,;:]{{0,80}}? `?'?{_SHOWS}(?P<verb_2>{_OPTION})"
        ),
        ("(use --", " --"),
        (_DRAIN, Seen("programs", "any", "their own words")),
        (
            Example(
                "error: cannot delete Pods with local storage (use --delete-emptydir-data to override): shop/cache-0, shop/cache-1",
                "option-wanted reason=cannot delete Pods with local storage resource=shop/cache-0, shop/cache-1 verb=--delete-emptydir-data",
            ),
            Example(
                "error: the database is newer than this release, please use --allow-downgrade to go on",
                "option-wanted reason=the database is newer than this release verb=--allow-downgrade",
            ),
        ),
    ),
    LastWord(
        "incompatible",
        words(
            rf"(?P<reason>[A-Za-z]{_CLAUSE}{{3,240}}?\b(?:is|are) (?:incompatible|not compatible) with {_CLAUSE}{{3,200}})"
            rf"|(?P<reason_2>[A-Za-z]{_CLAUSE}{{3,120}}? (?:does not support|doesn't support|is too old for|is too new for|requires at least) (?:version|Kubernetes|this version)\b{_CLAUSE}{{0,160}})"
        ),
        (
            "ncompatible with",
            "not compatible with",
            "support",
            "is too old for",
            "is too new for",
            "requires at least",
        ),
        (
            Seen("Helm", "3–4", "pkg/action/install.go"),
            Seen("minikube", "1", "cmd/minikube/cmd/start.go"),
            Seen("programs", "any", "their own words"),
        ),
        (
            Example(
                "Error: INSTALLATION FAILED: chart requires kubeVersion: >=1.25.0-0 which is incompatible with Kubernetes v1.24.1",
                "incompatible reason=chart requires kubeVersion: >=1.25.0-0 which is incompatible with Kubernetes v1.24.1",
            ),
            Example(
                "Error: this plugin is too old for Kubernetes 1.31",
                "incompatible reason=this plugin is too old for Kubernetes 1.31",
            ),
        ),
    ),
)
