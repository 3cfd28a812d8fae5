"""The connection to the API server: kubeconfig, credentials, TLS, sockets, and requests that always end."""
