# bash completion for carom. Commands and options come from `carom help`, scenes from `carom examples`.

_carom_list() { # commands|options COMMAND|scenes
    case $1 in
    commands) carom help 2>/dev/null | awk '$1 == "carom" && $2 ~ /^[a-z]/ { print $2 }' ;;
    options) carom help "$2" 2>/dev/null | grep -oE -- '--[a-z][a-z-]*' | sort -u ;;
    scenes) carom examples 2>/dev/null | cut -d ' ' -f 1 ;;
    esac
}

_carom() {
    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD - 1]} command=${COMP_WORDS[1]}
    COMPREPLY=()
    if [ "$COMP_CWORD" -eq 1 ]; then
        COMPREPLY=($(compgen -W "$(_carom_list commands) --version --help" -- "$word"))
        return
    fi
    case $before in
    --plot-theme) COMPREPLY=($(compgen -W "light dark" -- "$word")) && return ;;
    --plot-kind)
        COMPREPLY=($(compgen -W "$(carom help plot 2>/dev/null | sed -n 's/^    \([a-z-]*\) .*/\1/p')" -- "$word"))
        return
        ;;
    --trace | --plot | --animate | --store | --csv) compopt -o default && return ;;
    esac
    case $word in
    -*) COMPREPLY=($(compgen -W "$(_carom_list options "$command")" -- "$word")) && return ;;
    esac
    case $command in
    help) COMPREPLY=($(compgen -W "$(_carom_list commands) plot scene" -- "$word")) ;;
    show) COMPREPLY=($(compgen -W "$(_carom_list scenes)" -- "$word")) ;;
    examples | version) ;;
    *)
        COMPREPLY=($(compgen -W "$(_carom_list scenes)" -- "$word") $(compgen -f -X '!*.json' -- "$word")
            $(compgen -d -S / -- "$word"))
        ;;
    esac
}
complete -F _carom carom
