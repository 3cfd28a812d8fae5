"""A Pod of a must-gather, healthy or not, in the form of `oc adm inspect`: sorted keys, managedFields of
three writers, folded lines.
"""

from __future__ import annotations


def make_managed_fields(*paths: str, deep: int = 6) -> str:
    """Return managedFields that own these paths: one key below the other."""
    out = list[str]()
    for path in paths:
        for n, part in enumerate(path.split("/")):
            line = " " * (deep + 2 * n) + f"{part}:"
            if line not in out:
                out.append(line)
        out[-1] += " {{}}"
    return "\n".join(out)


BY_CONTROLLER = make_managed_fields(
    "f:metadata/f:generateName",
    "f:metadata/f:labels/.",
    "f:metadata/f:labels/f:app",
    "f:metadata/f:labels/f:pod-template-hash",
    "f:metadata/f:ownerReferences/.",
    'f:spec/f:containers/k:{{"name":"app"}}/.',
    'f:spec/f:containers/k:{{"name":"app"}}/f:args',
    'f:spec/f:containers/k:{{"name":"app"}}/f:env/.',
    'f:spec/f:containers/k:{{"name":"app"}}/f:image',
    'f:spec/f:containers/k:{{"name":"app"}}/f:imagePullPolicy',
    'f:spec/f:containers/k:{{"name":"app"}}/f:livenessProbe/f:failureThreshold',
    'f:spec/f:containers/k:{{"name":"app"}}/f:livenessProbe/f:httpGet/f:path',
    'f:spec/f:containers/k:{{"name":"app"}}/f:livenessProbe/f:httpGet/f:port',
    'f:spec/f:containers/k:{{"name":"app"}}/f:livenessProbe/f:periodSeconds',
    'f:spec/f:containers/k:{{"name":"app"}}/f:name',
    'f:spec/f:containers/k:{{"name":"app"}}/f:ports/.',
    'f:spec/f:containers/k:{{"name":"app"}}/f:resources/f:requests/f:cpu',
    'f:spec/f:containers/k:{{"name":"app"}}/f:resources/f:requests/f:memory',
    'f:spec/f:containers/k:{{"name":"app"}}/f:terminationMessagePath',
    'f:spec/f:containers/k:{{"name":"app"}}/f:terminationMessagePolicy',
    'f:spec/f:containers/k:{{"name":"app"}}/f:volumeMounts/.',
    "f:spec/f:dnsPolicy",
    "f:spec/f:enableServiceLinks",
    "f:spec/f:restartPolicy",
    "f:spec/f:schedulerName",
    "f:spec/f:securityContext",
    "f:spec/f:serviceAccountName",
    "f:spec/f:terminationGracePeriodSeconds",
    "f:spec/f:volumes/.",
)
_BY_KUBELET = make_managed_fields(
    *(
        f'f:status/f:conditions/k:{{{{"type":"{kind}"}}}}/{part}'
        for kind in ("ContainersReady", "Initialized", "Ready")
        for part in (".", "f:lastProbeTime", "f:lastTransitionTime", "f:status", "f:type")
    ),
    "f:status/f:containerStatuses",
    "f:status/f:hostIP",
    "f:status/f:phase",
    "f:status/f:podIP",
    "f:status/f:podIPs/.",
    "f:status/f:startTime",
)
_BY_NETWORK = make_managed_fields(
    "f:metadata/f:annotations/.", "f:metadata/f:annotations/f:k8s.ovn.org/pod-networks"
)

POD = (
    """\
apiVersion: v1
kind: Pod
metadata:
  annotations:
    k8s.ovn.org/pod-networks: '{{"default":{{"ip_addresses":["10.128.{b}.{a}/23"],
      "ip_address":"10.128.{b}.{a}/23"}}}}'
    k8s.v1.cni.cncf.io/network-status: |-
      [{{
          "name": "ovn-kubernetes",
          "interface": "eth0",
          "ips": [
              "10.128.{b}.{a}"
          ],
          "default": true,
          "dns": {{}}
      }}]
    openshift.io/scc: restricted-v2
    seccomp.security.alpha.kubernetes.io/pod: runtime/default
  creationTimestamp: "2026-11-20T23:50:00Z"
  generateName: {name}-7d9f-
  labels:
    app: {name}
    pod-template-hash: 7d9f
  managedFields:
  - apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1:
"""
    + _BY_NETWORK
    + """
    manager: ovnkube-master
    operation: Update
    time: "2026-11-20T23:50:00Z"
  - apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1:
"""
    + BY_CONTROLLER
    + """
    manager: kube-controller-manager
    operation: Update
    time: "2026-11-20T23:50:00Z"
  - apiVersion: v1
    fieldsType: FieldsV1
    fieldsV1:
"""
    + _BY_KUBELET
    + """
    manager: kubelet
    operation: Update
    subresource: status
    time: "2026-11-20T23:50:{s:02d}Z"
  name: {name}-7d9f-{i:05d}
  namespace: {ns}
  ownerReferences:
  - apiVersion: apps/v1
    blockOwnerDeletion: true
    controller: true
    kind: ReplicaSet
    name: {name}-7d9f
    uid: 00000000-0000-4000-9000-{r:012d}
  resourceVersion: "{i}"
  uid: 00000000-0000-4000-8000-{i:012d}
spec:
  containers:
  - args:
    - --config=/etc/{name}/config.yaml
    - --v=2
    - |
      set -o allexport
      exec /usr/bin/{name} --tls-cert-file=/var/run/secrets/serving-cert/tls.crt
    env:
    - name: LISTEN
      value: 0.0.0.0:8080
    - name: POD_NAME
      valueFrom:
        fieldRef:
          apiVersion: v1
          fieldPath: metadata.name
    - name: HOST_IP
      valueFrom:
        fieldRef:
          apiVersion: v1
          fieldPath: status.hostIP
    image: quay.io/shop/{name}@sha256:{digest}
    imagePullPolicy: IfNotPresent
    livenessProbe:
      failureThreshold: 3
      httpGet:
        path: /healthz
        port: 8080
        scheme: HTTP
      initialDelaySeconds: 10
      periodSeconds: 10
      successThreshold: 1
      timeoutSeconds: 10
    name: app
    ports:
    - containerPort: 8080
      name: metrics
      protocol: TCP
    readinessProbe:
      failureThreshold: 3
      httpGet:
        path: /readyz
        port: 8080
        scheme: HTTP
      periodSeconds: 10
      successThreshold: 1
      timeoutSeconds: 1
    resources:
      requests:
        cpu: 10m
        memory: 64Mi
    securityContext:
      allowPrivilegeEscalation: false
      capabilities:
        drop:
        - ALL
      runAsNonRoot: true
      runAsUser: 1000650000
    terminationMessagePath: /dev/termination-log
    terminationMessagePolicy: FallbackToLogsOnError
    volumeMounts:
    - mountPath: /etc/{name}
      name: config
    - mountPath: /var/run/secrets/kubernetes.io/serviceaccount
      name: kube-api-access-{v}
      readOnly: true
  dnsPolicy: ClusterFirst
  enableServiceLinks: true
  imagePullSecrets:
  - name: default-dockercfg-x2l5d
  nodeName: node-{n}
  preemptionPolicy: PreemptLowerPriority
  priority: 0
  restartPolicy: Always
  schedulerName: default-scheduler
  securityContext:
    fsGroup: 1000650000
    seLinuxOptions:
      level: s0:c26,c0
    seccompProfile:
      type: RuntimeDefault
  serviceAccount: default
  serviceAccountName: default
  terminationGracePeriodSeconds: 30
  tolerations:
  - effect: NoExecute
    key: node.kubernetes.io/not-ready
    operator: Exists
    tolerationSeconds: 300
  - effect: NoExecute
    key: node.kubernetes.io/unreachable
    operator: Exists
    tolerationSeconds: 300
  - effect: NoSchedule
    key: node.kubernetes.io/memory-pressure
    operator: Exists
  volumes:
  - configMap:
      defaultMode: 420
      name: {name}-config
    name: config
  - name: kube-api-access-{v}
    projected:
      defaultMode: 420
      sources:
      - serviceAccountToken:
          expirationSeconds: 3607
          path: token
      - configMap:
          items:
          - key: ca.crt
            path: ca.crt
          name: kube-root-ca.crt
      - downwardAPI:
          items:
          - fieldRef:
              apiVersion: v1
              fieldPath: metadata.namespace
            path: namespace
      - configMap:
          items:
          - key: service-ca.crt
            path: service-ca.crt
          name: openshift-service-ca.crt
status:
  conditions:
  - lastProbeTime: null
    lastTransitionTime: "2026-11-20T23:50:{s:02d}Z"
    status: "True"
    type: PodReadyToStartContainers
  - lastProbeTime: null
    lastTransitionTime: "2026-11-20T23:50:00Z"
    status: "True"
    type: Initialized
  - lastProbeTime: null
    lastTransitionTime: "2026-11-20T23:50:{s:02d}Z"
{up}    type: Ready
  - lastProbeTime: null
    lastTransitionTime: "2026-11-20T23:50:{s:02d}Z"
{up}    type: ContainersReady
  - lastProbeTime: null
    lastTransitionTime: "2026-11-20T23:50:00Z"
    status: "True"
    type: PodScheduled
  containerStatuses:
  - containerID: cri-o://{digest}
    image: quay.io/shop/{name}@sha256:{digest}
    imageID: quay.io/shop/{name}@sha256:{digest}
    lastState: {{}}
    name: app
{state}  hostIP: 10.0.0.{n}
  phase: {phase}
  podIP: 10.128.{b}.{a}
  podIPs:
  - ip: 10.128.{b}.{a}
  qosClass: Burstable
  startTime: "2026-11-20T23:50:00Z"
"""
)
UP = '    status: "True"\n'
DOWN = """\
    message: 'containers with unready status: [app]'
    reason: ContainersNotReady
    status: "False"
"""
RUNS = """\
    ready: true
    restartCount: 0
    started: true
    state:
      running:
        startedAt: "2026-11-20T23:50:05Z"
"""
WAITS = """\
    ready: false
    restartCount: 0
    started: false
    state:
      waiting:
        message: 'Back-off pulling image "quay.io/shop/gone": ErrImagePull: initializing source
          docker://quay.io/shop/gone:latest: reading manifest latest in quay.io/shop/gone: unauthorized:
          access to the requested resource is not authorized'
        reason: ImagePullBackOff
"""
