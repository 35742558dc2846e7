"""How fast vllmctl is, side by side with other programs in one run: ``python -m bench``."""
