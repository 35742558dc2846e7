"""Refuses requests as the real server does: in its order and its words."""
