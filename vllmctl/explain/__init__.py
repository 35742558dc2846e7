"""Everything known of a name: from facts and faces to an explanation, a table, a schema."""
