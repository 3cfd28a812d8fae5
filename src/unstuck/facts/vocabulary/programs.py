"""Why a program could not go on, as one word of what it wrote last (`Complaint.error`)."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Literal

from unstuck.facts.text import Text

ProgramError = Literal[
    "address-in-use",
    "api-not-served",
    "certificate-expired",
    "certificate-untrusted",
    "command-not-found",
    "config-unparsable",
    "connection-refused",
    "connection-timed-out",
    "crashed",
    "credentials-refused",
    "file-missing",
    "forbidden",
    "format-refused",
    "library-missing",
    "memory-exhausted",
    "name-unresolved",
    "no-space",
    "option-unknown",
    "path-is-directory",
    "permission-denied",
    "read-only",
    "thread-refused",
    "variable-missing",
    "waits",
]

PROGRAMS: Mapping[ProgramError, Text] = MappingProxyType[ProgramError, Text](
    {
        "address-in-use": Text("another process listens on this address and port", "该地址和端口已有其他进程监听"),
        "api-not-served": Text("the API server does not serve this kind in this version", "API server 不提供该版本的这种资源"),
        "certificate-expired": Text("the server's certificate is outside of its time", "对端证书不在有效期内"),
        "certificate-untrusted": Text(
            "the server's certificate is of an unknown authority, or for another name", "对端证书的签发者未知，或证书属于另一个名称"
        ),
        "command-not-found": Text("a command that it runs is not there", "它要运行的命令不存在"),
        "config-unparsable": Text("its configuration cannot be parsed", "其配置无法解析"),
        "connection-refused": Text("nobody listens where it connects to", "它所连接的地址无人监听"),
        "connection-timed-out": Text("no answer, or no way, to where it connects to", "它所连接的地址没有应答，或没有路由"),
        "crashed": Text("a panic, an exception that nobody caught, or a segmentation fault", "panic、未捕获的异常或段错误"),
        "credentials-refused": Text("a server refuses its login", "对端拒绝其登录"),
        "file-missing": Text("a file is not there", "文件不存在"),
        "forbidden": Text("RBAC does not allow it a request to the API server", "RBAC 不允许它对 API server 的某个请求"),
        "format-refused": Text("a file is no program for this machine", "文件不是此机器能执行的程序"),
        "library-missing": Text("a library, module or class is not there, or too old", "库、模块或类不存在，或版本过旧"),
        "memory-exhausted": Text("its runtime gives it no more memory", "其运行时不再给它内存"),
        "name-unresolved": Text("a host name has no address", "主机名没有地址"),
        "no-space": Text("no space left where it writes", "它写入的地方没有剩余空间"),
        "option-unknown": Text("an option or subcommand that it does not know", "它不认识的选项或子命令"),
        "path-is-directory": Text("a directory where it expects a file", "它需要文件的地方是一个目录"),
        "permission-denied": Text("the kernel does not allow it what it tries", "内核不允许它所做的操作"),
        "read-only": Text("it writes to a read-only file system", "它写入只读文件系统"),
        "thread-refused": Text("no further process or thread can be started", "无法再启动进程或线程"),
        "variable-missing": Text("an environment variable or setting is missing", "缺少环境变量或设置"),
        "waits": Text("it waits for somebody else", "它在等待其他服务"),
    }
)
