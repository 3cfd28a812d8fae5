"""Node evidence by way of the API server: from the node's agent, or from a one-shot Pod."""
