"""A cluster of any size on a real etcd and API server, with a truth that is known, and what scanning it costs."""
