"""Further contents of a must-gather, in the form of `oc adm inspect`; lists contain the same texts with two
blanks before each line.
"""

from __future__ import annotations

from benchmarks.mustgather_pods import BY_CONTROLLER

EVENT = """\
apiVersion: v1
count: {count}
eventTime: null
firstTimestamp: "2026-11-20T23:50:01Z"
involvedObject:
  apiVersion: v1
  fieldPath: spec.containers{{app}}
  kind: Pod
  name: {name}-7d9f-{i:05d}
  namespace: {ns}
  resourceVersion: "{i}"
  uid: 00000000-0000-4000-8000-{i:012d}
kind: Event
lastTimestamp: "2026-11-20T23:50:{s:02d}Z"
{what}metadata:
  creationTimestamp: "2026-11-20T23:50:01Z"
  name: {name}-7d9f-{i:05d}.{e:x}
  namespace: {ns}
  resourceVersion: "{e}"
  uid: 00000000-0000-4000-a000-{e:012d}
reason: {reason}
reportingComponent: kubelet
reportingInstance: node-{n}
source:
  component: kubelet
  host: node-{n}
type: {type}
"""
# Rows of count, message, reason and type.
STARTED = (
    (1, "message: Created container app\n", "Created", "Normal"),
    (
        1,
        (
            'message: \'Successfully pulled image "quay.io/shop/app" in 1.204s (1.204s including\n  '
            "waiting). Image size: 412341234 bytes.'\n"
        ),
        "Pulled",
        "Normal",
    ),
)
UNAUTHORIZED = (
    (
        12,
        'message: \'Failed to pull image "quay.io/shop/gone": initializing source '
        "docker://quay.io/shop/gone:latest:\n"
        "  reading manifest latest in quay.io/shop/gone: unauthorized: access to the requested resource\n  "
        "is not authorized'\n",
        "Failed",
        "Warning",
    ),
)
REPLICA_SET = (
    """\
apiVersion: apps/v1
kind: ReplicaSet
metadata:
  annotations:
    deployment.kubernetes.io/desired-replicas: "{many}"
    deployment.kubernetes.io/revision: "1"
  creationTimestamp: "2026-11-20T23:50:00Z"
  generation: 1
  labels:
    app: {name}
    pod-template-hash: 7d9f
  managedFields:
  - apiVersion: apps/v1
    fieldsType: FieldsV1
    fieldsV1:
"""
    + BY_CONTROLLER
    + """
    manager: kube-controller-manager
    operation: Update
    time: "2026-11-20T23:50:00Z"
  name: {name}-7d9f
  namespace: {ns}
  resourceVersion: "{r}"
  uid: 00000000-0000-4000-9000-{r:012d}
spec:
  replicas: {many}
  selector:
    matchLabels:
      app: {name}
      pod-template-hash: 7d9f
  template:
    metadata:
      creationTimestamp: null
      labels:
        app: {name}
        pod-template-hash: 7d9f
    spec:
      containers:
      - image: quay.io/shop/{name}:1
        imagePullPolicy: IfNotPresent
        name: app
        resources: {{}}
      restartPolicy: Always
status:
  availableReplicas: {many}
  fullyLabeledReplicas: {many}
  observedGeneration: 1
  readyReplicas: {many}
  replicas: {many}
"""
)
_PROPERTY = """\
            field{n:03d}:
              description: |-
                Field{n:03d} is one of those that a schema describes at length, so that
                whoever asks for an explanation gets one.
              properties:
                key:
                  description: 'The key to select. It must be a valid one: what it is
                    stands elsewhere.'
                  type: string
                optional:
                  type: boolean
              required:
              - key
              type: object
"""
DEFINITION = (
    """\
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  creationTimestamp: "2026-11-01T00:00:00Z"
  generation: 1
  name: things{c}.example.com
  resourceVersion: "{c}"
  uid: 00000000-0000-4000-b000-{c:012d}
spec:
  conversion:
    strategy: None
  group: example.com
  names:
    kind: Thing{c}
    listKind: Thing{c}List
    plural: things{c}
    singular: thing{c}
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        properties:
          apiVersion:
            type: string
          kind:
            type: string
          metadata:
            type: object
"""
    + "".join(_PROPERTY.format(n=n) for n in range(250))
    + """\
        type: object
    served: true
    storage: true
status:
  acceptedNames:
    kind: Thing{c}
    listKind: Thing{c}List
    plural: things{c}
    singular: thing{c}
  conditions:
  - lastTransitionTime: "2026-11-01T00:00:00Z"
    message: no conflicts found
    reason: NoConflicts
    status: "True"
    type: NamesAccepted
  - lastTransitionTime: "2026-11-01T00:00:00Z"
    message: the initial names have been accepted
    reason: InitialNamesAccepted
    status: "True"
    type: Established
  storedVersions:
  - v1
"""
)
CONFIG_MAP = """\
apiVersion: v1
data:
  config.yaml: |
    listen: 0.0.0.0:8080
    log:
      level: info
    # kept for older clients
    compatible: true
  script.sh: "#!/bin/bash\\n\\nset -euo pipefail\\n\\nfor f in /etc/config/*; do\\n\\tcp
    \\"$f\\" /run/config/\\ndone\\nexec /usr/bin/app --config=/run/config/config.yaml\\n"
kind: ConfigMap
metadata:
  creationTimestamp: "2026-11-20T23:40:00Z"
  name: {name}-config
  namespace: {ns}
  resourceVersion: "{r}"
  uid: 00000000-0000-4000-c000-{r:012d}
"""


def format_list(kind: str, version: str, items: list[str]) -> str:
    """Return the texts as a list in the form of `oc adm inspect`."""
    body = "".join("- " + item.replace("\n", "\n  ").rstrip(" ") for item in items)
    return (
        f"---\napiVersion: {version}\nitems:\n{body}kind: {kind}List\nmetadata:\n  resourceVersion: "
        '"123456"\n'
    )
