"""Which server gets the request: address, key, headers, timeouts."""
