"""The output of a node's own programs: mount, df, ps, lsof, crictl, docker, systemctl, dmesg."""
