"""Profiles: TOML files of named request values and server settings."""
