"""A cluster of any size on a real etcd and API server, with a known truth, and the cost of scanning it."""
