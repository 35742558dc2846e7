"""The command line: no logic, one small file a command."""
