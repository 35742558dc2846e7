"""vllmctl: craft, check, inspect and send requests to a vLLM server."""

__version__ = "0.1.0"
