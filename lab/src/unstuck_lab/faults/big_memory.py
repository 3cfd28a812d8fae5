"""A Pod asks for 8 TiB of memory, which no node has."""

from unstuck_lab.faults._wants import more_than_any_node

FAULT = more_than_any_node(
    "big-memory", "wants-8-tebibytes", "memory", "8Ti", "scheduling.insufficient-memory", "memory"
)
