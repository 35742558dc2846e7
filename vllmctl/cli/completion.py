"""``vllmctl completion SHELL``: prints the script that makes TAB work."""

from vllmctl.cli.command import RequestCommand
from vllmctl.cli.given import Given
from vllmctl.cli.page import Page
from vllmctl.cli.settings import HELP
from vllmctl.env import Environment
from vllmctl.errors import UsageError
from vllmctl.exitcodes import ExitCode

_BASH = r"""
_vllmctl() {
    local IFS=$'\n' rest="${COMP_LINE:0:COMP_POINT}" part gap cut='' quote='' breaks place
    local -a words=()
    # bash parts words at = and : as well; what no space parts is one word here
    for ((place = 0; place <= COMP_CWORD; place++)); do
        gap="${rest%%[![:space:]]*}"
        rest="${rest:${#gap}}"
        part="${COMP_WORDS[place]}"
        ((place == COMP_CWORD)) && part="$rest"
        if [[ -n $gap || $place -eq 0 ]]; then words+=(''); fi
        words[${#words[@]} - 1]+="$part"
        rest="${rest:${#part}}"
    done
    part="${words[${#words[@]} - 1]}"
    [[ $part == [\"\']* ]] && quote="${part:0:1}"
    part="${part#"$quote"}"
    words[${#words[@]} - 1]="$part"
    # and of the last word it replaces only what comes behind the last of them
    breaks="${COMP_WORDBREAKS//[^=:]/}"
    [[ -n $breaks && -z $quote ]] && cut="${part%"${part##*["$breaks"]}"}"
    COMPREPLY=()
    while IFS= read -r part; do
        part="${part%%$'\t'*}"
        part="${part#"$cut"}"
        [[ -n $quote ]] || printf -v part %q "$part"
        COMPREPLY+=("$part")
    done < <(vllmctl __complete "${words[@]:1}" 2>/dev/null)
    [[ ${#COMPREPLY[@]} -eq 1 && ${COMPREPLY[0]} == *[=/] ]] && compopt -o nospace 2>/dev/null
}
complete -o default -o nosort -F _vllmctl vllmctl 2>/dev/null ||
    complete -o default -F _vllmctl vllmctl
"""

_ZSH = r"""
#compdef vllmctl
_vllmctl() {
    local -a found open asked
    local line value
    asked=("${(@Q)words[2,CURRENT-1]}" "${words[CURRENT]#[\"\']}")
    while IFS= read -r line; do
        value="${line%%$'\t'*}"
        if [[ $value == *[=/] ]]; then
            open+=("${value//:/\\:}:${line#*$'\t'}")
        else
            found+=("${value//:/\\:}:${line#*$'\t'}")
        fi
    done < <(vllmctl __complete "${asked[@]}" 2>/dev/null)
    if (( ${#found} + ${#open} == 0 )); then _files; return; fi
    _describe -V 'vllmctl' found -- open -S ''
}
if [[ $funcstack[1] == _vllmctl ]]; then _vllmctl "$@"; else compdef _vllmctl vllmctl; fi
"""

_FISH = r"""
function __vllmctl_complete
    set -l words (commandline -opc)[2..-1]
    set -a words (commandline -ct | string replace -r '^["\']' '')
    set -l found (vllmctl __complete $words 2>/dev/null)
    if test (count $found) -gt 0
        printf '%s\n' $found
    else
        __fish_complete_path (commandline -ct)
    end
end
complete -c vllmctl -f -k -a '(__vllmctl_complete)'
"""

_POWERSHELL = r"""
Register-ArgumentCompleter -Native -CommandName vllmctl -ScriptBlock {
    param($word, $ast, $cursor)
    $words = @($ast.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.StartOffset -lt $cursor } | ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) {
                $_.Value
            } else { "$_" }
        })
    if ($word -eq '') {
        # before 7.3 an empty argument is lost on its way to a program
        $old = $PSVersionTable.PSVersion -lt [version] '7.3'
        $words += $(if ($old) { '""' } else { '' })
    } elseif ($words.Count) { $words[-1] = $word }
    vllmctl __complete @words 2>$null | ForEach-Object {
        $value, $help = $_ -split "`t", 2
        if (-not $help) { $help = $value }
        $text = $value
        if ($text -match '[\s@''"`$(){};,|&<>#]') { $text = "'" + $text.Replace("'", "''") + "'" }
        $kind = 'ParameterValue'
        [System.Management.Automation.CompletionResult]::new($text, $value, $kind, $help)
    }
}
"""

SCRIPTS = {"bash": _BASH, "zsh": _ZSH, "fish": _FISH, "powershell": _POWERSHELL}

_PAGE = Page(
    usage="vllmctl completion bash|zsh|fish|powershell",
    summary="Print the script that completes commands, flags, fields and profiles.",
    examples=(
        'eval "$(vllmctl completion bash)"',
        'vllmctl completion zsh > "${fpath[1]}/_vllmctl"',
        "vllmctl completion fish > ~/.config/fish/completions/vllmctl.fish",
        "vllmctl completion powershell | Out-String | Invoke-Expression",
    ),
)


def command() -> RequestCommand:
    """Return the command."""
    return RequestCommand("completion", _PAGE, HELP[:1], _run, words="shell")


def _run(given: Given, env: Environment) -> int:
    shells = given.all("prompt")
    if len(shells) != 1 or shells[0] not in SCRIPTS:
        raise UsageError(f"name one shell: {', '.join(SCRIPTS)}", _PAGE.examples[0])
    env.stdout.write(SCRIPTS[shells[0]].lstrip())
    return ExitCode.DONE
