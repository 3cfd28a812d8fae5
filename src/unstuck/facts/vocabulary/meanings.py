"""What each word means, one line in each language: docs/*/vocabulary.md is made of these tables.

A test holds them against the types: a word that nobody explains, or that is explained twice, is red.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Generic, NamedTuple, TypeVar

from unstuck.facts.core import Origin, WhyOpen
from unstuck.facts.text import Text
from unstuck.facts.vocabulary.failures import Operation, RefusalWord, UnreadableWord
from unstuck.facts.vocabulary.stages import EndStage, NamespaceStage, StartStage

W = TypeVar("W")


class WordGroup(NamedTuple, Generic[W]):
    """Words of one area, in the order in which the page shows them."""

    title: Text
    words: Mapping[W, Text]


OPERATIONS: tuple[WordGroup[Operation], ...] = (
    WordGroup(
        Text("Volumes", "卷"),
        MappingProxyType[Operation, Text](
            {
                "volume-provision": Text("create a PersistentVolume for a PVC", "为 PVC 创建 PersistentVolume"),
                "volume-attach": Text("attach a volume to a Node", "将卷挂接到节点"),
                "volume-detach": Text("detach a volume from a Node", "将卷从节点解除挂接"),
                "volume-set-up": Text("mount a volume for a Pod", "为 Pod 挂载卷"),
                "volume-tear-down": Text("unmount a Pod's volume and empty its directory", "卸载 Pod 的卷并清空其目录"),
                "device-unmount": Text("unmount a volume's device from the Node", "从节点卸载卷的设备"),
                "subpath-clean": Text("unmount the subPaths of a volume", "卸载卷的 subPath"),
                "pod-directory-remove": Text("remove the directory of a Pod that is gone", "删除已消失 Pod 的目录"),
            }
        ),
    ),
    WordGroup(
        Text("Images", "镜像"),
        MappingProxyType[Operation, Text](
            {
                "image-pull": Text("pull a container's image", "拉取容器镜像"),
                "image-inspect": Text("look an image up in the runtime's store", "在运行时中查询镜像"),
                "pull-secret-read": Text("read an imagePullSecret", "读取 imagePullSecret"),
                "sandbox-image-pull": Text("pull the sandbox (pause) image", "拉取沙箱（pause）镜像"),
            }
        ),
    ),
    WordGroup(
        Text("Sandboxes and networks", "沙箱与网络"),
        MappingProxyType[Operation, Text](
            {
                "sandbox-create": Text("create a Pod's sandbox", "创建 Pod 沙箱"),
                "sandbox-stop": Text("stop a Pod's sandbox", "停止 Pod 沙箱"),
                "network-set-up": Text("add a Pod to its network (CNI ADD)", "将 Pod 接入网络（CNI ADD）"),
                "network-tear-down": Text("remove a Pod from its network (CNI DEL)", "将 Pod 移出网络（CNI DEL）"),
                "network-ready": Text("have the Node's network plugin ready", "节点的网络插件就绪"),
                "netns-remove": Text("remove a Pod's network namespace", "删除 Pod 的网络命名空间"),
                "pod-address-range": Text("get the Node's range of Pod addresses", "获取节点的 Pod 地址段"),
                "apiserver-reach": Text("reach the API server from a Pod", "从 Pod 访问 API server"),
            }
        ),
    ),
    WordGroup(
        Text("Containers", "容器"),
        MappingProxyType[Operation, Text](
            {
                "container-create": Text("create a container", "创建容器"),
                "container-start": Text("start a container", "启动容器"),
                "container-stop": Text("stop a container", "停止容器"),
                "container-remove": Text("remove a stopped container", "删除已停止的容器"),
                "container-inspect": Text("ask the runtime for a container's status", "向运行时查询容器状态"),
                "rootfs-remove": Text("remove a container's root file system", "删除容器的根文件系统"),
                "snapshot-remove": Text("remove a snapshot from containerd's store", "从 containerd 中删除快照"),
                "exec": Text("run a command in a container", "在容器内执行命令"),
                "post-start": Text("run a postStart hook", "执行 postStart 钩子"),
                "pre-stop": Text("run a preStop hook", "执行 preStop 钩子"),
                "probe-liveness": Text("run a liveness probe", "执行存活探针"),
                "probe-readiness": Text("run a readiness probe", "执行就绪探针"),
                "probe-startup": Text("run a startup probe", "执行启动探针"),
                "program-run": Text("run the container's own program, by its last words", "容器自身程序的运行（依据其最后的输出）"),
                "log-write": Text("write a container's log", "写容器日志"),
                "cgroup-remove": Text("remove a Pod's cgroups", "删除 Pod 的 cgroup"),
                "resources-prepare": Text("prepare a ResourceClaim on the Node", "在节点上准备 ResourceClaim"),
                "resources-unprepare": Text("release a ResourceClaim on the Node", "在节点上释放 ResourceClaim"),
            }
        ),
    ),
    WordGroup(
        Text("Pods at the API server", "API server 上的 Pod"),
        MappingProxyType[Operation, Text](
            {
                "pod-create": Text("create a workload's Pod", "创建工作负载的 Pod"),
                "schedule": Text("find a Node for a Pod", "为 Pod 选择节点"),
                "evict": Text("evict a Pod (kubectl drain)", "驱逐 Pod（kubectl drain）"),
                "status-read": Text("read a Pod's status from the runtime", "从运行时读取 Pod 状态"),
                "status-update": Text("report a Pod's status", "上报 Pod 状态"),
                "status-delete": Text("report that a Pod has ended: the kubelet's final DELETE", "上报 Pod 已结束：kubelet 的最终 DELETE"),
                "sync": Text("bring a Pod to what it should be, with no word of which step", "同步 Pod（未说明哪一步）"),
            }
        ),
    ),
    WordGroup(
        Text("Nodes", "节点"),
        MappingProxyType[Operation, Text](
            {
                "node-ready": Text("be Ready, by the Node's own condition", "节点就绪（依据节点状况）"),
                "node-report": Text("report the Node's state or renew its Lease", "上报节点状态或续期 Lease"),
                "kubelet-start": Text("start the kubelet", "启动 kubelet"),
                "runtime-start": Text("start the container runtime", "启动容器运行时"),
                "runtime-ready": Text("have the container runtime ready", "容器运行时就绪"),
                "endpoint-guess": Text("try sockets of runtimes that may not be there (crictl)", "试探可能不存在的运行时套接字（crictl）"),
                "process-start": Text("start a process on the Node", "在节点上启动进程"),
                "file-open": Text("open a file on the Node", "在节点上打开文件"),
                "watch": Text("watch files by inotify", "用 inotify 监视文件"),
                "module-load": Text("load a kernel module", "加载内核模块"),
                "disk-measure": Text("measure a file system's capacity", "测量文件系统容量"),
                "certificate-check": Text("check a certificate", "校验证书"),
            }
        ),
    ),
)

REFUSALS: Mapping[RefusalWord, Text] = MappingProxyType[RefusalWord, Text](
    {
        "admission-denied": Text("a webhook or policy denied it", "被 webhook 或策略拒绝"),
        "webhook-unreachable": Text("a required webhook did not respond", "必须调用的 webhook 未应答"),
        "invalid": Text("the object as written does not validate", "所写对象未通过校验"),
        "storage-full": Text("etcd takes no more writes", "etcd 不再接受写入"),
    }
)

UNREADABLE: Mapping[UnreadableWord, Text] = MappingProxyType[UnreadableWord, Text](
    {
        "untransformable": Text("encrypted with a key that the API server does not have", "以 API server 没有的密钥加密"),
        "kms-failed": Text("the KMS plugin does not decrypt it", "KMS 插件未能解密"),
        "undecodable": Text("no object of a kind that the API server knows", "不是 API server 认识的对象"),
    }
)

START_STAGES: Mapping[StartStage, Text] = MappingProxyType[StartStage, Text](
    {
        "admitted": Text("the API server has accepted the Pod", "API server 已接受该 Pod"),
        "gates-lifted": Text("no scheduling gate is left", "调度门控均已解除"),
        "scheduled": Text("bound to a Node", "已绑定到节点"),
        "kubelet-accepted": Text("the Node's kubelet has taken it up", "节点的 kubelet 已接管"),
        "devices-and-volumes-prepared": Text("volumes are mounted, devices and claims prepared", "卷已挂载，设备与资源声明已准备"),
        "sandbox-and-network": Text("the sandbox runs and has its network", "沙箱在运行且网络已就绪"),
        "init-done": Text("every init container has succeeded", "init 容器全部成功"),
        "images-pulled": Text("the images are on the Node", "镜像已在节点上"),
        "containers-created": Text("the runtime has created the containers", "运行时已创建容器"),
        "started": Text("the containers run", "容器在运行"),
        "ready": Text("the Pod is Ready", "Pod 已就绪"),
        "stays-up": Text("no container keeps ending", "没有容器反复退出"),
    }
)

END_STAGES: Mapping[EndStage, Text] = MappingProxyType[EndStage, Text](
    {
        "requested": Text("deletion was requested", "已请求删除"),
        "kubelet-saw-it": Text("the Node's kubelet has begun to end the Pod", "节点的 kubelet 已开始终止 Pod"),
        "grace-over": Text("the grace period is over", "宽限期已过"),
        "containers-stopped": Text("no container runs", "容器均已停止"),
        "sandbox-stopped": Text("the sandbox is stopped, its network gone", "沙箱已停止，网络已清除"),
        "phase-reported": Text("the kubelet has reported a final phase", "kubelet 已上报终态"),
        "volumes-unmounted": Text("every volume is unmounted", "卷均已卸载"),
        "cgroup-removed": Text("the Pod's cgroups are gone", "Pod 的 cgroup 已删除"),
        "final-delete": Text("the kubelet has sent its final DELETE", "kubelet 已发出最终 DELETE"),
        "finalizers-cleared": Text("no finalizer is left", "finalizer 均已清除"),
        "gone": Text("the object is gone", "对象已消失"),
    }
)

NAMESPACE_STAGES: Mapping[NamespaceStage, Text] = MappingProxyType[NamespaceStage, Text](
    {
        "discovery-works": Text("the API can be listed completely", "API 可以完整列出"),
        "pods-gone": Text("no Pod is left in it", "其中已没有 Pod"),
        "content-deleted": Text("nothing is left in it but what finalizers hold", "除被 finalizer 保留的对象外已清空"),
        "content-finalizers-cleared": Text("no finalizer holds any of its content", "其中没有对象被 finalizer 保留"),
    }
)

WHY_OPEN: Mapping[WhyOpen, Text] = MappingProxyType[WhyOpen, Text](
    {
        "not-asked": Text("nobody was asked", "未询问"),
        "denied": Text("the question was refused: mostly for want of rights", "被拒绝，多因权限不足"),
        "timeout": Text("no answer in time", "未及时答复"),
        "unreachable": Text("whoever knows the answer could not be reached", "无法访问能够回答者"),
        "too-large": Text("the answer is longer than this program takes", "答复超出本程序可接收的大小"),
        "not-offered": Text("whoever was asked has no such answer", "被询问者不提供该信息"),
    }
)

ORIGINS: Mapping[Origin, Text] = MappingProxyType[Origin, Text](
    {
        "answer": Text("whoever the question went to refused it or failed to answer it", "被询问者拒绝或未能答复"),
        "nobody": Text("this run had nobody to put the question to", "本次运行没有可询问的对象"),
        "scan": Text("a scan of a large cluster does not put the question", "大型集群的扫描不提出该问题"),
    }
)
