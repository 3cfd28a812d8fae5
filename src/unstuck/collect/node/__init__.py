"""Facts from a node: processes, mounts, cgroups, files, logs. Read passively, in children with deadlines,
standard library only.
"""

from unstuck.collect.node.collector import NodeCollector

__all__ = ["NodeCollector"]
