"""Temperature, top-p, top-k, penalties, seed and n."""
