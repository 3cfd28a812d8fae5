"""The meaning of each word of `Failure.error`, one line in each language; `meanings` has the other words."""

from __future__ import annotations

from types import MappingProxyType

from unstuck.facts.text import Messages, Text
from unstuck.facts.vocabulary.failures import ErrorWord
from unstuck.facts.vocabulary.meanings import WordGroup

say = Messages(__name__)
ERRORS: tuple[WordGroup[ErrorWord], ...] = (
    WordGroup(
        say("The kernel's errors"),
        MappingProxyType[ErrorWord, Text](
            {
                "EACCES": say("permission denied: by mode bits or a security module"),
                "EAGAIN": say("resource temporarily unavailable: no process or thread can be started"),
                "EBUSY": say("device or resource busy: still mounted or in use"),
                "EDQUOT": say("disk quota exceeded"),
                "EEXIST": say("file exists"),
                "EINVAL": say("invalid argument"),
                "EIO": say("input/output error"),
                "EMFILE": say("the process has too many files open"),
                "ENFILE": say("the Node has too many files open"),
                "ENOENT": say("no such file or directory"),
                "ENOMEM": say("cannot allocate memory"),
                "ENOSPC": say("no space, or no inodes, left"),
                "ENOTCONN": say("transport endpoint is not connected: a FUSE server has ended"),
                "ENOTDIR": say("not a directory"),
                "ENOTEMPTY": say("directory not empty"),
                "EPERM": say("operation not permitted, whatever the mode bits say"),
                "EPIPE": say("broken pipe"),
                "EROFS": say("read-only file system"),
                "ESTALE": say("stale file handle: the server no longer knows the file"),
            }
        ),
    ),
    WordGroup(
        say("Connections"),
        MappingProxyType[ErrorWord, Text](
            {
                "connection-refused": say("nothing listens at the address (ECONNREFUSED)"),
                "address-in-use": say("another process listens at the address (EADDRINUSE)"),
                "connection-cut": say("the connection was cut while it was used"),
                "EHOSTUNREACH": say("no route to host: the address is unused, or a firewall says so"),
                "ENETUNREACH": say("network is unreachable: the caller has no route there"),
                "no-such-host": say("the name does not resolve, or no name server answers"),
                "timeout": say("no answer in time"),
                "tls-expected": say("the server speaks TLS where plain HTTP was expected"),
                "deadline-exceeded": say("the caller stopped waiting; the message does not say for what"),
                "certificate-untrusted": say("the certificate's issuer is not trusted"),
                "not-yet-valid": say("the certificate is not valid yet: the Node's clock is behind"),
                "certificate-expired": say("the kubelet's client certificate has expired"),
                "outside-its-time": say("the certificate has expired or is not valid yet"),
            }
        ),
    ),
    WordGroup(
        say("Images and registries"),
        MappingProxyType[ErrorWord, Text](
            {
                "plain-http": say("the server speaks HTTP where HTTPS was expected"),
                "server-error": say("the registry answers 5xx"),
                "html-answer": say("a web page answers in the registry's place"),
                "no-credentials": say("the registry wants credentials, the runtime had none"),
                "credentials-rejected": say("the registry rejected the credentials"),
                "unauthorized": say("no credentials, or rejected ones: the words do not tell which"),
                "forbidden": say("known, and not allowed to do this"),
                "not-found": say("the named thing does not exist"),
                "not-found-or-denied": say(
                    "no such repository, or no access: the registry does not tell which"
                ),
                "rate-limited": say("the registry's pull limit is reached"),
                "pull-qps": say("the kubelet's own limit of pulls is reached"),
                "platform-missing": say("the image has no variant for the Node's platform"),
                "format-unsupported": say("the runtime cannot read the image's format"),
                "name-invalid": say("the image's name does not parse"),
                "name-unqualified": say("the image's name has no registry, and CRI-O wants one"),
                "never-pulled": say("pull policy Never, and the image is not on the Node"),
                "policy-rejected": say("the Node's image policy does not accept the signature"),
                "blob-mismatch": say("a layer has not the size or digest that was promised"),
                "layer-unreadable": say("a layer cannot be unpacked"),
                "cut-short": say("the download ended early"),
                "layer-file-missing": say("a file of the runtime's image store is missing"),
                "missing": say("an imagePullSecret cannot be found"),
            }
        ),
    ),
    WordGroup(
        say("Objects and admission"),
        MappingProxyType[ErrorWord, Text](
            {
                "key-missing": say("the ConfigMap or Secret has no such key"),
                "not-registered": say("the kubelet does not watch this ConfigMap or Secret yet"),
                "admission-denied": say("a webhook or policy denied the write"),
                "webhook-unreachable": say("a required webhook did not respond"),
                "quota-exceeded": say("over the Namespace's ResourceQuota"),
                "quota-needs-requests": say("the ResourceQuota wants requests or limits to be set"),
                "limit-range": say("outside the Namespace's LimitRange"),
                "pod-security": say("against the Namespace's Pod Security level"),
                "security-policy": say("no SecurityContextConstraints or PodSecurityPolicy allows it"),
                "identity-mismatch": say("a Node wrote about another Node"),
                "budget-blocked": say("a PodDisruptionBudget forbids the eviction"),
                "storage-full": say("etcd takes no more writes"),
                "unreadable": say("an object is stored and cannot be read"),
            }
        ),
    ),
    WordGroup(
        say("Containers and their programs"),
        MappingProxyType[ErrorWord, Text](
            {
                "exec-not-found": say("the program is not in the image"),
                "not-executable": say("the program is not executable"),
                "exec-format": say("the program is of another architecture, or a script without #!"),
                "no-command": say("neither the image nor the Pod sets a command"),
                "working-directory": say("the working directory cannot be entered"),
                "run-as-root": say("runAsNonRoot, and the image runs as root"),
                "below-minimum": say("the memory limit is below the runtime's minimum"),
                "init-killed": say("killed for memory before the program began"),
                "exit-126": say("a hook's command exited with 126"),
                "fatal": say("the program's own last words"),
                "container-stopped": say("the container is not running"),
                "survives-kill": say("still there after SIGKILL"),
                "init-still-running": say("the container's init process does not end"),
                "mount-type-mismatch": say("a file is mounted over a directory, or the reverse"),
                "message-path-unusable": say(
                    "a container's termination message file cannot be mounted where its spec says"
                ),
                "mount-not-shared": say("a mount does not propagate, as its file system is not shared"),
                "subpath-gone": say("the prepared subPath is gone"),
                "subpath-not-prepared": say("the kubelet could not prepare a subPath"),
                "rlimit": say("a limit is set higher than the runtime may"),
                "controller-missing": say("a cgroup controller is missing"),
                "selinux-denied": say("SELinux denies it"),
                "apparmor-unsupported": say("the Node has no AppArmor, or not this profile"),
                "seccomp-unusable": say("the Node does not have this seccomp profile, or cannot read it"),
                "http-status": say("the probe was answered with an HTTP error"),
                "killed": say("the container is restarted for its failing probe"),
                "failed": say("it failed, in words that are the program's own"),
            }
        ),
    ),
    WordGroup(
        say("Sandboxes and networks"),
        MappingProxyType[ErrorWord, Text](
            {
                "cni-not-ready": say("the Node has no network configuration yet"),
                "cni-version-refused": say("a plugin does not support the configuration's cniVersion"),
                "plugin-missing": say("a CNI plugin's program is missing"),
                "agent-down": say("the network's agent on the Node does not answer"),
                "addresses-exhausted": say("no Pod address is free"),
                "address-unassigned": say("the plugin assigned no address, and does not say why"),
                "address-mismatch": say("a bridge has an address of another range"),
                "pod-cidr-missing": say("the Node has no range of Pod addresses"),
                "service-unreachable": say("the network's agent cannot reach a Service"),
                "apiserver-unreachable": say("a Pod cannot reach the API server"),
                "name-conflict": say("an earlier container or sandbox still holds the name"),
                "handler-missing": say("the runtime has no such handler (RuntimeClass)"),
                "runtime-program-missing": say(
                    "the program that the runtime runs containers with is missing"
                ),
            }
        ),
    ),
    WordGroup(
        say("Volumes"),
        MappingProxyType[ErrorWord, Text](
            {
                "claim-unbound": say("the PVC is not bound"),
                "multi-attach": say("attached to another Node, and may be attached to one only"),
                "still-attached": say("the storage still has it attached elsewhere"),
                "attachment-deleting": say("an earlier attachment is still being deleted"),
                "detach-unfinished": say("the storage has not finished an earlier detach"),
                "attach-limit": say("the Node takes no more volumes of this kind"),
                "attacher-silent": say("no controller answers the VolumeAttachment"),
                "used-elsewhere": say("the image is mapped on another Node"),
                "driver-not-registered": say("the driver is not registered on the Node"),
                "driver-not-answering": say("the driver's socket does not answer"),
                "call-failed": say("a CSI or DRA driver returned an error of its own"),
                "data-file-missing": say("the kubelet's vol_data.json is missing"),
                "mount-refused": say("mount failed: one of several reasons"),
                "access-denied": say("the file server denies access"),
                "ownership-refused": say("the file server does not allow the change of ownership"),
                "backend-lost": say("the volume's server is no longer behind the mount"),
                "option-invalid": say("a mount option is not known"),
                "protocol-unsupported": say("the file server does not speak the asked version"),
                "helper-missing": say("the Node has no mount helper for the file system"),
                "lock-daemon-down": say("rpc.statd does not run"),
                "fs-unknown": say("the kernel does not know the file system"),
                "features-unknown": say("the file system has features that the kernel does not know"),
                "fs-corrupted": say("the file system is damaged"),
                "device-claimed": say("something else has the device, mostly multipath or LVM"),
                "host-path-mismatch": say("the hostPath is not of the type that the Pod asks for"),
                "local-path-missing": say("the Node has nothing at a local volume's path"),
                "mounted-elsewhere": say("still mounted in another mount namespace"),
                "volumes-left": say("directories of volumes are left"),
                "volumes-mounted": say("volumes are still mounted"),
            }
        ),
    ),
    WordGroup(
        say("Runtimes and Nodes"),
        MappingProxyType[ErrorWord, Text](
            {
                "runtime-gone": say("no process answers at the runtime's socket"),
                "start-hangs": say("dockerd reads its containers back for minutes"),
                "version-mismatch": say("kubelet and runtime speak different versions of CRI"),
                "metadata-corrupt": say("the runtime's metadata names something that does not exist"),
                "cgroup-driver-differs": say("kubelet and runtime use different cgroup drivers"),
                "config-unparsable": say("the daemon's configuration does not parse or is invalid"),
                "option-unknown": say("the daemon does not know a flag that it is started with"),
                "swap-on": say("swap is on, and the kubelet does not allow it"),
                "manifest-rejected": say("the kubelet does not accept a static Pod's manifest"),
                "checkpoint-refused": say(
                    "a state file of the kubelet fits neither its settings nor the machine"
                ),
                "watches-exhausted": say("no inotify watch is free"),
                "instances-exhausted": say("no inotify instance is free"),
                "module-missing": say("the kernel has no such module"),
                "module-refused": say("the kernel refuses the module"),
                "capacity-unread": say("the capacity reads as zero"),
            }
        ),
    ),
    WordGroup(
        say("What says no more"),
        MappingProxyType[ErrorWord, Text](
            {
                "not-ready": say("not ready, for a reason that is not told"),
                "other": say("in words that no pattern knows; they are quoted"),
            }
        ),
    ),
)
