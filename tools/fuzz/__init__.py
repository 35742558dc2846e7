"""Fuzzers: bytes and words that nobody writes on purpose, for all that reads them.

``python -m tools.fuzz --seconds 60 TARGET``; ``CONTRIBUTING.md`` says more.
"""
