"""How the scheduler places a Pod: its filters, from the objects, with its own words (kube-scheduler 1.34)."""
