"""From argv, stdin, files and profiles to a body in which every value knows its source."""
