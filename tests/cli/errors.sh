# Each diagnostic has an example that really gives it, and docs/errors.md shows what it says today.
acausal=$1
. "$(dirname "$0")/check.sh"
check "docs/errors.md is up to date (else: scripts/errors build/acausal)" 0 ' 0 complaints' python3 "$(dirname "$0")/../../scripts/errors" "$acausal" --check
check_end
