# acausal sensitivity as a user meets it: tables, columns of the result, pictures, objectives, and what is wrong.
acausal=$1
models=$(dirname "$0")/../../models
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

check "the table" 0 '^h +-?[0-9.e-]+ +e +0.8 +-?[0-9.]+' "$acausal" sensitivity "$models/BouncingBall.mo" --wrt e,h --of h,v --stop 2
for method in forward adjoint ad ind end; do
    check "Robertson's integral by $method" 0 'integral|objective +39999' "$acausal" sensitivity "$models/Robertson.mo" Robertson.DAE --wrt k1 --objective 'integral(y3)' --method $method --tol 1e-6
done
check "the grid differentiated" 0 '^h ' "$acausal" sensitivity "$models/BouncingBall.mo" --wrt e --of h --method ad
check "its true digits, forward" 0 'k1 +0.04 +148771[0-9.]+' "$acausal" sensitivity "$models/Robertson.mo" Robertson.DAE --wrt k1,k2,k3 --objective 'integral(y3)'
check "and back" 0 'k2 +10000 +-5.94627' "$acausal" sensitivity "$models/Robertson.mo" Robertson.DAE --wrt k1,k2,k3 --objective 'integral(y3)' --method adjoint
check "columns of the result" 0 '' "$acausal" sensitivity "$models/BouncingBall.mo" --wrt e --of h -o "$dir/run.csv" --plot "$dir/run.svg" --quiet
check "their names" 0 'd\(h\)/d\(e\)' head -n 1 "$dir/run.csv"
check "the picture" 0 '</svg>' tail -n 1 "$dir/run.svg"
check "JSON" 0 '^\{"t":3,.*"of":"h","wrt":"e",.*"derivative":' "$acausal" sensitivity "$models/BouncingBall.mo" --wrt e --of h --json

check "no parameter of that name" 1 "did you mean 'mu'" "$acausal" sensitivity "$models/VanDerPol.mo" --wrt nu --of y1
check "no variable of that name" 1 "did you mean 'y1'" "$acausal" sensitivity "$models/VanDerPol.mo" --wrt mu --of z1
check "structural ones" 1 "'N' is " "$acausal" sensitivity "$models/HeatRod.mo" --wrt N --of stored
check "constants" 1 "'g' is a constant" "$acausal" sensitivity "$models/BouncingBall.mo" --wrt g --of h
check "no such method" 1 "did you mean 'adjoint'" "$acausal" sensitivity "$models/VanDerPol.mo" --wrt mu --of y1 --method adjoin
check "an objective that is wrong" 1 'nothing closes|--objective' "$acausal" sensitivity "$models/VanDerPol.mo" --wrt mu --objective 'integral(y1'
check "an objective with a name that is not there" 1 'zz' "$acausal" sensitivity "$models/VanDerPol.mo" --wrt mu --objective 'y1 + zz'
check "what does not depend" 0 'does not depend' "$acausal" sensitivity "$models/BouncingBall.mo" --wrt e --objective 'time'
check "nothing to differentiate in" 2 'wrt' "$acausal" sensitivity "$models/VanDerPol.mo" --of y1
check "both" 2 'either' "$acausal" sensitivity "$models/VanDerPol.mo" --wrt mu --of y1 --objective y1
check_end
