"""Facts about vLLM's requests: which endpoint had which field in which release."""
