"""Reads vLLM's released sources and keeps the project's catalogue in step with them.

Nothing of vLLM is imported or run: its sources are read as text, and as Python's own
syntax trees. ``python -m tools.catalogue --help`` tells the rest.
"""
