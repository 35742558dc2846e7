"""Rules: a body and a target in, findings out."""
