"""``vllmctl completion SHELL``: prints the script that makes TAB work."""

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.settings import row
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.exitcodes import ExitCode
from vllmctl.fields.groups import Group

_BASH = r"""
_vllmctl() {
    local IFS=$'\n' line word="${COMP_WORDS[COMP_CWORD]}"
    COMPREPLY=()
    while IFS= read -r line; do
        COMPREPLY+=("${line%%$'\t'*}")
    done < <(vllmctl __complete "${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *= ]] && compopt -o nospace
}
complete -o default -o nosort -F _vllmctl vllmctl
"""

_ZSH = r"""
#compdef vllmctl
_vllmctl() {
    local -a found
    local line
    while IFS= read -r line; do
        found+=("${${line%%$'\t'*}//:/\\:}:${line#*$'\t'}")
    done < <(vllmctl __complete "${(@)words[2,CURRENT]}" 2>/dev/null)
    if (( ${#found} )); then _describe -V 'vllmctl' found; else _files; fi
}
if [[ $funcstack[1] == _vllmctl ]]; then _vllmctl "$@"; else compdef _vllmctl vllmctl; fi
"""

_FISH = r"""
function __vllmctl_complete
    set -l words (commandline -opc)[2..-1] (commandline -ct)
    set -l found (vllmctl __complete $words 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c vllmctl -f -a '(__vllmctl_complete)'
"""

_POWERSHELL = r"""
Register-ArgumentCompleter -Native -CommandName vllmctl -ScriptBlock {
    param($word, $ast, $cursor)
    $words = @($ast.CommandElements | Select-Object -Skip 1 | ForEach-Object { "$_" })
    if ($word -eq '') { $words += '' }
    vllmctl __complete @words 2>$null | ForEach-Object {
        $value, $help = $_ -split "`t", 2
        if (-not $help) { $help = $value }
        $kind = 'ParameterValue'
        [System.Management.Automation.CompletionResult]::new($value, $value, $kind, $help)
    }
}
"""

_SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL}

_PAGE = Page(
    usage="vllmctl completion bash|zsh|fish|powershell",
    summary="Print the script that completes commands, flags, fields and profiles.",
    examples=(
        'eval "$(vllmctl completion bash)"',
        'vllmctl completion zsh > "${fpath[1]}/_vllmctl"',
        "vllmctl completion fish > ~/.config/fish/completions/vllmctl.fish",
    ),
)


def command() -> RequestCommand:
    """Return the command."""
    specs = [row("--help -h", "", "This page", Group.OUTPUT, common=True)]
    return RequestCommand("completion", _PAGE, specs, _run)


def _run(given: Given, env: Environment) -> int:
    shells = given.all("prompt")
    if len(shells) != 1 or shells[0] not in _SCRIPTS:
        raise UsageError(f"name one shell: {', '.join(_SCRIPTS)}", _PAGE.examples[0])
    env.stdout.write(_SCRIPTS[shells[0]].lstrip())
    return ExitCode.DONE
