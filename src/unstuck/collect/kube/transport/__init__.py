"""How the API server is reached: kubeconfig, credentials, TLS, connections, and requests that always end."""
