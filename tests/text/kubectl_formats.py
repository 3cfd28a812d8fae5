"""kubectl's output in pastes, in forms difficult for a reader."""

from __future__ import annotations

KUBECTL: dict[str, str] = {
    "fragment-lost": """\
  hostIP: 192.0.2.7
  message: Node node-1 which was running pod
    web-0 is unresponsive
  phase: Running
  qosClass: BestEffort
  reason: NodeLost
""",
    "fragment-shifted": """\
  conditions:
  - type: NamespaceContentRemaining
  status: "True"
    reason: SomeResourcesRemain
   message: 'Some resources are remaining: vanes.example.com has 2 resource instances'
  - type: NamespaceDeletionDiscoveryFailure
    status: "False"
     reason: ResourcesDiscovered
  - lastTransitionTime: "2026-11-20T18:41:31Z"
  phase: Terminating
""",
    "fragment": """\
status:
  phase: Terminating
  conditions:
    - type: NamespaceDeletionDiscoveryFailure
      status: 'True'
      lastTransitionTime: '2026-11-20T18:41:31Z'
      reason: DiscoveryFailed
      message: >-
        Discovery failed for some groups, 1 failing: unable to retrieve the
        complete list of server APIs: allocation.agones.dev/v1: stale
        GroupVersion discovery: allocation.agones.dev/v1
""",
    "fragment-json": """\
    "lastState": {
      "terminated": {
        "exitCode": 137,
        "reason": "Error",
        "finishedAt": "2026-11-21T00:05:31Z"
      }
    },
    "name": "web",
    "ready": false
""",
    "condition": """\
    lastTransitionTime: "2026-11-21T00:05:31Z"
    message: '0/3 nodes are available: 1 Insufficient cpu. preemption: 0/3 nodes are
      available: 3 No preemption victims found for incoming pod..'
    reason: Unschedulable
    status: "False"
""",
    "describe-failed": """\
Status:       Failed
Reason:       Evicted
Message:      The node was low on resource: memory. Container c was using 30332Ki, which exceeds its request of 0. \x20
""",
    "table-empty-cells": """\
root@915966-utility:~# kubectl get pvc -n shop
NAME                  STATUS    VOLUME        CAPACITY   ACCESS MODES   STORAGECLASS   AGE
storage-mariadb-0     Bound     pvc-2d53630   1Gi        RWO            local-path     48d
dnsmasq-ironic        Pending                                           standard       18m
""",
    "table-wrapped": """\
PS C:\\Users\\x> kubectl get pods -n shop -o wide --show-labels
NAME      READY     STATUS    RESTARTS   AGE       IP            NODE     NOMINATED NO
DE   READINESS GATES   LABELS
web-0     0/1       Pending   0          5m        <none>        n-1      <none>     \x20
     <none>            app=web,tier=a
web-1     0/1       Terminating   0          5m        <none>        n-1      <none>            <none>            app=web,tier=a
""",
    "table-custom": """\
$ kubectl get pods -A -o custom-columns=NS:.metadata.namespace,WHO:.metadata.name,ON:.spec.nodeName
NS     WHO     ON
shop   web-0   n-1
""",
    "table-foreign": """\
$ kubectl get certificates.cert-manager.io -A
NAMESPACE   NAME    READY   SECRET   AGE
a           b       True    s        5m
""",
    "table-headless": """\
someone@laptop:~/> kubectl get volumeattachment
csi-1bfa8db5e1f97f   driver.example.io   pvc-2a9e29c5   n-1   true       31m
""",
    "describe-pv": """\
Name:            pvc-2a9e29c5
Labels:          <none>
Annotations:     pv.kubernetes.io/provisioned-by: driver.example.io
Finalizers:      [kubernetes.io/pv-protection external-attacher/driver-example-io]
StorageClass:    fast
Status:          Terminating (lasts 5m)
Claim:           shop/data-web-0
Reclaim Policy:  Delete
Access Modes:    RWO
VolumeMode:      Filesystem
Capacity:        1Gi
Message:
Source:
    Type:              CSI (a Container Storage Interface (CSI) volume source)
    Driver:            driver.example.io
    VolumeHandle:      pvc-2a9e29c5
Events:                <none>
""",
    "describe-deployment": """\
Name:                   web
Namespace:              shop
CreationTimestamp:      Sat, 21 Nov 2026 00:00:01 +0000
Labels:                 app=web
Selector:               app=web
Replicas:               3 desired | 2 updated | 4 total | 1 available | 3 unavailable
StrategyType:           RollingUpdate
Conditions:
  Type           Status  Reason
  ----           ------  ------
  Available      False   MinimumReplicasUnavailable
  Progressing    False   ProgressDeadlineExceeded
OldReplicaSets:  web-1 (2/2 replicas created)
NewReplicaSet:   web-2 (2/2 replicas created)
Events:          <none>
""",
    "describe-daemonset": """\
Name:           agent
Selector:       app=agent
Node-Selector:  <none>
Labels:         app=agent
Desired Number of Nodes Scheduled: 3
Current Number of Nodes Scheduled: 2
Number of Nodes Scheduled with Up-to-date Pods: 2
Number of Nodes Scheduled with Available Pods: 1
Number of Nodes Misscheduled: 0
Pods Status:  1 Running / 1 Waiting / 0 Succeeded / 0 Failed
Events:       <none>
""",
    "describe-job": """\
Name:             import
Namespace:        shop
Selector:         controller-uid=1
Labels:           job-name=import
Parallelism:      1
Completions:      1
Pods Statuses:    1 Active (0 Ready) / 0 Succeeded / 2 Failed
Events:           <none>
""",
    "describe-node": """\
Name:               node-1
Roles:              worker
Labels:             kubernetes.io/hostname=node-1
Annotations:        node.alpha.kubernetes.io/ttl: 0
CreationTimestamp:  Fri, 20 Nov 2026 00:00:01 +0000
Taints:             node.kubernetes.io/unreachable:NoExecute
                    node.kubernetes.io/unreachable:NoSchedule
Unschedulable:      false
Lease:
  HolderIdentity:  node-1
  AcquireTime:     <unset>
  RenewTime:       Fri, 20 Nov 2026 23:50:01 +0000
Conditions:
  Type             Status    LastHeartbeatTime                 LastTransitionTime                Reason              Message
  ----             ------    -----------------                 ------------------                ------              -------
  MemoryPressure   Unknown   Fri, 20 Nov 2026 23:49:01 +0000   Fri, 20 Nov 2026 23:51:01 +0000   NodeStatusUnknown   Kubelet stopped posting node status.
  Ready            Unknown   Fri, 20 Nov 2026 23:49:01 +0000   Fri, 20 Nov 2026 23:51:01 +0000   NodeStatusUnknown   Kubelet stopped posting node status.
Addresses:
  InternalIP:  192.0.2.7
  Hostname:    node-1
Capacity:
  cpu:     4
  memory:  8Gi
  pods:    110
Allocatable:
  cpu:     4
  memory:  7Gi
  pods:    110
System Info:
  Kernel Version:             5.14.0-427.el9.x86_64
  OS Image:                   Rocky Linux 9.4 (Blue Onyx)
  Container Runtime Version:  containerd://1.7.20
  Kubelet Version:            v1.30.4
PodCIDR:                      10.244.1.0/24
Non-terminated Pods:          (1 in total)
  Namespace  Name   CPU Requests  CPU Limits  Memory Requests  Memory Limits  Age
  ---------  ----   ------------  ----------  ---------------  -------------  ---
  shop       web-0  100m (2%)     0 (0%)      0 (0%)           0 (0%)         5m
Events:                       <none>
""",
    "describe-custom": """Name:         vane-1
Namespace:    shop
Labels:       <none>
Annotations:  <none>
API Version:  example.com/v1
Kind:         Vane
Metadata:
  Creation Timestamp:             2026-11-20T00:00:01Z
  Deletion Grace Period Seconds:  0
  Deletion Timestamp:             2026-11-20T23:50:01Z
  Finalizers:
    vanes.example.com/cleanup
  Generation:  2
Spec:
  Direction:  north
Events:       <none>
""",
    "describe-service": """\
Name:              web
Namespace:         shop
Labels:            app=web
Selector:          app=web
Type:              ClusterIP
IP Families:       IPv4
Endpoints:         <none>
Session Affinity:  None
Events:            <none>
""",
}
