"""From events to what a person or a pipe reads."""
