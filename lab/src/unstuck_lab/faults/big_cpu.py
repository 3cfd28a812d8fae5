"""A Pod asks for 64 CPUs, which no node has."""

from unstuck_lab.faults._wants import make_oversized_fault

FAULT = make_oversized_fault("big-cpu", "wants-64-cpus", "cpu", "64", "scheduling.insufficient-cpu", "CPU")
