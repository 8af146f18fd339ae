# No pass is quadratic: four times the model costs about four times the instructions, counted and not timed.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v valgrind >/dev/null 2>&1 || { echo "skipped: there is no valgrind to count instructions"; exit 77; }
failed=0

count() { # MODEL N: writes a model of that size, gives the instructions that translating it takes
    case $1 in
    empty) text='Real x(start = 1, fixed = true); equation der(x) = -x;' ;;
    aliases) text="Real a[$2]; Real x(start = 2, fixed = true); equation der(x) = a[$2]; a[1] = x; for i in 2:$2 loop a[i] = -a[i-1]; end for;" ;;
    blocks) text="Real b[$2](each start = 1); Real x(start = 1, fixed = true); equation der(x) = 1; for i in 1:$2 loop b[i]^3 + b[i] = x + i; end for;" ;;
    block) text="Real c[$2](each start = 1); Real x(start = 1, fixed = true); equation der(x) = c[2]; c[1] = x; c[$2] = 0; for i in 2:$2-1 loop 3*c[i] = c[i-1] + c[i+1]; end for;" ;;
    sum) text="Real s[$2]; Real t; equation t = $(awk -v n="$2" 'BEGIN { printf "s[1]"; for (i = 2; i <= n; i++) printf " + s[%d]", i }'); for i in 1:$2 loop s[i] = i + time; end for;" ;;
    esac
    printf 'model M\n%s\nend M;\n' "$text" >"$dir/M.mo"
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$acausal" analyze "$dir/M.mo" --quiet 2>&1 >/dev/null |
        sed -n 's/.*Collected : //p'
}

base=$(count empty 0)
[ -n "$base" ] || { echo "skipped: valgrind cannot run this program"; exit 77; }
grows() { # MODEL N MOST: the ratio of what 4 N and N cost beyond the empty model
    small=$(count "$1" "$2")
    large=$(count "$1" $(($2 * 4)))
    awk -v b="$base" -v s="$small" -v l="$large" -v most="$3" -v name="$1" 'BEGIN {
        r = (l - b) / (s - b)
        printf "%s: %.2f times the work for 4 times the model\n", name, r
        exit !(s > b && r < most) }' || { echo "failed: $1 grows too fast"; failed=1; }
}
grows aliases 300 6
grows blocks 100 6
grows sum 300 6
# Tearing variables of one block have a dense Jacobian: worse than linear, better than quadratic.
grows block 200 12
exit $failed
