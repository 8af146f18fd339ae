# Benchmarks are commands, too: their rows and columns are what the contract says.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

check "scale" 0 '^ladder +1000 ' "$acausal" bench scale --only ladder --most 1000
check "scale as CSV" 0 '' "$acausal" bench scale --most 1000 --csv "$dir/scale.csv"
check "its columns" 0 '^family,equations,translate_ms,flat_ms,peak_mb,rhs_ns,jacobian_ns$' head -n 1 "$dir/scale.csv"
check "its families" 0 '^heat,972,.*' sed -n 4p "$dir/scale.csv"
check "no such family" 2 "no family 'lader'" "$acausal" bench scale --only lader

check "large models" 0 '^heat +auto +40 +1600 ' "$acausal" bench large --only heat --most 40
check "by one integrator" 0 '^line,bdf,500,1000,' "$acausal" bench large --only line --most 500 --solver bdf --csv /dev/stdout
check "no such family of them" 2 "no family 'heta'" "$acausal" bench large --only heta

check "derivatives of runs" 0 '^linear +adjoint +4 ' "$acausal" bench sensitivity --only linear
check "as CSV" 0 '' "$acausal" bench sensitivity --only linear --csv "$dir/sensitivity.csv"
check "its columns" 0 '^model,method,parameters,runs_equivalent,cpu_ms,error$' head -n 1 "$dir/sensitivity.csv"
check "no such model" 2 "did you mean 'linear'" "$acausal" bench sensitivity --only linea

models=$(cd "$(dirname "$0")/../../models" && pwd)
check "increments" 0 '^RLC +radau5 .* adaptive ' "$acausal" bench increments --only RLC --models "$models"
check "and how they compare" 0 'over exact: geometric mean' "$acausal" bench increments --only hires
check "their columns" 0 '^model,solver,nominal,rule,post,c0,steps,nfev,njev,finished,error$' \
    "$acausal" bench increments --only RLC --models "$models" --csv /dev/stdout
check "no such model of increments" 2 "did you mean 'VanDerPol'" "$acausal" bench increments --only VanDerPool
check "no such place" 1 "models says where" "$acausal" bench increments --only RLC --models "$dir/none"

check_end
