"""What each word of `Failure.error` means, one line in each language; as `meanings` does it for the other words."""

from __future__ import annotations

from types import MappingProxyType

from unstuck.facts.text import Text
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.facts.vocabulary.meanings import WordGroup

ERRORS: tuple[WordGroup[ErrorWord], ...] = (
    WordGroup(
        Text("The kernel's errors", "内核错误"),
        MappingProxyType[ErrorWord, Text](
            {
                "EACCES": Text("permission denied: by mode bits or a security module", "权限不足：文件权限或安全模块"),
                "EAGAIN": Text(
                    "resource temporarily unavailable: no process or thread can be started", "资源暂不可用：无法再启动进程或线程"
                ),
                "EBUSY": Text("device or resource busy: still mounted or in use", "设备或资源忙：仍被挂载或使用"),
                "EDQUOT": Text("disk quota exceeded", "超出磁盘配额"),
                "EEXIST": Text("file exists", "文件已存在"),
                "EINVAL": Text("invalid argument", "参数无效"),
                "EIO": Text("input/output error", "输入/输出错误"),
                "EMFILE": Text("the process has too many files open", "进程打开的文件过多"),
                "ENFILE": Text("the Node has too many files open", "节点打开的文件过多"),
                "ENOENT": Text("no such file or directory", "文件或目录不存在"),
                "ENOMEM": Text("cannot allocate memory", "无法分配内存"),
                "ENOSPC": Text("no space, or no inodes, left", "空间或 inode 不足"),
                "ENOTCONN": Text("transport endpoint is not connected: a FUSE server has ended", "传输端点未连接：FUSE 服务已退出"),
                "ENOTDIR": Text("not a directory", "不是目录"),
                "ENOTEMPTY": Text("directory not empty", "目录非空"),
                "EPERM": Text("operation not permitted, whatever the mode bits say", "操作不被允许（与文件权限无关）"),
                "EPIPE": Text("broken pipe", "管道破裂"),
                "EROFS": Text("read-only file system", "只读文件系统"),
                "ESTALE": Text("stale file handle: the server no longer knows the file", "文件句柄失效：服务器已不认识该文件"),
            }
        ),
    ),
    WordGroup(
        Text("Connections", "连接"),
        MappingProxyType[ErrorWord, Text](
            {
                "connection-refused": Text("nothing listens at the address (ECONNREFUSED)", "该地址无人监听（ECONNREFUSED）"),
                "connection-cut": Text("the connection was cut while it was used", "连接在使用中被切断"),
                "EHOSTUNREACH": Text(
                    "no route to host: the address is unused, or a firewall says so",
                    "没有到主机的路由：地址未被使用，或由防火墙如此应答",
                ),
                "ENETUNREACH": Text("network is unreachable: the caller has no route there", "网络不可达：调用方没有通往该处的路由"),
                "no-such-host": Text("the name does not resolve, or no name server answers", "域名无法解析，或域名服务器未应答"),
                "timeout": Text("no answer in time", "未及时应答"),
                "deadline-exceeded": Text("the caller stopped waiting; what it waited for is not told", "调用方停止等待；未说明在等什么"),
                "certificate-untrusted": Text("the certificate's issuer is not trusted", "证书颁发者不受信任"),
                "not-yet-valid": Text("the certificate is not valid yet: the Node's clock is behind", "证书尚未生效：节点时钟落后"),
                "outside-its-time": Text("the certificate has expired or is not valid yet", "证书已过期或尚未生效"),
            }
        ),
    ),
    WordGroup(
        Text("Images and registries", "镜像与仓库"),
        MappingProxyType[ErrorWord, Text](
            {
                "plain-http": Text("the registry speaks HTTP where HTTPS was expected", "应为 HTTPS，但镜像仓库使用 HTTP"),
                "server-error": Text("the registry answers 5xx", "镜像仓库应答 5xx"),
                "html-answer": Text("a web page answers in the registry's place", "应答的是网页而非镜像仓库"),
                "no-credentials": Text("the registry wants credentials, the runtime had none", "镜像仓库要求凭据，运行时没有"),
                "credentials-rejected": Text("the registry rejected the credentials", "凭据被镜像仓库拒绝"),
                "unauthorized": Text("no credentials, or rejected ones: the words do not tell which", "无凭据或凭据被拒：未说明是哪一种"),
                "forbidden": Text("known, and not allowed to do this", "身份已确认，但无权执行"),
                "not-found": Text("what is named does not exist", "所引用的对象不存在"),
                "not-found-or-denied": Text(
                    "no such repository, or no access: the registry does not tell which", "仓库不存在或无权访问：未说明"
                ),
                "rate-limited": Text("the registry's pull limit is reached", "达到镜像仓库的拉取限额"),
                "pull-qps": Text("the kubelet's own limit of pulls is reached", "达到 kubelet 自身的拉取限速"),
                "platform-missing": Text("the image has no variant for the Node's platform", "镜像没有适配节点平台的版本"),
                "format-unsupported": Text("the runtime cannot read the image's format", "运行时无法读取该镜像格式"),
                "name-invalid": Text("the image's name does not parse", "镜像名称无法解析"),
                "name-unqualified": Text("the image's name has no registry, and CRI-O wants one", "镜像名称未写仓库，而 CRI-O 要求写明"),
                "never-pulled": Text("pull policy Never, and the image is not on the Node", "拉取策略为 Never，且节点上没有该镜像"),
                "policy-rejected": Text("the Node's image policy does not accept the signature", "节点的镜像策略不接受其签名"),
                "blob-mismatch": Text("a layer has not the size or digest that was promised", "镜像层的大小或摘要与声明不符"),
                "layer-unreadable": Text("a layer cannot be unpacked", "镜像层无法解包"),
                "cut-short": Text("the download ended early", "下载提前结束"),
                "layer-file-missing": Text("a file of the runtime's image store is missing", "运行时镜像存储中缺少文件"),
                "missing": Text("an imagePullSecret cannot be found", "找不到 imagePullSecret"),
            }
        ),
    ),
    WordGroup(
        Text("Objects and admission", "对象与准入"),
        MappingProxyType[ErrorWord, Text](
            {
                "key-missing": Text("the ConfigMap or Secret has no such key", "ConfigMap 或 Secret 中没有该键"),
                "not-registered": Text("the kubelet does not watch this ConfigMap or Secret yet", "kubelet 尚未监视该 ConfigMap 或 Secret"),
                "admission-denied": Text("a webhook or policy denied the write", "写入被 webhook 或策略拒绝"),
                "webhook-unreachable": Text("a required webhook did not respond", "必须调用的 webhook 未应答"),
                "quota-exceeded": Text("over the Namespace's ResourceQuota", "超出 Namespace 的 ResourceQuota"),
                "quota-needs-requests": Text(
                    "the ResourceQuota wants requests or limits to be set", "ResourceQuota 要求设置 requests 或 limits"
                ),
                "limit-range": Text("outside the Namespace's LimitRange", "超出 Namespace 的 LimitRange"),
                "pod-security": Text("against the Namespace's Pod Security level", "不符合 Namespace 的 Pod Security 级别"),
                "security-policy": Text(
                    "no SecurityContextConstraints or PodSecurityPolicy allows it", "没有 SCC 或 PodSecurityPolicy 允许"
                ),
                "identity-mismatch": Text("a Node wrote about another Node", "节点写入了其他节点的对象"),
                "budget-blocked": Text("a PodDisruptionBudget forbids the eviction", "PodDisruptionBudget 不允许驱逐"),
                "storage-full": Text("etcd takes no more writes", "etcd 不再接受写入"),
                "unreadable": Text("an object is stored and cannot be read", "对象已存储但无法读取"),
            }
        ),
    ),
    WordGroup(
        Text("Containers and their programs", "容器与程序"),
        MappingProxyType[ErrorWord, Text](
            {
                "exec-not-found": Text("the program is not in the image", "镜像中没有该程序"),
                "not-executable": Text("the program is not executable", "程序没有可执行权限"),
                "exec-format": Text("the program is of another architecture, or a script without #!", "程序架构不符，或脚本缺少 #!"),
                "no-command": Text("neither the image nor the Pod sets a command", "镜像与 Pod 均未指定命令"),
                "working-directory": Text("the working directory cannot be entered", "无法进入工作目录"),
                "run-as-root": Text("runAsNonRoot, and the image runs as root", "设置了 runAsNonRoot，但镜像以 root 运行"),
                "below-minimum": Text("the memory limit is below the runtime's minimum", "内存限额低于运行时下限"),
                "init-killed": Text("killed for memory before the program began", "程序开始前即因内存不足被杀死"),
                "exit-126": Text("a hook's command exited with 126", "钩子命令以 126 退出"),
                "fatal": Text("the program's own last words", "程序自身的最后输出"),
                "container-stopped": Text("the container is not running", "容器未在运行"),
                "survives-kill": Text("still there after SIGKILL", "SIGKILL 后仍存在"),
                "init-still-running": Text("the container's init process does not end", "容器的 init 进程未结束"),
                "mount-type-mismatch": Text("a file is mounted over a directory, or the reverse", "将文件挂载到目录上，或相反"),
                "mount-not-shared": Text(
                    "a mount does not propagate, as its file system is not shared", "挂载无法传播：所在文件系统不是 shared"
                ),
                "subpath-gone": Text("the prepared subPath is gone", "已准备的 subPath 不存在"),
                "subpath-not-prepared": Text("the kubelet could not prepare a subPath", "kubelet 未能准备 subPath"),
                "rlimit": Text("a limit is set higher than the runtime may", "所设 rlimit 高于运行时的上限"),
                "controller-missing": Text("a cgroup controller is missing", "缺少 cgroup 控制器"),
                "selinux-denied": Text("SELinux denies the label", "SELinux 拒绝该标签"),
                "apparmor-unsupported": Text("the Node has no AppArmor, or not this profile", "节点不支持 AppArmor 或没有该配置"),
                "seccomp-unusable": Text(
                    "the Node does not have this seccomp profile, or cannot read it", "节点没有该 seccomp 配置，或无法读取"
                ),
                "http-status": Text("the probe was answered with an HTTP error", "探针得到 HTTP 错误应答"),
                "killed": Text("the container is restarted for its failing probe", "因探针失败而重启容器"),
                "failed": Text("it failed, in words that are the program's own", "失败，内容为程序自身的输出"),
            }
        ),
    ),
    WordGroup(
        Text("Sandboxes and networks", "沙箱与网络"),
        MappingProxyType[ErrorWord, Text](
            {
                "cni-not-ready": Text("the Node has no network configuration yet", "节点尚无网络配置"),
                "cni-version-refused": Text("a plugin does not support the configuration's cniVersion", "插件不支持配置中的 cniVersion"),
                "plugin-missing": Text("a CNI plugin's program is missing", "缺少 CNI 插件程序"),
                "agent-down": Text("the network's agent on the Node does not answer", "节点上的网络代理未应答"),
                "addresses-exhausted": Text("no Pod address is free", "没有空闲的 Pod 地址"),
                "address-mismatch": Text("a bridge has an address of another range", "网桥的地址属于其他地址段"),
                "pod-cidr-missing": Text("the Node has no range of Pod addresses", "节点没有 Pod 地址段"),
                "service-unreachable": Text("the network's agent cannot reach a Service", "网络代理无法访问 Service"),
                "apiserver-unreachable": Text("a Pod cannot reach the API server", "Pod 无法访问 API server"),
                "name-conflict": Text("an earlier container or sandbox still holds the name", "名称仍被先前的容器或沙箱占用"),
                "handler-missing": Text("the runtime has no such handler (RuntimeClass)", "运行时没有该 handler（RuntimeClass）"),
            }
        ),
    ),
    WordGroup(
        Text("Volumes", "卷"),
        MappingProxyType[ErrorWord, Text](
            {
                "claim-unbound": Text("the PVC is not bound", "PVC 未绑定"),
                "multi-attach": Text("attached to another Node, and may be attached to one only", "已挂接到其他节点，且只能挂接到一个节点"),
                "still-attached": Text("the storage still has it attached elsewhere", "存储侧仍挂接在其他节点"),
                "attachment-deleting": Text("an earlier attachment is still being deleted", "先前的挂接仍在删除中"),
                "detach-unfinished": Text("the storage has not finished an earlier detach", "存储尚未完成先前的解除挂接"),
                "attach-limit": Text("the Node takes no more volumes of this kind", "节点不能再挂接此类卷"),
                "attacher-silent": Text("nobody answers the VolumeAttachment", "没有组件处理 VolumeAttachment"),
                "used-elsewhere": Text("the image is mapped on another Node", "镜像已在其他节点映射"),
                "driver-not-registered": Text("the driver is not registered on the Node", "驱动未在节点注册"),
                "driver-not-answering": Text("the driver's socket does not answer", "驱动的套接字未应答"),
                "call-failed": Text("a CSI or DRA driver returned an error of its own", "CSI 或 DRA 驱动返回自身错误"),
                "data-file-missing": Text("the kubelet's vol_data.json is missing", "缺少 kubelet 的 vol_data.json"),
                "mount-refused": Text("mount failed: one of several reasons", "mount 失败，原因有多种可能"),
                "access-denied": Text("the file server denies access", "文件服务器拒绝访问"),
                "ownership-refused": Text("the file server does not allow the change of ownership", "文件服务器不允许更改属主"),
                "backend-lost": Text("the volume's server is no longer behind the mount", "挂载背后的存储服务已丢失"),
                "option-invalid": Text("a mount option is not known", "挂载选项无效"),
                "protocol-unsupported": Text("the file server does not speak the asked version", "文件服务器不支持所请求的协议版本"),
                "helper-missing": Text("the Node has no mount helper for the file system", "节点缺少该文件系统的挂载工具"),
                "lock-daemon-down": Text("rpc.statd does not run", "rpc.statd 未运行"),
                "fs-unknown": Text("the kernel does not know the file system", "内核不支持该文件系统"),
                "features-unknown": Text("the file system has features that the kernel does not know", "文件系统含内核不支持的特性"),
                "fs-corrupted": Text("the file system is damaged", "文件系统已损坏"),
                "device-claimed": Text("something else has the device, mostly multipath or LVM", "设备被占用，多为 multipath 或 LVM"),
                "host-path-mismatch": Text("the hostPath is not of the type that the Pod asks for", "hostPath 的类型与 Pod 要求不符"),
                "mounted-elsewhere": Text("still mounted in another mount namespace", "仍挂载在其他挂载命名空间中"),
                "volumes-left": Text("directories of volumes are left", "残留卷目录"),
                "volumes-mounted": Text("volumes are still mounted", "卷仍被挂载"),
            }
        ),
    ),
    WordGroup(
        Text("Runtimes and Nodes", "运行时与节点"),
        MappingProxyType[ErrorWord, Text](
            {
                "runtime-gone": Text("nobody answers at the runtime's socket", "运行时套接字无人应答"),
                "start-hangs": Text("dockerd reads its containers back for minutes", "dockerd 启动时长时间恢复容器"),
                "version-mismatch": Text("kubelet and runtime speak different versions of CRI", "kubelet 与运行时的 CRI 版本不一致"),
                "metadata-corrupt": Text("the runtime's metadata names what is not there", "运行时元数据与实际不符"),
                "cgroup-driver-differs": Text("kubelet and runtime use different cgroup drivers", "kubelet 与运行时的 cgroup 驱动不一致"),
                "config-unparsable": Text("the daemon's configuration does not parse or is invalid", "守护进程的配置无法解析或无效"),
                "option-unknown": Text("the daemon does not know a flag that it is started with", "守护进程不认识其启动参数"),
                "swap-on": Text("swap is on, and the kubelet does not allow it", "swap 已开启，而 kubelet 不允许"),
                "watches-exhausted": Text("no inotify watch is free", "inotify watch 已耗尽"),
                "instances-exhausted": Text("no inotify instance is free", "inotify instance 已耗尽"),
                "module-missing": Text("the kernel has no such module", "内核没有该模块"),
                "module-refused": Text("the kernel refuses the module", "内核拒绝加载该模块"),
                "capacity-unread": Text("the capacity reads as zero", "读到的容量为零"),
            }
        ),
    ),
    WordGroup(
        Text("What says no more", "未说明原因"),
        MappingProxyType[ErrorWord, Text](
            {
                "not-ready": Text("not ready, for a reason that is not told", "未就绪，未说明原因"),
                "other": Text("in words that no pattern knows; they are quoted", "没有匹配的模式；引用原文"),
            }
        ),
    ),
)
