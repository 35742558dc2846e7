"""Running the tools that a model calls, and the request that tells it their results."""
