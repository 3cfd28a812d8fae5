"""API clients' errors about objects that they create or need: already there, invalid, missing, locked."""

from __future__ import annotations

from unstuck.wording.pattern import Example, Seen
from unstuck.wording.program.pattern import NAME, LastWord, words

_HELM = Seen("Helm", "3–4", "pkg/action")
_ERRORS = Seen("apimachinery", "1.6–1.34", "staging/src/k8s.io/apimachinery/pkg/api/errors/errors.go")
# A resource as the API names it: a custom one may hold a hyphen, and none begins within a word.
_FIRST = r"(?<![\w-])"
_PLURAL = r"[a-z][\w-]{1,80}(?:\.[a-z0-9.-]{1,200})?"

# Placed before RBAC's refusals: the Node authorizer answers in the same words.
OF_NODES: tuple[LastWord, ...] = (
    LastWord(
        "object-forbidden",
        words(
            r"\bnodes \"?(?P<name>[\w.-]{1,253})\"? is forbidden: (?P<reason>node \"?(?P<group>[\w.-]{1,253})\"? (?:cannot|is not allowed to) modify node\b)"
            r"|(?:\bleases\.coordination\.k8s\.io \"(?P<name_2>[\w.-]{1,253})\" is forbidden: )?User \"system:node:(?P<group_2>[\w.-]{1,253})\" cannot .{0,200}?: "
            r"(?P<reason_2>can only access node lease with the same name)"
            # The same for a line that is cut after the verb.
            r"|\b(?:nodes|leases\.coordination\.k8s\.io) \"(?P<name_3>[\w.-]{1,253})\" is forbidden: User "
            r"\"system:node:(?!(?P=name_3)\")(?P<group_3>[\w.-]{1,253})\" (?P<reason_3>cannot \w{1,20})"
        ),
        ("is forbidden: node ", "node lease with the same name", "is forbidden: User "),
        (
            Seen(
                "kube-apiserver",
                "1.7–1.34",
                "plugin/pkg/admission/noderestriction/admission.go, plugin/pkg/auth/authorizer/node",
            ),
        ),
        (
            Example(
                'nodes "ip-10-0-0-1" is forbidden: node "worker-1" cannot modify node "ip-10-0-0-1"',
                'object-forbidden group=worker-1 name=ip-10-0-0-1 reason=node "worker-1" cannot modify node',
            ),
            Example(
                'leases.coordination.k8s.io "desk" is forbidden: User "system:node:Desk" cannot get resource "leases" in API group "coordination.k8s.io" in the namespace "kube-node-lease": can only access node lease with the same name as the requesting node',
                "object-forbidden group=Desk name=desk reason=can only access node lease with the same name",
            ),
            Example(
                'leases.coordination.k8s.io "web-1.example" is forbidden: User "system:node:localhost" cannot get',
                "object-forbidden group=localhost name=web-1.example reason=cannot get",
            ),
        ),
    ),
)
# Helm pkg/action/validate.go: the object's owner.
_OWNED = r".{0,600}?key \"meta\.helm\.sh/release-name\" must equal \"[^\"]{1,100}\": current value is \"(?P<reason>[^\"]{1,100})\""
WORDS: tuple[LastWord, ...] = (
    LastWord(
        "lock-held",
        words(
            r"another operation \((?P<verb>install/upgrade/rollback)\) is in progress|Error (?P<verb_2>acquiring) the state lock|[Ss]tate (?P<verb_3>lock)ed by"
            r"|Error (?P<verb_4>locking) state|[Ss]tate is already (?P<verb_5>lock)ed by another \w{2,20} client"
        ),
        ("is in progress", "state lock", "tate locked by", "locking state", "tate is already locked"),
        (_HELM, Seen("Terraform", "0.9–1", "internal/command/clistate/state.go")),
        (
            Example(
                "Error: UPGRADE FAILED: another operation (install/upgrade/rollback) is in progress",
                "lock-held verb=install/upgrade/rollback",
            ),
            Example("│ Error: Error acquiring the state lock", "lock-held verb=acquiring"),
        ),
    ),
    LastWord(
        "release-undeployed",
        words(rf"\"(?P<name>{NAME})\" has no deployed releases"),
        ("has no deployed releases",),
        (_HELM,),
        (
            Example(
                'Error: UPGRADE FAILED: "web-shop" has no deployed releases',
                "release-undeployed name=web-shop",
            ),
            Example(
                'helm.go:84: [debug] "web-shop" has no deployed releases', "release-undeployed name=web-shop"
            ),
        ),
    ),
    LastWord(
        "already-there",
        words(
            rf"\b(?P<resource>[A-Z]\w{{1,80}}) \"(?P<name>{NAME})\" in namespace \"(?P<namespace>[a-z0-9-]{{0,63}})\" exists and cannot be imported into the current release"
            rf"(?:{_OWNED})?"
            r"|invalid ownership metadata|cannot re-use a name that is still in use"
            rf"|Apply failed with \d{{1,4}} conflicts?: conflicts? with \"(?P<group>[^\"]{{1,120}})\"|rendered manifests contain a resource that already exists(?:\. Unable to continue with \w{{1,20}}: "
            rf"(?P<resource_3>[A-Z]\w{{1,80}}) \"(?P<name_3>{NAME})\" in namespace \"(?P<namespace_3>[a-z0-9-]{{0,63}})\" exists and cannot be imported(?:{_OWNED.replace('reason', 'reason_3')})?)?"
            rf"|{_FIRST}(?P<resource_2>{_PLURAL}) \"(?P<name_2>{NAME})\" already exists"
        ),
        ("cannot be imported", "ownership metadata", "re-use a name", "Apply failed", "already exists"),
        (_HELM, _ERRORS),
        (
            Example(
                'Error: INSTALLATION FAILED: Unable to continue with install: ServiceAccount "web" in namespace "shop" exists and cannot be imported into the current release: invalid ownership metadata; label validation error: missing key "app.kubernetes.io/managed-by"',
                "already-there name=web namespace=shop resource=ServiceAccount",
            ),
            Example("Error: INSTALLATION FAILED: cannot re-use a name that is still in use", "already-there"),
            Example(
                'Error: rendered manifests contain a resource that already exists. Unable to continue with install: Service "web" in namespace "shop" exists and cannot be imported into the current release',
                "already-there name=web namespace=shop resource=Service",
            ),
            Example(
                'Error from server (AlreadyExists): error when creating "a.yaml": configmaps "web" already exists',
                "already-there name=web resource=configmaps",
            ),
        ),
    ),
    LastWord(
        "object-invalid",
        # encoding/json of the server since 1.8, json-iterator before: the wrong type of a value.
        words(
            r"\b(?P<resource>[A-Z]\w{1,80}) in version \"(?P<group>[\w./-]{1,120})\" cannot be handled as an? [A-Z]\w{1,80}: .{0,900}?"
            r"(?P<reason>cannot unmarshal (?:number|bool|string|array|object)(?: [^\s\"]{1,40})? into Go (?:struct field (?P<path>[\w.\[\]]{1,200})|value) of type [\w.\[\]*]{1,120})"
            r"|\b(?P<resource_2>[A-Z]\w{1,80}) in version \"(?P<group_2>[\w./-]{1,120})\" cannot be handled as an? [A-Z]\w{1,80}: .{0,900}?"
            r"\b(?P<path_2>[A-Z]\w{1,60}\.[\w.]{1,60}): (?P<reason_2>Read\w{2,20}: expects [^,]{1,60}, but found [^,]{1,20})"
        ),
        ("cannot be handled as",),
        (
            Seen("Go", "1.8–1.25", "src/encoding/json/decode.go"),
            Seen("json-iterator", "1.0–1.1", "reflect_native.go"),
        ),
        (
            Example(
                'CronJob in version "v1" cannot be handled as a CronJob: json: cannot unmarshal number into Go struct field EnvVar.spec.jobTemplate.spec.template.spec.containers.env.value of type string',
                "object-invalid group=v1 path=EnvVar.spec.jobTemplate.spec.template.spec.containers.env.value reason=cannot unmarshal number into Go struct field EnvVar.spec.jobTemplate.spec.template.spec.containers.env.value of type string resource=CronJob",
            ),
            Example(
                'Deployment in version "v1" cannot be handled as a Deployment: v1.Deployment.Spec: []v1.EnvVar: v1.EnvVar.Value: ReadString: expects " or n, but found 5, error found',
                'object-invalid group=v1 path=EnvVar.Value reason=ReadString: expects " or n, but found 5 resource=Deployment',
            ),
        ),
    ),
    LastWord(
        "object-invalid",
        # OpenAPI's name of a definition, as the client checks it; the decoder's name of the kind, as the server does.
        words(
            r"(?:\bValidationError\((?P<place>[\w.\[\]-]{1,200})\): )?\b(?P<reason>unknown field) \"(?P<path>[^\"]{1,200})\" in (?P<resource>[a-z][\w.-]{1,300}\w)"
            r"|\b(?P<resource_2>[A-Z]\w{1,80}) in version \"(?P<group>[\w./-]{1,120})\" cannot be handled as an? [A-Z]\w{1,80}: strict decoding error: "
            r".{0,300}?\b(?P<reason_2>unknown field) \"(?P<path_2>[^\"]{1,200})\""
            r"|\bstrict decoding error: (?P<reason_3>unknown field) \"(?P<path_3>[^\"]{1,200})\""
        ),
        ("unknown field",),
        (
            Seen(
                "kubectl", "1.6–1.24", "staging/src/k8s.io/kubectl/pkg/util/openapi/validation/validation.go"
            ),
            Seen(
                "kube-apiserver", "1.25–1.34", "staging/src/k8s.io/apiserver/pkg/endpoints/handlers/create.go"
            ),
        ),
        (
            Example(
                'error validating data: ValidationError(Widget.spec.tail): unknown field "angle" in com.example.v1alpha1.Widget.spec.tail',
                "object-invalid path=angle place=Widget.spec.tail reason=unknown field resource=com.example.v1alpha1.Widget.spec.tail",
            ),
            Example(
                'Deployment in version "v1" cannot be handled as a Deployment: strict decoding error: unknown field "spec.replica"',
                "object-invalid group=v1 path=spec.replica reason=unknown field resource=Deployment",
            ),
            Example(
                'strict decoding error: unknown field "spec.replica"',
                "object-invalid path=spec.replica reason=unknown field",
            ),
        ),
    ),
    LastWord(
        "object-invalid",
        words(
            r"\b(?P<resource>[A-Z]\w{1,80}(?:\.[a-z0-9.-]{1,200})?) \"(?P<name>[\w.:-]{1,253})\" is invalid: \[?(?P<path>\w[\w.\[\]\"/-]{0,200}?): (?P<reason>\S(?:(?!\",\"reason\").){1,1500})"
            # Server-side apply, which Flux puts the object's kind and name before: sigs.k8s.io/structured-merge-diff typed/validate.go.
            r"|(?:\b(?P<resource_3>[A-Z]\w{1,80})/(?:(?P<namespace_3>[a-z0-9-]{1,63})/)?(?P<name_3>[a-z0-9][a-z0-9.-]{0,252}) dry-run failed.{0,160}?)?"
            r"failed to create typed patch object(?: \((?P<namespace>[a-z0-9-]{0,63})/(?P<name_2>[\w.:-]{1,253}); [\w./-]{1,253}, Kind=(?P<resource_2>[A-Z]\w{1,80})\))?:"
            r"\s{0,4}(?:errors:\s{0,4})?(?P<path_5>\.[\w.\[\]=\"/-]{1,200}): (?P<reason_2>(?:field not declared|expected|duplicate|element|value|index) ?[^\"\n]{1,200})"
            # apimachinery pkg/util/strategicpatch/patch.go: an element without the field by which its list is merged.
            r"|\b(?P<reason_6>map: map\[.{1,600}\] does not contain declared merge key: (?P<path_6>\w{1,60}))"
            # apimachinery pkg/runtime/converter.go, pkg/util/strategicpatch/patch.go; json-iterator and conversion of fields.
            r"|unable to convert unstructured object to [\w./-]{1,253}, Kind=(?P<resource_4>[A-Z]\w{1,80}): (?P<reason_7>cannot convert \w{1,40} to \w{1,40})"
            r"|\b(?P<reason_8>unable to find api field in struct (?P<resource_5>\w{1,80}) for the json field \\?\"(?P<path_7>\w{1,80})\\?\")"
            r"|\berror validating (?:data|\"[^\"]{1,300}\"): |\bstrict decoding error: duplicate field \"(?P<path_2>[^\"]{1,200})\""
            r"|\bunknown field \"(?P<path_3>[^\"]{1,200})\" in [a-z][\w.]{1,200}|\bValidationError\([\w.]{1,200}\): .{0,40}?\"?(?P<path_4>[\w.]{1,120})\"? in |: field is immutable\b"
        ),
        (
            *(
                "is invalid: ",
                "error validating",
                "decoding error",
                "unknown field",
                "ValidationError(",
                "field is immutable",
            ),
            *(
                "failed to create typed patch object",
                "declared merge key",
                "unstructured object",
                "api field in struct",
            ),
        ),
        (
            _ERRORS,
            Seen("kubectl", "1.6–1.34", "staging/src/k8s.io/kubectl/pkg/validation/validation.go"),
            Seen(
                "apimachinery",
                "1.16–1.34",
                "staging/src/k8s.io/apimachinery/pkg/util/managedfields/internal/structuredmerge.go",
            ),
        ),
        (
            Example(
                'The Deployment "web" is invalid: spec.selector: Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"web"}}: field is immutable',
                'object-invalid name=web path=spec.selector reason=Invalid value: v1.LabelSelector{MatchLabels:map[string]string{"app":"web"}}: field is immutable resource=Deployment',
            ),
            Example(
                "failed to create patch: map: map[hostpath:/data name:data] does not contain declared merge key: mountPath",
                "object-invalid path=mountPath reason=map: map[hostpath:/data name:data] does not contain declared merge key: mountPath",
            ),
            Example(
                "failed to get versionedObject: unable to convert unstructured object to apps/v1beta1, Kind=Deployment: cannot convert int64 to string",
                "object-invalid reason=cannot convert int64 to string resource=Deployment",
            ),
            Example(
                'Error: failed to create two-way merge patch: unable to find api field in struct ServiceSpec for the json field "tolerations"',
                'object-invalid path=tolerations reason=unable to find api field in struct ServiceSpec for the json field "tolerations" resource=ServiceSpec',
            ),
            Example(
                'strict decoding error: duplicate field "spec.replica"', "object-invalid path=spec.replica"
            ),
            Example(
                "failed to create typed patch object (shop/web; /v1, Kind=Service): .spec.topologyKeys: field not declared in schema",
                "object-invalid name=web namespace=shop path=.spec.topologyKeys reason=field not declared in schema resource=Service",
            ),
            Example(
                "HelmRelease/shop/web dry-run failed, error: failed to create typed patch object: .spec.forceUpgrade: field not declared in schema",
                "object-invalid name=web namespace=shop path=.spec.forceUpgrade reason=field not declared in schema resource=HelmRelease",
            ),
        ),
    ),
    LastWord(
        "object-forbidden",
        # RBAC's refusals have words of their own.
        words(
            rf"{_FIRST}(?P<resource>{_PLURAL}) \"(?P<name>[\w.:-]{{1,253}})\" is forbidden: (?!User \"[^\"]{{1,300}}\" cannot )(?P<reason>\S(?:(?!\",\"reason\").){{1,600}})"
        ),
        ('" is forbidden: ',),
        (
            _ERRORS,
            Seen(
                "kube-apiserver",
                "1.5–1.34",
                "staging/src/k8s.io/apiserver/pkg/admission/errors.go (NewForbidden)",
            ),
        ),
        (
            Example(
                'persistentvolumeclaims "data" is forbidden: only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize',
                "object-forbidden name=data reason=only dynamically provisioned pvc can be resized and the storageclass that provisions the pvc must support resize resource=persistentvolumeclaims",
            ),
            Example(
                'daemonsets.apps "web" is forbidden: cannot set blockOwnerDeletion if an ownerReference refers to a resource you can\'t set finalizers on: , <nil>',
                "object-forbidden name=web reason=cannot set blockOwnerDeletion if an ownerReference refers to a resource you can't set finalizers on: , <nil> resource=daemonsets.apps",
            ),
        ),
    ),
    LastWord(
        # The object exists, and lacks it.
        "value-absent",
        words(
            r"(?P<reason>\b(?P<resource>key) \"(?P<name>[\w.-]{1,253})\" in (?:secret|configmap|ConfigMap|Secret) \"[a-z0-9./-]{1,320}\" (?:was |is )?not found)"
        ),
        ('" not found', '" was not found', '" is not found'),
        (Seen("Prometheus Operator", "0.20–0.86", "pkg/prometheus/operator.go, pkg/assets/store.go"),),
        (
            Example(
                'creating config failed: secret username key "user" in secret "till-auth" not found',
                'value-absent name=user reason=key "user" in secret "till-auth" not found resource=key',
            ),
            Example(
                'key "ca.crt" in configmap "till-ca" not found',
                'value-absent name=ca.crt reason=key "ca.crt" in configmap "till-ca" not found resource=key',
            ),
        ),
    ),
    LastWord(
        "object-missing",
        # A deletion of a missing object is no trouble, and neither is a container that has not run before.
        words(
            rf"^(?!.{{0,2000}}\b(?:[Dd]elet|previous terminated container)).{{0,2000}}?{_FIRST}(?P<resource>{_PLURAL}) \"(?P<name>{NAME})\" not found\b"
        ),
        ('" not found',),
        (_ERRORS,),
        (
            Example(
                'Error processing "csi-1": failed to detach: persistentvolume "pvc-1" not found',
                "object-missing name=pvc-1 resource=persistentvolume",
            ),
            Example(
                'failed to get issuer: clusterissuers.cert-manager.io "letsencrypt" not found',
                "object-missing name=letsencrypt resource=clusterissuers.cert-manager.io",
            ),
            Example(
                'cannot find it: network-attachment-definitions.k8s.cni.cncf.io "vlan-7" not found',
                "object-missing name=vlan-7 resource=network-attachment-definitions.k8s.cni.cncf.io",
            ),
        ),
    ),
)
