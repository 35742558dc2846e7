"""The commands: where each is made, and its line of help. Data only, so that it costs nothing."""

COMMANDS = {
    "chat": ("vllmctl.cli.chat", "Send a chat request"),
    "complete": ("vllmctl.cli.complete", "Send a text completion request"),
    "explain": ("vllmctl.cli.explain", "Say what a field, rule, flag or foreign name means"),
    "fields": ("vllmctl.cli.fields", "List an endpoint's fields; compare releases; JSON Schema"),
    "lint": ("vllmctl.cli.lint", "Check requests, batch files and profiles; mend them"),
    "mock": ("vllmctl.cli.mock", "Serve a vLLM stand-in on this machine"),
    "profiles": ("vllmctl.cli.profiles", "List, show, check, save and edit profiles"),
    "completion": ("vllmctl.cli.completion", "Print the script that makes TAB work"),
}
"""By name: a module with ``command()``, and what ``vllmctl --help`` says."""

GROUPS = {
    "profiles": {
        "list": ("vllmctl.cli.profiles.list", "List all profiles"),
        "show": ("vllmctl.cli.profiles.show", "Show a profile"),
        "save": ("vllmctl.cli.profiles.save", "Save flags as a profile"),
        "edit": ("vllmctl.cli.profiles.edit", "Open a profile in your editor"),
        "check": ("vllmctl.cli.profiles.check", "Check names, types and limits"),
        "path": ("vllmctl.cli.profiles.path", "Print a profile's file"),
        "rm": ("vllmctl.cli.profiles.rm", "Remove a profile"),
        "trust": ("vllmctl.cli.profiles.trust", "Trust a project's file"),
    }
}
"""Commands with commands of their own, which Typer finds; the same of each of these."""
