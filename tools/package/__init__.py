"""Build the release, and try it where nothing else is installed: ``python -m tools.package``."""
