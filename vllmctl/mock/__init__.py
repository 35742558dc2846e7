"""A vLLM stand-in: answers, refuses and alters requests as the real server does."""
