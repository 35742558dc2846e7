"""The faces of the fields: group, short flags, one line of help, an example."""
