"""Talking to the server: connections, the stream of events, and what went wrong."""
