"""Lint: from files, pipes and profiles to findings, and back to mended bodies."""
