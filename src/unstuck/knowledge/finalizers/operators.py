"""Finalizers of databases, messaging, networks, virtual machines and other operators."""

from __future__ import annotations

from unstuck.knowledge.finalizers.row import KnownFinalizer

ROWS: tuple[KnownFinalizer, ...] = (
    KnownFinalizer(
        "finalizer.acme.cert-manager.io",
        "cert-manager",
        ("the DNS record or route of a challenge", "证书质询用的 DNS 记录或路由"),
        ("that record or route stays behind", "该记录或路由会遗留"),
        "cert-manager/cert-manager pkg/acme",
    ),
    KnownFinalizer(
        "strimzi.io/topic-operator",
        "Strimzi topic operator",
        ("a topic in Kafka", "Kafka 中的主题"),
        ("the topic and its data stay in Kafka, unmanaged", "主题及其数据会留在 Kafka 中，无人管理"),
        "strimzi/strimzi-kafka-operator topic-operator",
    ),
    KnownFinalizer(
        "monitoring.coreos.com/status-cleanup",
        "prometheus-operator",
        ("the status that a Prometheus wrote into its monitors", "Prometheus 写入各监控对象的状态"),
        ("monitors keep a status of a Prometheus that is gone", "监控对象会保留已不存在的 Prometheus 的状态"),
        "prometheus-operator/prometheus-operator pkg/k8sutil",
    ),
    KnownFinalizer(
        "istio-finalizer.install.istio.io",
        "istio-operator",
        ("the control plane that an IstioOperator installed", "IstioOperator 安装的控制平面"),
        ("the control plane stays, unmanaged", "控制平面会遗留，无人管理"),
        "istio/istio operator/pkg/controller (until 1.23)",
    ),
    KnownFinalizer(
        "gateway-exists-finalizer.gateway.networking.k8s.io",
        "the GatewayClass controller",
        ("a GatewayClass that a Gateway still uses", "仍被 Gateway 使用的 GatewayClass"),
        ("the Gateways of this class are no longer reconciled", "该类的 Gateway 将不再被调谐"),
        "kubernetes-sigs/gateway-api apis/v1",
    ),
    KnownFinalizer(
        "finalizers.consul.hashicorp.com",
        "consul-k8s",
        ("a configuration entry in Consul", "Consul 中的配置项"),
        ("the entry stays in Consul", "该配置项会留在 Consul 中"),
        "hashicorp/consul-k8s control-plane",
        elsewhere=True,
    ),
    KnownFinalizer(
        "tigera.io/cni-protector",
        "tigera-operator",
        ("the account that Calico uses to tear down networks", "Calico 用于拆除网络的账户"),
        ("Pods that still go cannot release their network", "仍在删除的 Pod 无法释放网络"),
        "tigera/operator pkg/render",
    ),
    KnownFinalizer(
        "finalizer.keda.sh",
        "keda-operator",
        (
            "the autoscaler of a ScaledObject, and the scale it is set back to",
            "ScaledObject 的自动伸缩器及其要恢复的副本数",
        ),
        (
            "the workload keeps its last scale, and the operator may go on scaling it",
            "工作负载保持最后的副本数，operator 可能继续对其伸缩",
        ),
        "kedacore/keda controllers/keda",
    ),
    KnownFinalizer(
        "kueue.x-k8s.io/managed",
        "kueue-controller-manager",
        ("a Pod's place in its queue's accounting", "Pod 在队列配额中的占用记录"),
        ("the quota that it took may be counted wrongly", "其占用的配额可能被错误统计"),
        "kubernetes-sigs/kueue pkg/controller/jobs/pod",
    ),
    KnownFinalizer(
        "kueue.x-k8s.io/resource-in-use",
        "kueue-controller-manager",
        ("a queue, flavor or workload that is still in use", "仍在使用的队列、flavor 或 Workload"),
        ("quota may be given to what no longer exists", "配额可能被分配给已不存在的对象"),
        "kubernetes-sigs/kueue apis/kueue",
    ),
    KnownFinalizer(
        "kubevirt.io/virtualMachineControllerFinalize",
        "virt-controller",
        ("a virtual machine's running instance", "虚拟机正在运行的实例"),
        ("the machine may run on, unmanaged", "虚拟机可能继续运行，无人管理"),
        "kubevirt/kubevirt staging/src/kubevirt.io/api/core/v1",
    ),
    KnownFinalizer(
        "foregroundDeleteVirtualMachine",
        "virt-controller",
        ("a running virtual machine, which is shut down first", "正在运行的虚拟机，需先关机"),
        ("its process and network may stay on the Node", "其进程与网络可能留在节点上"),
        "kubevirt/kubevirt staging/src/kubevirt.io/api/core/v1",
    ),
    KnownFinalizer(
        "kubevirt.io/foregroundDeleteVirtualMachine",
        "virt-controller",
        ("a running virtual machine, which is shut down first", "正在运行的虚拟机，需先关机"),
        ("its process and network may stay on the Node", "其进程与网络可能留在节点上"),
        "kubevirt/kubevirt pull 15096",
    ),
    KnownFinalizer(
        "deletion.finalizers.rabbitmqclusters.rabbitmq.com",
        "rabbitmq-cluster-operator",
        ("a RabbitMQ cluster's orderly end", "RabbitMQ 集群的有序下线"),
        ("its Pods end without draining their queues", "其 Pod 会在未排空队列的情况下终止"),
        "rabbitmq/cluster-operator controllers",
    ),
    KnownFinalizer(
        "postgres-operator.acid.zalan.do",
        "postgres-operator",
        ("a PostgreSQL cluster's Pods, services and secrets", "PostgreSQL 集群的 Pod、Service 与 Secret"),
        ("they stay, unmanaged", "它们会遗留，无人管理"),
        "zalando/postgres-operator pkg/cluster",
    ),
    KnownFinalizer(
        "postgres-operator.crunchydata.com/finalizer",
        "pgo",
        ("a PostgreSQL cluster's orderly shutdown", "PostgreSQL 集群的有序关闭"),
        ("its instances end without an orderly shutdown", "其实例会在未有序关闭的情况下终止"),
        "CrunchyData/postgres-operator internal/naming",
    ),
    KnownFinalizer(
        "cnpg.io/deleteDatabase",
        "cloudnative-pg",
        ("a database that is dropped with its object", "随对象一起删除的数据库"),
        ("the database stays in PostgreSQL, unmanaged", "数据库会留在 PostgreSQL 中，无人管理"),
        "cloudnative-pg/cloudnative-pg docs, declarative_database_management",
    ),
    KnownFinalizer(
        "percona.com/delete-*",
        "Percona operator",
        (
            "what goes with a database cluster: Pods in order, claims, backups",
            "随数据库集群一起清理的内容：按序删除的 Pod、PVC、备份",
        ),
        ("it stays behind, or members end out of order", "这些内容会遗留，或成员未按序终止"),
        "percona/percona-server-mongodb-operator pkg/naming, percona/percona-xtradb-cluster-operator docs",
    ),
    KnownFinalizer(
        "flinkdeployments.flink.apache.org/finalizer",
        "flink-kubernetes-operator",
        ("a Flink job's orderly end and its savepoint", "Flink 作业的有序结束与 savepoint"),
        ("the job runs on, or ends without a savepoint", "作业会继续运行，或在没有 savepoint 的情况下结束"),
        "apache/flink-kubernetes-operator",
    ),
    KnownFinalizer(
        "ray.io/gcs-ft-redis-cleanup-finalizer",
        "kuberay-operator",
        ("a Ray cluster's state in Redis", "Ray 集群在 Redis 中的状态"),
        ("the state stays in Redis", "状态会留在 Redis 中"),
        "ray-project/kuberay ray-operator/controllers/ray/utils",
    ),
)
