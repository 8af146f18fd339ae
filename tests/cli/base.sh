# Base Modelica, out and in: what a model gives, its text gives, for the same names.
acausal=$1
here=$(cd "$(dirname "$0")" && pwd)
models=$here/../../models
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/check.sh"

same() { # the run of a model and that of its text
    rm -f "$dir/a.csv" "$dir/b.csv"
    "$acausal" flatten "$@" --base >"$dir/text.mo" && "$acausal" simulate "$@" -o "$dir/a.csv" --quiet --points 50 &&
        "$acausal" simulate "$dir/text.mo" -o "$dir/b.csv" --quiet --points 50 && "$acausal" compare "$dir/a.csv" "$dir/b.csv" --tol 1e-6
}
all=' 0 different, 0 only in A, 0 only in B'
check "events" 0 "$all" same "$models/BouncingBall.mo"
check "names with dots" 0 "$all" same "$models/Circuit.mo" Circuit.RLC
check "arrays" 0 "$all" same "$models/HeatRod.mo"
check "protected" 0 "$all" same "$models/HydraulicAxis.mo" HydraulicAxis.Axis

cat >"$dir/M.mo" <<'MO'
model M
  type Way = enumeration(up, down);
  record R Real a; Real b[2]; end R;
  function f input Real x; input Real y = 2; output R r; protected Real 'odd one'; algorithm 'odd one' := x; r.a := 'odd one' * y; r.b := {sum(i * j for i in 1:2, j in 1:3) + x, y}; end f;
  function g input Real x[:]; output Real y = 0; algorithm for i in 1:size(x, 1) loop y := y + x[i]; end for; end g;
  final parameter Real p = 2 * q;
  parameter Real q = 3;
  parameter Integer n = 2;
  final parameter Integer m = n + 1;
  R r = f(time);
  R made = R(time, {1, 2});
  Real last = g(made.b) + made.a;
  Real z[m](each start = 1, each fixed = true);
  Real 'a b'.c = 1;
  Real 'it\'s' = g({i + time for i in 1:2}) + p;
  Way way = if time < 0.5 then Way.up else Way.down;
  String s = if way == Way.up then "say \"up\"" else "down";
equation
  der(z) = -z * r.a;
  annotation(experiment(StopTime = 1));
end M;
MO
sed -i "s/  Real 'a b'.c = 1;/  record Q Real c; end Q; Q 'a b'(c = 1);/" "$dir/M.mo"
check "records, functions, enumerations, quoted names" 0 "$all" same "$dir/M.mo"
check "its text opens with the version" 0 '^//! base 3\.7\.0$' head -n 1 "$dir/text.mo"
check "nothing is final" 1 '^$' grep -wE 'final|public|each|partial' "$dir/text.mo"
check "a field of a value is taken by a function" 0 "'-R.a'\\('f'" cat "$dir/text.mo"
check "a final parameter that depends on another" 0 "parameter Real 'p' = 2 \\* 'q';" cat "$dir/text.mo"
check "what decides the structure is constant" 0 "constant Integer 'm' = " cat "$dir/text.mo"

printf '%s\n' '//! base 3.7.0' "package 'N'" "  constant Real 'k' = 2;" "  model 'N'" "    Real 'x'(fixed = true);" "    parameter equation guess('x') = 4;" '  equation' "    der('x') = -'k' * 'x';" "  end 'N';" "end 'N';" >"$dir/N.mo"
check "guess values" 0 '^1,0\.5413' sh -c "'$acausal' simulate '$dir/N.mo' --vars x -o '$dir/n.csv' --quiet && tail -n 1 '$dir/n.csv'"
sed "s/guess('x')/guess('y')/" "$dir/N.mo" >"$dir/Y.mo"
check "a guess of nothing" 1 "Y.mo:6:.*no variable 'y' before its guess" "$acausal" check "$dir/Y.mo"
sed "s/  equation/  partition/" "$dir/N.mo" >"$dir/P.mo"
check "partitions are refused" 1 'E0906.*clock partitions' "$acausal" check "$dir/P.mo"
sed "s/'N'/'O'/2" "$dir/N.mo" >"$dir/O.mo"
check "a package without its model" 1 'no model of its own name|E0906' sh -c "sed \"s/package 'N'/package 'O'/; s/^end 'N'/end 'O'/\" '$dir/N.mo' >'$dir/O.mo'; '$acausal' check '$dir/O.mo'"
printf 'model C\n  Real x(start = 0, fixed = true);\n  Real y = sample(x, Clock(0.1));\nequation\n  der(x) = 1;\nend C;\n' >"$dir/C.mo"
check "clocks are told" 0 'E0907.*clocked equations are written as in full' "$acausal" flatten "$dir/C.mo" --base
check "and read" 0 "$all" same "$dir/C.mo"
check_end
