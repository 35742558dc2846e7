"""Whether texts in other languages (regex, grammar, JSON Schema, Jinja) compile on the server.

vLLM gives a constraint to xgrammar, and to llguidance when xgrammar refuses it. Here is
what both refuse, told without either library. What only one of them takes is taken.
"""
