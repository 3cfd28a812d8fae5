"""What a node's own programs print: mount, df, ps, lsof, crictl, docker, systemctl, dmesg."""
