# check.sh: the harness of the command tests; each begins by reading it in.
failed=0 checks=0

# check NAME EXIT_CODE PATTERN COMMAND...: runs it; stdout and stderr together must match the pattern.
check() {
    name=$1 want=$2 pattern=$3
    shift 3
    checks=$((checks + 1))
    out=$("$@" 2>&1)
    code=$?
    if [ "$code" != "$want" ] || ! printf '%s\n' "$out" | grep -qE -- "$pattern"; then
        failed=$((failed + 1))
        echo "failed: $name: exit code $code (want $want), pattern: $pattern"
        printf '%s\n' "$out" | cut -c1-200 | head -n 5
    fi
}

# The last line of a test.
check_end() {
    echo "$checks checks, $failed failed"
    [ "$failed" = 0 ]
}
