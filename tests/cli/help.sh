# Help pages and the manual page are printed from the tables of commands: every command and every option is on them, with an
# example, whatever commands there are.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

check "the commands" 0 '^  simulate +Translates' "$acausal" help
check "what to begin with" 0 '^  acausal simulate models/BouncingBall.mo' "$acausal" help
check "a near command" 2 "no command 'simulat'; did you mean 'simulate'\\?" "$acausal" simulat
check "a near topic" 2 "no command and no diagnostic 'simulat'; did you mean 'simulate'\\?" "$acausal" help simulat
check "a near integrator" 2 "no integrator 'rada5'; did you mean 'radau5'\\?" "$acausal" solvers rada5
check "a file in place of a command" 2 "did you mean 'acausal simulate Tank.mo'" "$acausal" Tank.mo
check "a near option" 2 "no option '--pionts'; did you mean '--points'\\?" "$acausal" simulate --pionts 3 x.mo
check "a code" 0 '^E0401: No declaration of this name' "$acausal" help E0401
check "the version" 0 '^acausal [0-9]+\.[0-9]+' "$acausal" --version

"$acausal" help --man >"$dir/acausal.1"
commands=$("$acausal" help | sed -n '/^Commands:/,/^$/s/^  \([a-z]*\) .*/\1/p')
[ "$(printf '%s\n' "$commands" | wc -l)" -gt 10 ] || { echo "failed: too few commands"; failed=$((failed + 1)); }
sed 's/\\-/-/g; s/\\f[BR]//g' "$dir/acausal.1" >"$dir/plain"
for command in $commands; do
    "$acausal" help "$command" >"$dir/page"
    check "$command --help is its page" 0 '^Everywhere:' "$acausal" "$command" --help
    check "an example of $command" 0 "^  .*acausal $command" cat "$dir/page"
    check "$command in the manual" 0 "^\\.SS acausal $command\$" cat "$dir/plain"
    sed -n '/^\.SS acausal '"$command"'$/,/^\.S[SH] /p' "$dir/plain" >"$dir/section"
    sed -n '/^Options:/,/^$/s/^  \(-[a-z-]*\).*/\1/p' "$dir/page" >"$dir/options"
    while read -r option; do
        checks=$((checks + 1))
        grep -qE -- "^$option( |\\[=|\$)" "$dir/section" && continue
        echo "failed: $option of $command is not in the manual"
        failed=$((failed + 1))
    done <"$dir/options"
done
check "a stability region" 0 '<svg .*' sh -c "'$acausal' solvers rk4 --svg '$dir/rk4.svg' && head -n 1 '$dir/rk4.svg'"
check "of a method that is none" 1 'changes between others' "$acausal" solvers auto --svg "$dir/auto.svg"
check "of a tableau" 0 'a.txt, order 2' sh -c "printf 'stages 2\norder 2 1\na 1\nb 1/2 1/2\nbhat 1 0\n' > '$dir/a.txt' && \
    '$acausal' solvers '$dir/a.txt' --svg '$dir/a.svg' && cat '$dir/a.svg'"

# Only where troff is there can it be asked whether it understands the page.
if command -v groff >/dev/null; then
    check "troff has nothing to complain about" 0 '^$' sh -c "groff -man -ww -Tutf8 '$dir/acausal.1' 2>&1 >/dev/null"
else
    echo "skipped: no groff to read the manual page"
fi

check_end
