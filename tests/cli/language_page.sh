# docs/language.md says of each case in tests/modelica what the program does with it today.
acausal=$1
. "$(dirname "$0")/check.sh"
check "docs/language.md is up to date (else: scripts/language build/acausal)" 0 'is up to date' python3 "$(dirname "$0")/../../scripts/language" "$acausal" --check
case=$(dirname "$0")/../modelica/lenient_annotations.mo
check "what other tools let pass is a warning" 0 '^unknowns' "$acausal" check "$case"
check "--strict=language refuses it" 1 'second annotation' "$acausal" check --strict=language "$case"
check "--strict takes the language only" 2 'should be language' "$acausal" check --strict=foo "$case"
check_end
