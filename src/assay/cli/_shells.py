"""Completion scripts, written from the options themselves. They start no Python: run names come from the folder.

Runs are looked for in `runs`, or where `ASSAY_RUNS` says.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from shlex import quote

from assay.cli._words import Command, Value, all_commands

BASH = """\
# Completion of assay for bash. In ~/.bashrc: eval "$(assay completion bash)"
_assay_runs() {
    local file
    echo last
    for file in "${ASSAY_RUNS:-runs}"/*/manifest.json; do
        [ -e "$file" ] || continue
        file=${file%/manifest.json} file=${file##*/}
        # What is offered stands on the command line as it is, and compgen expands it: only names that mean nothing.
        case "$file" in *[!A-Za-z0-9._+@-]*) continue ;; esac
        echo "$file"
    done
}
_assay() {
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} command=${COMP_WORDS[1]} words=
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        command=
    elif [ "$command" = gold ] && [ "$COMP_CWORD" -gt 2 ]; then
        command="gold ${COMP_WORDS[2]}"
    fi
    case "$command:$prev" in
@VALUES@
    *)
        case "$command:$cur" in
@FLAGS@
        *)
            case "$command" in
@PLACES@
            esac ;;
        esac ;;
    esac
    COMPREPLY=($(compgen -W "$words" -- "$cur"))
}
complete -o default -F _assay assay
"""
ZSH = """\
#compdef assay
# Completion of assay for zsh. In ~/.zshrc, behind compinit: eval "$(assay completion zsh)"
_assay_runs() {
    local file
    echo last
    for file in ${ASSAY_RUNS:-runs}/*/manifest.json(N); do
        echo ${${file%/manifest.json}##*/}
    done
}
_assay() {
    local command=${words[2]} prev=${words[CURRENT-1]} cur=${words[CURRENT]}
    local -a found
    if (( CURRENT == 2 )); then
        command=
    elif [[ $command == gold ]] && (( CURRENT > 3 )); then
        command="gold ${words[3]}"
    fi
    case "$command:$prev" in
@VALUES@
    esac
    case "$command:$cur" in
@FLAGS@
    esac
    case "$command" in
@PLACES@
    *) _files ;;
    esac
}
compdef _assay assay
"""
FISH = """\
# Completion of assay for fish. In ~/.config/fish/config.fish: assay completion fish | source
function __assay_runs
    set -l folder runs
    set -q ASSAY_RUNS; and set folder $ASSAY_RUNS
    echo last
    for file in $folder/*/manifest.json
        basename (dirname $file)
    end
end
function __assay_is
    set -l words (commandline -opc)
    test (count $words) -gt 1; and test "$words[2]" = "$argv[1]"; or return 1
    test (count $argv) -eq 1; and return 0
    test (count $words) -gt 2; and test "$words[3]" = "$argv[2]"
end
function __assay_first
    test (count (commandline -opc)) -eq (math $argv[1] + 1)
end
"""


def script(shell: str) -> str:
    found = all_commands()
    return {"bash": _bash, "zsh": _zsh, "fish": _fish}[shell](found)


def _filled(template: str, **lines: Iterable[str]) -> str:
    for name, told in lines.items():
        template = template.replace(f"@{name.upper()}@", "\n".join(told))
    return template


def _top(commands: Iterable[Command]) -> list[Command]:
    return [command for command in commands if " " not in command.name]


def _valued(commands: Iterable[Command], say: Callable[[Value], str], indent: str) -> Iterator[str]:
    """A branch for each option with a value: what may stand behind it."""
    for command in commands:
        for option in command.options:
            if option.value.kind != "none":
                pattern = "|".join(quote(f"{command.name}:{flag}") for flag in option.flags)
                yield f"{indent}{pattern}) {say(option.value)} ;;"


def _bash(commands: list[Command]) -> str:
    def say(value: Value) -> str:
        if value.kind == "choice":
            return f'words="{" ".join(value.choices)}"'
        return 'words="$(_assay_runs)"' if value.kind == "run" else "return"

    flags = (
        f'        "{c.name}:-"*) words="{" ".join(flag for o in c.options for flag in o.flags)}" ;;' for c in commands
    )
    places = (f'            "{c.name}") {say(c.place)} ;;' for c in commands)
    top = " ".join(command.name for command in _top(commands))
    return _filled(
        BASH,
        values=_valued(commands, say, "    "),
        flags=flags,
        places=[f'            "") words="{top}" ;;', *places],
    )


def _described(pairs: Iterable[tuple[str, str]]) -> str:
    return " ".join(quote(f"{name.replace(':', chr(92) + ':')}:{text}") for name, text in pairs)


def _zsh(commands: list[Command]) -> str:
    def say(value: Value) -> str:
        if value.kind == "choice":
            return f"compadd -- {' '.join(map(quote, value.choices))}; return"
        if value.kind == "run":
            return 'compadd -- ${(f)"$(_assay_runs)"}; return'
        return "_files -/; return" if value.kind == "folder" else "_files; return"

    flags = (
        f"    {quote(c.name + ':-')}*) found=({_described((f, o.help) for o in c.options for f in o.flags)}); "
        "_describe option found; return ;;"
        for c in commands
    )
    places = (f"    {quote(c.name)}) {say(c.place)} ;;" for c in commands)
    top = _described((c.name, c.help) for c in _top(commands))
    first = f"    '') found=({top}); _describe command found; return ;;"
    return _filled(ZSH, values=_valued(commands, say, "    "), flags=flags, places=[first, *places])


def _fish(commands: list[Command]) -> str:
    def say(value: Value) -> str:
        if value.kind == "choice":
            return f" -x -a {quote(' '.join(value.choices))}"
        return {"run": " -x -a '(__assay_runs)'", "folder": " -x -a '(__fish_complete_directories)'", "none": ""}.get(
            value.kind, " -r"
        )

    lines = [f"complete -c assay -n '__assay_first 0' -a {c.name} -d {_fish_quote(c.help)}" for c in _top(commands)]
    for command in commands:
        condition = f"-n '__assay_is {command.name}'"
        if command.place.kind == "choice":
            place = 1 if " " not in command.name else 2
            first = f"-n '__assay_is {command.name}; and __assay_first {place}'"
            lines.append(f"complete -c assay {first} -f -a {quote(' '.join(command.place.choices))}")
        elif command.place.kind == "run":
            lines.append(f"complete -c assay {condition} -f -a '(__assay_runs)'")
        for option in command.options:
            flags = "".join(f" -l {flag[2:]}" if flag.startswith("--") else f" -s {flag[1:]}" for flag in option.flags)
            lines.append(f"complete -c assay {condition}{flags}{say(option.value)} -d {_fish_quote(option.help)}")
    return FISH + "\n".join(lines) + "\n"


def _fish_quote(text: str) -> str:
    return "'" + text.replace("\\", "\\\\").replace("'", "\\'") + "'"
