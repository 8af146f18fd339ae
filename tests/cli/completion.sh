# Completion: what the program answers for each place of a command line, and that the scripts of the shells bring it there. Options are
# taken from the help pages, so that no command can be forgotten.
acausal=$1
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/check.sh"
models=$here/../../models

answer() { "$acausal" completion answer -- "$@"; }
tab=$(printf '\t')
check "commands" 0 "^simulate${tab}Translates" answer si
check "options, with what they are" 0 "^--solver${tab}the integrator" answer simulate --so
check "integrators" 0 "^radau5${tab}" answer simulate --solver rad
check "integrators after =" 0 "^--solver=radau5${tab}" answer simulate --solver=rad
check "alternatives" 0 "^cs${tab}" answer simulate x.fmu --kind ""
check "alternatives after =" 0 "^--color=always${tab}" answer check --color=al
check "sources" 0 "^:files${tab}mo fmu" answer simulate ""
check "classes" 0 "^Circuit.RLC${tab}All of them" answer simulate "$models/Circuit.mo" Circuit.R
check "partial classes cannot be run" 0 '^0$' sh -c "'$acausal' completion answer -- simulate '$models/Circuit.mo' '' | grep -c Partial || true"
check "pictures" 0 "^:files${tab}svg" answer simulate --plot-steps ""
check "directories" 0 "^:dirs" answer simulate --lib ""
check "a second result" 0 "^:files${tab}csv mat" answer compare a.csv ""
check "what fmu takes" 0 "^validate${tab}" answer fmu va
check "and after it" 0 "^:files${tab}fmu" answer fmu info ""
check "benchmarks" 0 "^ivp${tab}" answer bench iv
check "an option is no word" 0 "^:files${tab}mo fmu" answer simulate --tol 1e-3 ""
check "a source that is not there" 0 '^$' answer simulate none.mo ""
check "no such command" 0 '^$' answer nothing ""
check "no such shell" 2 'bash or zsh' "$acausal" completion fish
printf 'time,h,"der(h)"\n0,1,2\n' >"$dir/r.csv"
check "signals" 0 '^der\(h\)' answer plot "$dir/r.csv" d

for command in $("$acausal" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p'); do
    answer "$command" - >"$dir/offered"
    "$acausal" help "$command" | sed -n 's/^  \(-[a-z-]*\).*/\1/p' >"$dir/options"
    while read -r option; do
        checks=$((checks + 1))
        grep -q -- "^$option$tab" "$dir/offered" && continue
        echo "failed: $option of $command is not offered"
        failed=$((failed + 1))
    done <"$dir/options"
done

# bash: the words as readline cuts them; the replies are what it would insert.
"$acausal" completion bash >"$dir/acausal.bash"
bash_replies() { # words...
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _acausal; printf "<%s>\n" "${COMPREPLY[@]}"' \
        sh "$dir/acausal.bash" "$acausal" "$@"
}
if command -v bash >/dev/null; then
    cp "$models/Circuit.mo" "$dir/A file.mo"
    mkdir -p "$dir/Lib"
    : >"$dir/notes.txt"
    cd "$dir" || exit 1
    check "bash: a command" 0 '^<simulate>$' bash_replies si
    check "bash: cut at =" 0 '^<always>$' bash_replies simulate --color = al
    check "bash: right after =" 0 '^<auto>$' bash_replies simulate --color =
    check "bash: names are quoted" 0 '^<der\\\(h\\\)>$' bash_replies plot r.csv de
    check "bash: and found when quoted" 0 '^<der\\\(h\\\)>$' bash_replies plot r.csv 'der\('
    check "bash: inside of quotes" 0 '^<der\(h\)>$' bash_replies plot r.csv "'der("
    check "bash: files by suffix" 0 '^<A file.mo>$' bash_replies simulate ""
    check "bash: directories, too" 0 '^<Lib>$' bash_replies simulate ""
    check "bash: no others" 0 '^0$' sh -c "echo \$(bash -c 'source $dir/acausal.bash; COMP_WORDS=($acausal simulate \"\"); COMP_CWORD=2; _acausal; printf \"%s\n\" \"\${COMPREPLY[@]}\"' | grep -c txt)"
fi
# zsh: its own functions for files and descriptions are replaced by ones that print.
"$acausal" completion zsh >"$dir/_acausal"
if command -v zsh >/dev/null; then
    cat >"$dir/ask.zsh" <<'END'
compdef() { : }
_files() { print -r -- "files $*" }
_describe() { local list=$3; print -rl -- "${(@P)list}" }
source $1
shift
words=("$@") CURRENT=$# PREFIX=$@[-1]
_acausal
END
    check "zsh: a command" 0 '^simulate:Translates' zsh -f "$dir/ask.zsh" "$dir/_acausal" "$acausal" si
    check "zsh: files by suffix" 0 '^files -g \*\.\(mo\|fmu\)$' zsh -f "$dir/ask.zsh" "$dir/_acausal" "$acausal" simulate ''
    check "zsh: a value" 0 '^--color=always:' zsh -f "$dir/ask.zsh" "$dir/_acausal" "$acausal" simulate --color=
else
    echo "skipped: no zsh"
fi

check_end
