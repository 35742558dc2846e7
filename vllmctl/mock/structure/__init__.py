"""Makes texts that satisfy a constraint: a JSON schema, a regex, a choice, a grammar, a tag."""
