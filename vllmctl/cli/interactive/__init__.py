"""``vllmctl chat --interactive``: a conversation turn by turn."""
