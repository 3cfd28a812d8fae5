"""Failures of any program in ordinary words: a refused value, differing versions, an exhausted pool, a wait
that timed out.

The grammar of the clause decides, for any program: the verdict (`invalid`, `no free`, `timed out waiting
for`), the sort of thing, and its name. These words are specific to no program: they count only in a line that is
written as an error, and after all narrower patterns.
"""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import ANY_PROGRAM, NAME, SPACE, VERSION, LastWord, words

# Function words, and parts of a text or a protocol, which cannot be set.
_NO_SORT = (
    r"(?!(?:set|given|provided|specified|supplied|passed|configured|found|is|was|for|of|in|on|to|with|and|or|token|character|byte|symbol|escape"
    r"|end|line|message|response|status|reply|error|reason|exit|signal|memory|pointer|header|request|operation|syntax|use|data)\b)"
)
_WORD = rf"{_NO_SORT}[A-Za-z][A-Za-z-]{{1,30}}"
_SORT = rf"{_WORD}(?: {_WORD}){{0,2}}"
_GIVEN = r"(?: (?:is |was )?(?:set|given|provided|specified|supplied|passed|configured|found))?"
# A setting by its own name: an option, words joined by a sign or a capital letter, a path of fields, but no file.
_OPTION = r"-{1,2}[a-z][\w-]{1,60}"
_JOINED = (
    r"(?:[A-Za-z][A-Za-z0-9]{0,40}(?:_[A-Za-z0-9]{1,40}){1,8}|[a-z]{1,30}(?:[A-Z][a-z0-9]{1,30}){1,6}"
    r"|(?!\S{1,200}\.(?:html?|json|ya?ml|toml|crt|pem|key|conf|txt|sh|py|js|so|jar|go|com|io|org|net|local)\b)[a-zA-Z]{1,40}(?:\.[A-Za-z]\w{1,40}){1,8})"
)
_SETTING = rf"(?:{_OPTION}|{_JOINED})"
_NOUN = r"(?:flags?|options?|arguments?|parameters?|settings?|fields?|keys?|attributes?|propert(?:y|ies)|variables?)"
_UNSET = r"(?:set|defined|provided|specified|given|configured|supplied|passed)"
# A single word at the end of the clause.
_VALUE = r"<?[\w*/-][\w.:/@%+*-]{0,80}>?"
# Items that a pool, a range or a set of places gives out.
_POOLED = (
    r"(?:IPs?|IPv[46]s?|nodePorts?|[Aa]ddress(?:es)?|[Pp]orts?|VLANs?|VNIs?|[Dd]evices?|GPUs?|[Ss]ubnets?|CIDRs?|[Bb]locks?|[Ss]lots?|[Ll]icen[sc]es?|[Ss]eats?"
    r"|[Cc]onnections?|[Ss]essions?|IDs?|UIDs?|[Pp]refix(?:es)?|MACs?|ENIs?|[Ii]dentit(?:y|ies)|[Aa]ppliances?|[Hh]osts?|[Ll]oops?|[Ww]orkers?)"
)
_OF_POOL = rf"(?:[A-Za-z][\w-]{{1,30}} ){{0,3}}{_POOLED}"
_POOL = r"(?:pools?|ranges?|subnets?|blocks?|CIDRs?|address space)"

WORDS: tuple[LastWord, ...] = (
    LastWord(
        "files-exhausted",
        words(
            r"(?<![\w-])(?P<resource>accept4?|socket|connect|pipe2?|open (?=/)|dial (?:tcp|udp))\b[^\n]{0,300}: [Tt]oo many open files(?! in system)"
            r"|\binotify watch limit reached\b"
            r"|(?:^|[:\"] ?)(?<!watcher: )(?<!inotify_init: )(?<!inotify_init1: )[Tt]oo many open files(?! in system)(?=[\"'.,;)\s]|$)"
        ),
        ("oo many open files", "inotify watch limit"),
        (
            Seen("Linux", "2–6", "include/uapi/asm-generic/errno.h"),
            Seen("Go", "1.0–1.25", "src/syscall/zerrors_linux_amd64.go"),
            Seen("systemd", "240–257", "src/basic/inotify-util.c"),
        ),
        (
            Example("Error: failed complete: too many open files", "files-exhausted"),
            Example("Failed to add a watch for /run/x: inotify watch limit reached", "files-exhausted"),
            Example(
                "2026/11/21 03:00:00 http: Accept error: accept tcp [::]:8080: accept4: too many open files; retrying in 1s",
                "files-exhausted resource=accept",
            ),
        ),
        own=True,
    ),
    LastWord(
        "value-refused",
        words(
            rf"(?P<reason>\b(?:[Ii]nvalid|[Uu]nsupported|[Uu]nrecogni[sz]ed|[Ii]llegal) (?P<resource>{_SORT}){_GIVEN}:? {{1,2}}"
            rf"(?:(?<=: )|(?<=:  )|(?<=(?:given|found) ))(?P<name>{_VALUE}))(?= *[\"'.]?$)"
            rf"|(?P<reason_2>\b(?P<resource_2>{_SORT}) (?P<name_2>{_VALUE}) is (?:not (?:a )?(?:valid|supported)|invalid|unsupported))(?= *[\"'.]?$)"
        ),
        ("nvalid", "nsupported", "nrecogni", "llegal", " is not "),
        (ANY_PROGRAM, Seen("zap, logrus", "1", "level.go, logrus.go")),
        (
            Example(
                "fatal: invalid log format set: xml",
                "value-refused name=xml reason=invalid log format set: xml resource=log format",
            ),
            Example(
                "Error: unsupported retention mode: 0",
                "value-refused name=0 reason=unsupported retention mode: 0 resource=retention mode",
            ),
            Example(
                "fatal: invalid trace level: <nil>",
                "value-refused name=<nil> reason=invalid trace level: <nil> resource=trace level",
            ),
        ),
        unless=("Invalid value: ",),
        marked=True,
    ),
    LastWord(
        "setting-missing",
        words(
            rf"(?<![\w/@:.-])[\"'`]?(?P<name>{_SETTING})[\"'`]? (?:must|has to|have to|needs to|should) be {_UNSET}\b(?! (?:to|as|by|at|up)\b)"
            rf"|\b[Nn]o (?P<name_10>[A-Za-z][\w.-]{{1,40}}) (?:setting|parameter|property|option) (?:was |is |has been )?(?:given|specified|provided|supplied|configured|found|set)\b"
            r"|\berror parsing [\w -]{1,40} metadata: (?:no|missing) (?P<name_11>[A-Za-z][\w.-]{1,40})(?: (?:given|specified|provided|found|configured))?(?=[\"'.,;:) ]|$)"
            rf"|\b(?:[Nn]o|[Mm]issing|[Ww]ithout) (?:value for )?[\"'`]?(?P<name_2>{_SETTING})[\"'`]? (?:was |is |has been |were )?{_UNSET}\b"
            rf"|\b(?:[Mm]issing|[Rr]equired|[Yy]ou must (?:set|specify|provide|pass)|[Mm]ust (?:specify|provide|set)|[Pp]lease (?:set|specify|provide))"
            rf"(?: an?| the| a value for| value for| required| either)*"
            rf"(?: {_NOUN}(?:\(s\))?:? [\"'`\[(]?(?P<name_3>{_SETTING}|[a-z]{{1,30}}(?:-[a-z0-9]{{1,30}}){{1,6}})|:? [\"'`\[(]?(?P<name_5>{_SETTING}))"
            rf"(?=[\"'`\]),.;]|\s|$)"
            r"|\b[Mm]issing (?P<name_6>[a-z][\w.-]{1,60}) in (?:the )?(?:[a-z][\w-]{1,30} )?(?:config|configuration|settings|options|credentials)(?=[\"'.,;]|\s|$)"
            r"|\bcould not find (?P<name_9>[a-z]{3,30}) configuration\b"
            rf"|(?<![\w/@:.-])[\"'`]?(?P<name_4>{_SETTING})[\"'`]? (?:(?:is|are|was) (?:required|mandatory|missing|empty|not {_UNSET})|(?:cannot|can not|must not|may not) be (?:empty|blank|null))(?=[\"'.,;: ]|$)"
        ),
        (
            " be ",
            "o ",
            "issing ",
            "ithout ",
            "equire",
            "ust ",
            "lease ",
            " mandatory",
            " required",
            " not ",
            " missing",
            " empty",
        ),
        (ANY_PROGRAM,),
        (
            Example(
                "Error: cluster_name must be defined when auto_join is on",
                "setting-missing name=cluster_name",
            ),
            Example("ERROR no ingress_class_name provided", "setting-missing name=ingress_class_name"),
            Example("Error: missing required argument --cluster-name", "setting-missing name=--cluster-name"),
            Example(
                '"msg"="error getting metric for scaler" "error"="error parsing rabbitmq metadata: no host setting given"',
                "setting-missing name=host",
            ),
            Example(
                "error parsing kafka metadata: no bootstrapServers given",
                "setting-missing name=bootstrapServers",
            ),
            Example("Error: you must specify --region", "setting-missing name=--region"),
            Example("ERROR missing bucket in storage configuration", "setting-missing name=bucket"),
            Example(
                "error: MissingRegion: could not find region configuration", "setting-missing name=region"
            ),
            Example(
                'level=fatal msg="server.signingkey is missing"', "setting-missing name=server.signingkey"
            ),
            Example("Error: storage.bucketName cannot be empty", "setting-missing name=storage.bucketName"),
        ),
        unless=("Invalid value: ", "Required value", "not found", "file", "image", "certificate"),
        marked=True,
    ),
    LastWord(
        "incompatible",
        words(
            rf"(?P<reason>\b[Uu]nsupported (?:[a-z]{{2,20}} ){{0,2}}version:? {VERSION}(?:[,;:(] ?(?:expect|want|need|require|support)[^\"]{{1,120}})?"
            rf"|\b[Uu]nsupported [A-Z][\w.]{{2,60}}\.version: {VERSION}\. Supported versions are: \[[^\]]{{1,160}}\]"
            rf"|\b[Ii]ncompatible (?:[a-z]{{2,20}} )?versions?\b[^\"]{{1,160}}"
            rf"|\b[\w-]{{2,40}}(?: version)? {VERSION} is too (?:old|new)\b[^\"]{{0,120}}"
            rf"|\b(?:[\w-]{{2,30}} ){{1,3}}(?:mismatch|differs?): (?:want|got|expect|have|local|server|client)[^\"]{{3,160}}"
            rf"|\b[Ee]xpected (?:[a-z]{{2,20}} )?version:? \"?{VERSION}\"?,? (?:but )?(?:got|found|was) \"?{VERSION}"
            rf"|\b(?:requires|needs) (?:at least )?(?:[\w.-]{{2,40}} )?version (?:>=? ?)?{VERSION}[^\"]{{0,100}})"
        ),
        ("version", "too old", "too new", "ismatch", "differ"),
        (ANY_PROGRAM, Seen("Helm", "2", "pkg/helm/client.go")),
        (
            Example(
                "ERROR: unsupported schema version 7, expected 8",
                "incompatible reason=unsupported schema version 7, expected 8",
            ),
            Example(
                "Error: incompatible versions client[v2.16.1] server[v2.14.0]",
                "incompatible reason=incompatible versions client[v2.16.1] server[v2.14.0]",
            ),
            Example(
                "FatalProblem: Unsupported Kafka.spec.kafka.version: 3.4.0. Supported versions are: [3.7.0, 3.8.0]",
                "incompatible reason=Unsupported Kafka.spec.kafka.version: 3.4.0. Supported versions are: [3.7.0, 3.8.0]",
            ),
            Example(
                "fatal: agent 1.2 is too old, need 1.4", "incompatible reason=agent 1.2 is too old, need 1.4"
            ),
        ),
        marked=True,
    ),
    LastWord(
        "pool-exhausted",
        words(
            rf"(?P<reason>\b[Nn]o (?:(?:more|free|available|remaining|unused|unallocated) ){{1,2}}(?P<resource>{_OF_POOL})\b[^\"]{{0,120}}"
            rf"|\b[Nn]o (?P<resource_2>{_OF_POOL}) (?:are |is )?(?:available|left|remaining)\b[^\"]{{0,120}}"
            rf"|\b[Ff]ailed to (?:allocate|assign|reserve) (?:an? |any |the )?(?P<resource_3>{_OF_POOL})\b.{{0,200}}?\b(?:{_POOL} (?:\S{{1,80}} )?(?:is |are )?"
            r"(?:empty|full|exhausted|used up|depleted))"
            rf"|\b[Aa]ll (?:of the )?(?:\d{{1,6}} )?(?P<resource_4>{_OF_POOL}) (?:are |have been )(?:in use|used|allocated|taken)\b[^\"]{{0,120}}"
            rf"|\b(?:maximum|max|limit)(?: number)? of (?:\d{{1,6}} )?(?P<resource_5>{_OF_POOL}) (?:is |was |has been )?(?:reached|exceeded)\b[^\"]{{0,120}})"
        ),
        (
            "o more ",
            "o free ",
            "o available ",
            "o remaining ",
            "o unused ",
            "o unallocated ",
            "available",
            "left",
            "remaining",
            "ailed to ",
            "ll ",
            "of ",
        ),
        (
            ANY_PROGRAM,
            Seen("MetalLB", "0.7–0.15", "internal/allocator/allocator.go"),
            Seen("Cilium", "1.14–1.18", "operator/pkg/ipam"),
        ),
        (
            Example(
                "Error: no available VLANs",
                "pool-exhausted reason=no available VLANs resource=VLANs",
            ),
            Example(
                'Error: failed to allocate ipv4 address for node "w1" from pool "main": pool empty',
                'pool-exhausted reason=failed to allocate ipv4 address for node "w1" from pool "main": pool empty resource=ipv4 address',
            ),
            Example(
                "Error: all 8 slots are in use", "pool-exhausted reason=all 8 slots are in use resource=slots"
            ),
            Example(
                "Error: no more node ports available in range 30000-30010",
                "pool-exhausted reason=no more node ports available in range 30000-30010 resource=node ports",
            ),
        ),
        marked=True,
    ),
    LastWord(
        "wait-ended",
        words(
            r"\btimed out waiting for the condition on (?P<resource>[a-z][a-z0-9.-]{1,100})/(?P<name>[a-z0-9][\w.-]{0,252}\w)"
            r"|\b(?:[Tt]imed out|[Tt]imeout|[Gg]ave up) (?:while )?waiting for (?:the )?(?P<resource_2>deployment|statefulset|daemonset|job|pod|service"
            r"|node|pvc|certificate)s? \"?(?P<name_2>[a-z0-9](?:[a-z0-9./-]{0,251}[a-z0-9])?)\"? to \w"
            rf"|\b(?:[Tt]imed out|[Tt]imeout|[Gg]ave up|[Ee]xceeded timeout of \w{{1,12}})(?: while| when)? waiting (?:for|on) (?:the )?"
            rf"(?P<resource_4>[A-Za-z][A-Za-z.]{{2,80}}) (?:resource |object )?\\*[\"']?(?P<name_4>{NAME})\\*[\"']? in (?:the )?namespace \\*[\"']?(?P<namespace_4>[a-z0-9-]{{1,63}})"
            # kstatus, by Flux before 0.16.
            rf"|\b(?:timed out|failed)(?: after \w{{1,12}})?(?: for)?:? \[(?P<resource_10>[A-Za-z][A-Za-z.]{{2,80}}) '(?P<namespace_10>{SPACE})/(?P<name_10>{NAME})'"
            # kstatus, by Helm 4, Flux and cli-utils.
            rf"|\b(?P<resource_5>[A-Z][A-Za-z]{{2,60}})/(?P<namespace_5>[a-z0-9-]{{1,63}})/(?P<name_5>{NAME})(?: is)? (?:not ready\b|status: '?(?:InProgress|NotFound|Failed|Unknown)\b)"
            r"|\b(?:[Tt]imed out|[Tt]imeout|[Gg]ave up)(?: while| when)? waiting (?:for|on) (?:all |any )(?:of )?(?:the )?(?P<resource_6>[A-Z][a-z]{1,20}(?:[A-Z][a-z]{1,20}){1,4}s) to \w"
            r"|\bHelm (?:install|upgrade|rollback|uninstall|test) failed for (?P<resource_7>release) (?P<namespace_7>[a-z0-9-]{1,63})/(?P<name_7>[a-z0-9][a-z0-9.-]{0,252})"
            r" with chart \S{1,200}: (?:timed out waiting for the condition|context deadline exceeded)"
            r"|\b(?:[Tt]imed out|[Tt]imeout|[Gg]ave up) (?:while )?waiting for (?:the )?(?P<resource_11>(?:restic|backup) repository) to (?:start|be \w{2,20}|become \w{2,20})\b"
            r"|\b(?:[Tt]imed out|[Tt]imeout|[Gg]ave up) (?:while )?waiting for (?:the )?(?P<resource_9>deployment|statefulset|daemonset|job|pod|service|node|pvc)s? to (?:start|run|be \w{2,20}|become \w{2,20})\b"
            r"|\bwait(?:ing)? (?:for )?(?:the )?(?P<resource_3>PVC|PersistentVolumeClaim|[Pp]od|[Jj]ob|[Dd]eployment|[Nn]ode|[Ss]ervice) \(?\"?"
            r"(?P<name_3>[a-z0-9](?:[a-z0-9./-]{0,251}[a-z0-9])?)\"?\)?[^:\n]{0,60}: timed out waiting for the condition"
        ),
        (
            "aiting for ",
            "aiting on ",
            "timed out for [",
            "failed after ",
            "to wait ",
            " not ready",
            " status: ",
            " failed for release ",
        ),
        (
            Seen("kubectl", "1.11–1.34", "pkg/cmd/wait/wait.go"),
            Seen("Strimzi", "0.1–0.48", "operator-common: Util.java (waitFor)"),
            Seen("Helm", "4", "pkg/kube/statuswait.go"),
            Seen("Flux", "0.16–2", "fluxcd/pkg/ssa: manager_wait.go"),
            Seen("GitLab Runner", "11–18", "executors/kubernetes/util.go (waitForPodRunning)"),
            Seen("Flux helm-controller", "0.37–1", "internal/reconcile/upgrade.go"),
            ANY_PROGRAM,
        ),
        (
            Example(
                "ERROR Util:167 - Exceeded timeout of 300000ms while waiting for StrimziPodSet resource tide-kafka in namespace shop to be ready",
                "wait-ended name=tide-kafka namespace=shop resource=StrimziPodSet",
            ),
            Example(
                "Helm upgrade failed for release shop/till with chart till@1.0.1: context deadline exceeded",
                "wait-ended name=till namespace=shop resource=release",
            ),
            Example(
                "timeout waiting for: [Deployment/shop/web status: 'InProgress']",
                "wait-ended name=web namespace=shop resource=Deployment",
            ),
            Example(
                "Reconciliation failed after 1m9s, next try in 1m0s: Health check timed out for [deployments.apps 'shop/till']",
                "wait-ended name=till namespace=shop resource=deployments.apps",
            ),
            Example(
                "ERROR: Job failed (system failure): prepare environment: waiting for pod running: timed out waiting for pod to start.",
                "wait-ended resource=pod",
            ),
            Example(
                "Error backing up item: timed out waiting for restic repository to become ready",
                "wait-ended resource=restic repository",
            ),
            Example(
                "Error: timed out waiting for all PodVolumeBackups to complete",
                "wait-ended resource=PodVolumeBackups",
            ),
            Example(
                "error: timed out waiting for the condition on functions/function-a",
                "wait-ended name=function-a resource=functions",
            ),
            Example(
                "Error: timed out waiting for deployment shop-api to become ready",
                "wait-ended name=shop-api resource=deployment",
            ),
            Example(
                "failed to create backup (fail to wait PVC (a-pvc) 'Bound': timed out waiting for the condition)",
                "wait-ended name=a-pvc resource=PVC",
            ),
        ),
        own=True,
    ),
)
