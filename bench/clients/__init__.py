"""Programs that are measured, each run as a script."""
