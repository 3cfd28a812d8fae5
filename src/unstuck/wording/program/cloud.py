"""Answers of a cloud's API: access denied, limit reached, resource missing."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import LastWord, words

_EC2 = Seen("Amazon EC2", "2016-11-15", "API reference, error codes")
_IAM = Seen("AWS IAM", "2010-05-08", "troubleshooting access denied messages")
_ARM = Seen("Azure Resource Manager", "2015–2025", "common deployment errors")
_GOOGLE = Seen("google.golang.org/api", "0.1–0.250", "googleapi/googleapi.go")
_ACTION = r"[A-Za-z0-9-]{2,40}:[A-Za-z*]{2,80}"

# A quota, its use, and the request: in any words, with their numbers.
_N = r"'?\d{1,9}(?:\.\d{1,3})?'?"
_NUMBERS = rf"(?:Current Limit|Maximum allowed): {_N}, Current (?:Usage|in use): {_N}, Additional (?:Required|requested): {_N}"
_SHORT = (
    rf"(?:The )?request requires {_N} and is short {_N}(?:\. (?:The [a-z]{{1,20}} quota is|[Pp]roject has a quota of) {_N}"
    rf" with {_N} available)?"
)
_OF_A_PROJECT = (
    r"(?:[Ii]nsufficient|[Nn]ot enough|[Oo]ut of|[Ee]xceed(?:s|ed|ing)) (?:[\w-]{1,40} ){0,3}?(?P<name>[\w-]{1,40}) quota (?:in|of|for) (?:the )?"
    r"(?:project|region|zone|account|subscription|tenant)\b.{0,120}?(?P<reason>\b(?:limit|available|allowed|usage|in use|required|requested)"
    r"(?:: | is |=| of )'?\d[^\n\"]{0,80})"
)

WORDS: tuple[LastWord, ...] = (
    # Before the words for forbidden: Google answers 403 to both. Patterns with the numbers come before those
    # with the code alone.
    LastWord(
        "cloud-limit",
        words(
            rf"(?:[Qq]uota '(?P<name>[\w./-]{{1,120}})' exceeded\.\s{{1,3}}(?P<reason>Limit: [\d.]{{1,12}}(?: in region [\w-]{{1,40}})?))"
            rf"|[Ii]nsufficient (?:\w{{1,20}} )?quota to satisfy request(?: for resource)?: (?:resource )?\\*\"(?P<name_2>[\w-]{{1,80}})\\*\"[:.] (?P<reason_2>{_SHORT})"
            rf"|exceeding approved (?P<name_3>[\w ]{{1,80}}) quota\..{{0,160}}?(?P<reason_3>{_NUMBERS})"
            rf"|exceeding quota limits? of (?P<name_4>[\w ]{{1,60}})\. (?P<reason_4>{_NUMBERS})"
            rf"|[Rr]esource quota of (?P<name_5>[\w ]{{1,60}}) exceeded\. (?P<reason_5>{_NUMBERS})"
            r"|[Qq]uota exceeded for (?P<name_6>[\w, ]{1,60}): (?P<reason_6>Requested [\d, ]{1,40}, but already used [\d, ]{1,40} of [\d, ]{1,40}\d)"
            r"|requested more (?P<name_7>\w{1,40}) capacity than (?P<reason_7>your current \w{1,40} limit of \d{1,9})"
        ),
        ("uota", "capacity than your current"),
        (_EC2, _ARM, _GOOGLE, Seen("OpenStack", "2015–2025", "nova: nova/exception.py (TooManyInstances)")),
        (
            Example(
                "EXTERNAL: Insufficient regional quota to satisfy request for resource: \"CPUS\". The request requires '24.0' and is short '16.0'. The regional quota is '8.0' with '8.0' available.",
                "cloud-limit name=CPUS reason=The request requires '24.0' and is short '16.0'. The regional quota is '8.0' with '8.0' available",
            ),
            Example(
                "code=403, message=Insufficient regional quota to satisfy request: resource \"IN_USE_ADDRESSES\": request requires '12.0' and is short '8.0'. project has a quota of '4.0' with '4.0' available.",
                "cloud-limit name=IN_USE_ADDRESSES reason=request requires '12.0' and is short '8.0'. project has a quota of '4.0' with '4.0' available",
            ),
            Example(
                "exceeding approved Total Regional Cores quota. Additional details - Deployment Model: Resource Manager, Location: eastus, Current Limit: 4, Current Usage: 1, Additional Required: 40, (Minimum) New Limit Required: 41.",
                "cloud-limit name=Total Regional Cores reason=Current Limit: 4, Current Usage: 1, Additional Required: 40",
            ),
            Example(
                "Operation results in exceeding quota limits of Core. Maximum allowed: 10, Current in use: 7, Additional requested: 4.",
                "cloud-limit name=Core reason=Maximum allowed: 10, Current in use: 7, Additional requested: 4",
            ),
            Example(
                "Resource quota of cores exceeded. Maximum allowed: 20, Current in use: 0, Additional requested: 36",
                "cloud-limit name=cores reason=Maximum allowed: 20, Current in use: 0, Additional requested: 36",
            ),
            Example(
                "Quota exceeded for cores, ram: Requested 8, 16384, but already used 40, 81920 of 40, 81920 cores, ram (HTTP 403)",
                "cloud-limit name=cores, ram reason=Requested 8, 16384, but already used 40, 81920 of 40, 81920",
            ),
            Example(
                "You have requested more vCPU capacity than your current vCPU limit of 32 allows for the instance bucket",
                "cloud-limit name=vCPU reason=your current vCPU limit of 32",
            ),
            Example(
                "googleapi: Error 403: Quota 'SSD_TOTAL_GB' exceeded.  Limit: 500.0 in region us-east1., quotaExceeded",
                "cloud-limit name=SSD_TOTAL_GB reason=Limit: 500.0 in region us-east1",
            ),
        ),
    ),
    LastWord(
        "cloud-limit",
        words(_OF_A_PROJECT),
        (" quota ",),
        (_ARM, _GOOGLE, Seen("OpenStack", "2015–2025", "cinder, neutron: quota errors")),
        (
            Example(
                "Error: cannot create node: not enough volume quota in project shop: limit is 20, 20 used",
                "cloud-limit name=volume reason=limit is 20, 20 used",
            ),
            Example(
                "ERROR creating machine: exceeded address quota for the region: allowed: 8, in use: 8",
                "cloud-limit name=address reason=allowed: 8, in use: 8",
            ),
        ),
        marked=True,
    ),
    LastWord(
        "cloud-limit",
        words(
            r"\b(?P<name>(?:Vcpu|Instance|Volume|Address|Attachment|VolumeIOPS|Snapshot|SecurityGroup|NetworkInterface|MaxSpotInstanceCount)"
            r"(?:Limit)?Exceeded|Insufficient(?:InstanceCapacity|HostCapacity|FreeAddressesInSubnet|CidrBlocks)|TooManyLoadBalancers"
            r"|PrivateIpAddressLimitExceeded|MaxSpotInstanceCountExceeded"
            r"|QuotaExceeded|QUOTA_EXCEEDED|quotaExceeded|SkuNotAvailable|(?:Zonal|Overconstrained)?AllocationFailed|SubnetIsFull"
            r"|PublicIPCountLimitReached|ZONE_RESOURCE_POOL_EXHAUSTED|IP_SPACE_EXHAUSTED|resource_limit_exceeded)\b"
            r"|(?P<name_5>[Ii]nsufficient capacity)(?: error)?[,:] all requested instance types were unavailable"
            r"|[Qq]uota '(?P<name_2>[\w./-]{1,120})' exceeded|exceeding approved (?P<name_3>[\w ]{1,80}) quota|[Qq]uota exceeded for (?P<name_4>[\w ]{1,60})"
        ),
        (
            *(
                "Exceeded",
                "nsufficient",
                "TooMany",
                "QUOTA_",
                "NotAvailable",
                "AllocationFailed",
                "IsFull",
                "LimitReached",
                "EXHAUSTED",
            ),
            *("limit_exceeded", "uota '", "exceeding approved", "uota exceeded"),
        ),
        (_EC2, _ARM, _GOOGLE, Seen("Hetzner Cloud", "v1", "API documentation, errors")),
        (
            Example(
                "Failed to allocate a private IP/Prefix addresses on ENI eni-1: InsufficientCidrBlocks: The specified subnet does not have enough free cidr blocks to satisfy the request.",
                "cloud-limit name=InsufficientCidrBlocks",
            ),
            Example("googleapi: Error 403: Quota 'SSD_TOTAL_GB' exceeded.", "cloud-limit name=SSD_TOTAL_GB"),
            Example(
                '"error":"insufficient capacity, all requested instance types were unavailable during launch"',
                "cloud-limit name=insufficient capacity",
            ),
            Example(
                "Operation could not be completed as it results in exceeding approved Total Regional Cores quota.",
                "cloud-limit name=Total Regional Cores",
            ),
        ),
    ),
    LastWord(
        "cloud-forbidden",
        words(
            rf"(?:User: (?P<name>arn:[\w:/+=,.@-]{{1,300}}) is )?\b[Nn]ot authorized to perform(?: operation)?:? (?P<verb>{_ACTION})(?: on resource: (?P<resource>[\w:/*+=,.@-]{{1,400}}))?"
            r"|[Tt]he client '(?P<name_2>[^']{1,200})' with object id '[^']{1,100}' does not have (?:authorization|permission)s? to perform action '(?P<verb_2>[^']{1,200})'(?: over scope '(?P<resource_2>[^']{1,400})')?"
            r"|Required '(?P<verb_3>[\w.]{3,120})' permission for '(?P<resource_3>[^']{1,400})'"
            r"|[Pp]ermission '?\"?(?P<verb_4>[a-z]\w{1,40}\.[\w.]{3,100})'?\"? (?:was )?denied on (?:resource )?'?\"?(?P<resource_4>[^\s'\",]{1,400})"
            r"|(?P<name_3>[\w.+-]{1,120}@[\w.-]{1,120}\.gserviceaccount\.com) does not have (?P<verb_5>[\w.]{3,120}) (?:permission|access)(?: (?:to|for|on) (?:the )?(?:Google Cloud Storage )?(?P<resource_5>[\w./*-]{1,300}))?"
            r"|operation error (?P<group>[\w ]{1,40}): (?P<verb_6>\w{2,60}), (?!.{0,600}is not authorized to perform: \w).{0,400}?(?:UnauthorizedOperation|AccessDenied(?:Exception)?)\b"
            r"|An error occurred \((?:AccessDenied(?:Exception)?|UnauthorizedOperation|Client\.UnauthorizedOperation)\) when calling the (?P<verb_7>\w{2,60}) operation"
        ),
        (
            *(
                "ot authorized to perform",
                "to perform action",
                "' permission for",
                "enied on",
                "gserviceaccount.com",
            ),
            *("operation error", "An error occurred ("),
        ),
        (_EC2, _IAM, _ARM, _GOOGLE),
        (
            Example(
                "AccessDenied: User: arn:aws:sts::123456789012:assumed-role/nodes/i-1 is not authorized to perform: autoscaling:SetDesiredCapacity on resource: arn:aws:autoscaling:us-west-2:123456789012:autoScalingGroup:1",
                "cloud-forbidden name=arn:aws:sts::123456789012:assumed-role/nodes/i-1 resource=arn:aws:autoscaling:us-west-2:123456789012:autoScalingGroup:1 verb=autoscaling:SetDesiredCapacity",
            ),
            Example(
                "WebIdentityErr: failed to retrieve credentials caused by: AccessDenied: Not authorized to perform sts:AssumeRoleWithWebIdentity",
                "cloud-forbidden verb=sts:AssumeRoleWithWebIdentity",
            ),
            Example(
                "The client 'a1b2' with object id 'a1b2' does not have authorization to perform action 'Microsoft.Compute/disks/write' over scope '/subscriptions/1/resourceGroups/g'",
                "cloud-forbidden name=a1b2 resource=/subscriptions/1/resourceGroups/g verb=Microsoft.Compute/disks/write",
            ),
            Example(
                "googleapi: Error 403: Required 'compute.disks.create' permission for 'projects/p/zones/z/disks/d', forbidden",
                "cloud-forbidden resource=projects/p/zones/z/disks/d verb=compute.disks.create",
            ),
            Example(
                "operation error EC2: AttachVolume, https response error StatusCode: 403, RequestID: 1, api error UnauthorizedOperation: You are not authorized to perform this operation.",
                "cloud-forbidden group=EC2 verb=AttachVolume",
            ),
            Example(
                "operation error SQS: GetQueueUrl, https response error StatusCode: 403, RequestID: 1, api error AccessDenied: User: arn:aws:sts::123456789012:assumed-role/queue/1 is not authorized to perform: sqs:getqueueurl on resource: arn:aws:sqs:eu-west-1:123456789012:jobs because no identity-based policy allows the sqs:getqueueurl action",
                "cloud-forbidden name=arn:aws:sts::123456789012:assumed-role/queue/1 resource=arn:aws:sqs:eu-west-1:123456789012:jobs verb=sqs:getqueueurl",
            ),
        ),
    ),
    # A sentence without identity and action stands before the sentences that name them, so it has a pattern
    # of its own.
    LastWord(
        "cloud-forbidden",
        words(
            r"\bUnauthorizedOperation\b|Encoded authorization failure message: |\bAccessDenied(?:Exception)?: (?!/)|\b(?:Linked)?AuthorizationFailed\b|googleapi: Error 403: (?!.{0,200}(?:[Qq]uota|[Rr]ate))"
            r"|\bACCESS_TOKEN_SCOPE_INSUFFICIENT\b|insufficient authentication scopes"
            r"|ServerFaultCode: (?P<reason>Permission to perform this operation was denied|NoPermission)\b|Policy doesn't allow (?P<verb>[\w:-]{3,100}) to be performed"
        ),
        (
            *(
                "UnauthorizedOperation",
                "Encoded authorization",
                "AccessDenied",
                "AuthorizationFailed",
                "Error 403",
                "SCOPE_INSUFFICIENT",
            ),
            *("authentication scopes", "Permission to perform", "NoPermission", "Policy doesn't allow"),
        ),
        (
            _EC2,
            _IAM,
            _ARM,
            _GOOGLE,
            Seen("vSphere API", "6.5–8", "NoPermission"),
            Seen("OpenStack", "2015–2025", "oslo.policy"),
        ),
        (
            Example(
                "googleapi: Error 403: Insufficient Permission, insufficientPermissions", "cloud-forbidden"
            ),
            Example(
                "UnauthorizedOperation: You are not authorized to perform this operation.", "cloud-forbidden"
            ),
            Example(
                "You are not authorized to perform this operation. Encoded authorization failure message: Hb3",
                "cloud-forbidden",
            ),
            Example(
                "err: ServerFaultCode: Permission to perform this operation was denied.",
                "cloud-forbidden reason=Permission to perform this operation was denied",
            ),
            Example(
                'CNS QueryVolume failed from vCenter "vc.shop.example" with err: ServerFaultCode: NoPermission',
                "cloud-forbidden reason=NoPermission",
            ),
            Example(
                "Policy doesn't allow os_compute_api:servers:show to be performed.",
                "cloud-forbidden verb=os_compute_api:servers:show",
            ),
        ),
    ),
    LastWord(
        "cloud-object-missing",
        words(
            r"\bInvalid(?P<resource_5>[A-Z]\w{2,40}?)(?:ID|Name)?\.NotFound(?:Exception)?: [^']{0,160}?\bname (?P<name_5>[\w.-]{2,250}),? does not exist"
            r"|\bInvalid(?P<resource>[A-Z]\w{2,40}?)(?:ID)?\.NotFound: .{0,120}?'(?P<name>[\w-]{2,120})'|\bInvalid(?P<resource_2>[A-Z]\w{2,40}?)(?:ID)?\.NotFound\b"
            r"|could not find any suitable (?P<resource_3>subnets)|(?:unable to|couldn't|could not) (?:auto-)?(?:resolve|discover|find) (?:at least one |any )?(?:matching )?(?P<resource_4>subnets?)\b"
            r"|googleapi: Error 404: The resource '(?P<name_2>[^']{1,300})' was not found|\bThe Resource '(?P<name_3>[^']{1,300})' under resource group '[^']{1,120}' was not found"
            r"|Resource group '(?P<name_4>[^']{1,120})' could not be found"
        ),
        (".NotFound", "subnet", "Error 404", "under resource group", "could not be found"),
        (
            _EC2,
            Seen("cloud-provider-aws", "1.20–1.34", "pkg/providers/v1/aws.go"),
            Seen("aws-load-balancer-controller", "2", "pkg/networking/subnet_resolver.go"),
            _GOOGLE,
            _ARM,
        ),
        (
            Example(
                "InvalidVolume.NotFound: The volume 'vol-0a1b' does not exist.",
                "cloud-object-missing name=vol-0a1b resource=Volume",
            ),
            Example(
                "InvalidLaunchTemplateName.NotFoundException: The specified launch template, with template name web-1, does not exist.",
                "cloud-object-missing name=web-1 resource=LaunchTemplate",
            ),
            Example(
                "failed to ensure load balancer: could not find any suitable subnets for creating the ELB",
                "cloud-object-missing resource=subnets",
            ),
            Example(
                "googleapi: Error 404: The resource 'projects/p/zones/z/disks/d' was not found, notFound",
                "cloud-object-missing name=projects/p/zones/z/disks/d",
            ),
        ),
    ),
)
