"""A Pod asks for 64 CPUs, which no node has."""

from unstuck_lab.faults._wants import more_than_any_node

FAULT = more_than_any_node("big-cpu", "wants-64-cpus", "cpu", "64", "scheduling.insufficient-cpu", "CPU")
