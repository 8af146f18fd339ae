# acausal sensitivity as a user meets it: tables, columns of the result, pictures, objectives, and what is wrong.
acausal=$1
models=$(dirname "$0")/../../models
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

check "the table" 0 '^h +-?[0-9.e-]+ +e +0.8 +-?[0-9.]+' "$acausal" sensitivity "$models/BouncingBall.mo" --wrt e,h --of h,v --stop 2
for wrt in k1 k1,k2,k3; do
    for method in forward adjoint ad ad-adjoint ind; do
        check "Robertson's integral in $wrt by $method" 0 'objective +39999968[0-9.]+ +k1 +0.04 +14877[0-2]' "$acausal" sensitivity "$models/Robertson.mo" Robertson.DAE --wrt $wrt --objective 'integral(y3)' --method $method
    done
    check "and by whole runs, in $wrt" 0 'objective +39999968[0-9.]+ +k1 +0.04 +148[78]' "$acausal" sensitivity "$models/Robertson.mo" Robertson.DAE --wrt $wrt --objective 'integral(y3)' --method end
done
check "the grid differentiated" 0 '^h ' "$acausal" sensitivity "$models/BouncingBall.mo" --wrt e --of h --method ad
check "with a mass matrix" 0 'k1 +0.04 +14877' "$acausal" sensitivity "$models/Robertson.mo" Robertson.DAE --wrt k1 --objective 'integral(y3)' --option form=dae --solver ida
check "by CVODES" 0 'k1 +0.04 +14877' "$acausal" sensitivity "$models/Robertson.mo" Robertson.DAE --wrt k1 --objective 'integral(y3)' --backend sundials
check "which passes no events" 1 'has events, which they do not pass' "$acausal" sensitivity "$models/BouncingBall.mo" --wrt e --of h --backend sundials
check "no such backend" 1 "did you mean 'sundials'" "$acausal" sensitivity "$models/BouncingBall.mo" --wrt e --of h --backend sundial
check "from checkpoints" 0 'checkpoints, [1-9][0-9]* steps taken again' "$acausal" sensitivity "$models/Robertson.mo" Robertson.DAE --wrt k1 --objective 'integral(y3)' --method adjoint --memory 0.01
check "no amount of memory" 1 'no amount of memory' "$acausal" sensitivity "$models/VanDerPol.mo" --wrt mu --of y1 --method adjoint --memory -1
check "steps of a multistep method" 1 'no Runge-Kutta method' "$acausal" sensitivity "$models/VanDerPol.mo" --set mu=5 --stop 5 --wrt mu --of y1 --method ad-adjoint --solver bdf
printf 'model Graze\n  parameter Real level = 1;\n  Real x(start = 0, fixed = true);\n  Real y(start = 0, fixed = true);\nequation\n  der(x) = 3 * (time - 1)^2;\n  der(y) = if x > level then 2 else 1;\nend Graze;\n' >"$dir/Graze.mo"
for method in forward adjoint ad ad-adjoint ind; do
    check "an event that is only touched, $method" 0 'only grazes its condition' "$acausal" sensitivity "$dir/Graze.mo" --wrt level --of y --stop 2 --method $method
done
check "its true digits, forward" 0 'k1 +0.04 +148771[0-9.]+' "$acausal" sensitivity "$models/Robertson.mo" Robertson.DAE --wrt k1,k2,k3 --objective 'integral(y3)'
check "and back" 0 'k2 +10000 +-5.9462[67]' "$acausal" sensitivity "$models/Robertson.mo" Robertson.DAE --wrt k1,k2,k3 --objective 'integral(y3)' --method adjoint
check "columns of the result" 0 '' "$acausal" sensitivity "$models/BouncingBall.mo" --wrt e --of h -o "$dir/run.csv" --plot "$dir/run.svg" --quiet
check "their names" 0 'd\(h\)/d\(e\)' head -n 1 "$dir/run.csv"
check "the picture" 0 '</svg>' tail -n 1 "$dir/run.svg"
check "JSON" 0 '^\{"t":3,.*"of":"h","wrt":"e",.*"derivative":' "$acausal" sensitivity "$models/BouncingBall.mo" --wrt e --of h --json

check "no parameter of that name" 1 "did you mean 'mu'" "$acausal" sensitivity "$models/VanDerPol.mo" --wrt nu --of y1
check "no variable of that name" 1 "did you mean 'y1'" "$acausal" sensitivity "$models/VanDerPol.mo" --wrt mu --of z1
check "a name given twice" 1 "'mu' is named twice" "$acausal" sensitivity "$models/VanDerPol.mo" --wrt mu,mu --of y1
check "structural ones" 1 "'N' is structural" "$acausal" sensitivity "$models/HeatRod.mo" --wrt N --of stored
check "constants" 1 "'g' is a constant" "$acausal" sensitivity "$models/BouncingBall.mo" --wrt g --of h
check "no such method" 1 "did you mean 'adjoint'" "$acausal" sensitivity "$models/VanDerPol.mo" --wrt mu --of y1 --method adjoin
check "an objective that is wrong" 1 'nothing closes|--objective' "$acausal" sensitivity "$models/VanDerPol.mo" --wrt mu --objective 'integral(y1'
check "an objective with a name that is not there" 1 'zz' "$acausal" sensitivity "$models/VanDerPol.mo" --wrt mu --objective 'y1 + zz'
check "what does not depend" 0 'does not depend' "$acausal" sensitivity "$models/BouncingBall.mo" --wrt e --objective 'time'
printf 'time,u\n0,0\n1,1\n' >"$dir/u.csv"
printf 'model In\n  input Real u;\n  parameter Real c = 0.3;\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = if x > c then 1 else u;\nend In;\n' >"$dir/In.mo"
# x(1) = c + 1 - sqrt(2 c) where x' = t up to x = c and then 1; with u(0) + t (u(1) - u(0)) as input, d/du(0) = (t - t^2/2)/u at t = sqrt(2 c)
for method in forward adjoint ad ad-adjoint ind; do
    check "inputs that move events, $method" 0 'c +0.3 +-0.290994' "$acausal" sensitivity "$dir/In.mo" --wrt c --of x --input "$dir/u.csv" --method $method --tol 1e-9
done
for method in forward adjoint ad ad-adjoint; do
    check "derivatives in inputs through them, $method" 0 'u +0 +0.612701[0-9]+ +.input at t = 0' "$acausal" sensitivity "$dir/In.mo" --wrt u --of x --input "$dir/u.csv" --method $method --tol 1e-9
done
check "for machines" 0 '"wrt":"u".*"time":1\}' "$acausal" sensitivity "$dir/In.mo" --wrt u --of x --input "$dir/u.csv" --json
printf 'model Fed\n  input Real u;\n  parameter Real c = 0.3;\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = c*u - x;\nend Fed;\n' >"$dir/Fed.mo"
for method in forward adjoint ad ad-adjoint ind end; do
    check "inputs of a file, $method" 0 'c +0.3 +0.36787' "$acausal" sensitivity "$dir/Fed.mo" --wrt c --of x --input "$dir/u.csv" --method $method
done
printf 'model Late\n  parameter Real c = 0.3;\n  Real x(start = 1, fixed = true);\n  Real y;\nequation\n  der(x) = -c*y;\n  y = delay(x, 0.1);\nend Late;\n' >"$dir/Late.mo"
for method in forward adjoint ad ind; do
    check "delays, $method" 1 'has delays' "$acausal" sensitivity "$dir/Late.mo" --wrt c --of x --method $method
done
check "which whole runs pass" 0 'c +0.3 ' "$acausal" sensitivity "$dir/Late.mo" --wrt c --of x --method end
printf 'model Stops\n  parameter Real c = 0.3;\n  Real x(start = 0, fixed = true);\nequation\n  der(x) = 1 - c*x;\n  when x > 0.7 then\n    terminate("enough");\n  end when;\nend Stops;\n' >"$dir/Stops.mo"
for method in forward adjoint ad ad-adjoint ind; do
    check "a run that the model ends, $method" 0 'c +0.3 +-0.26421507' "$acausal" sensitivity "$dir/Stops.mo" --wrt c --of x --stop 3 --method $method
done
check "nothing to differentiate in" 2 'wrt' "$acausal" sensitivity "$models/VanDerPol.mo" --of y1
check "no curves by differences" 2 'at the end only' "$acausal" sensitivity "$models/VanDerPol.mo" --wrt mu --of y1 --method ind -o "$dir/none.csv"
printf 'model Fall\n  parameter Real a = 1;\n  Real x(start = 2, fixed = true);\nequation\n  der(x) = -a * x;\nend Fall;\n' >"$dir/Fall.mo"
check "weights back in time" 0 '' "$acausal" sensitivity "$dir/Fall.mo" --wrt a,x --of x --stop 1 --tol 1e-9 --method adjoint -o "$dir/weights.csv"
check "their names" 0 '^time,lambda\(x\)' head -n 1 "$dir/weights.csv"
check "at the start exp(-1), the derivative in the start value" 0 '^0,0\.3678794' sed -n 2p "$dir/weights.csv"
check "at the end 1" 0 '^1,1$' tail -n 1 "$dir/weights.csv"
check "both" 2 'either' "$acausal" sensitivity "$models/VanDerPol.mo" --wrt mu --of y1 --objective y1
check_end
