# acausal simulate as a user meets it: results, exit codes, messages; no mistake loses what was computed.
acausal=$1
models=$(dirname "$0")/../../models
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

check "a run" 0 '^t = 10  states 2  translated in ' "$acausal" simulate "$models/Pendulum.mo"
check "a CSV file" 0 'states 2' "$acausal" simulate "$models/BouncingBall.mo" -o "$dir/ball.csv"
check "its header" 0 '^time,.*h,' head -n 1 "$dir/ball.csv"
check "two rows at an event" 0 '^2$' sh -c "grep -c '^0\\.4515' '$dir/ball.csv'"
check "a MAT file, read back" 0 '0\.5 ┤|1\.0 ┤|time' sh -c "'$acausal' simulate '$models/BouncingBall.mo' -o '$dir/ball.mat' --quiet && '$acausal' plot '$dir/ball.mat' h"
check "both agree" 0 'same' "$acausal" compare "$dir/ball.csv" "$dir/ball.mat"
check "only what is asked for" 0 '^time,h$' sh -c "'$acausal' simulate '$models/BouncingBall.mo' -o '$dir/h.csv' --vars '^h$' --quiet && head -n 1 '$dir/h.csv'"
check "patterns instead" 0 '^time,resistor.p.v,.*,resistor.i,' sh -c "'$acausal' simulate '$models/Circuit.mo' Circuit.RLC -o '$dir/g.csv' --glob '*.v,resistor.i' --quiet && head -n 1 '$dir/g.csv'"
check "no variable fits" 1 'no variable fits' "$acausal" simulate "$models/Circuit.mo" Circuit.RLC --glob '*.nothing'
check "one of the two" 2 'only one' "$acausal" simulate "$models/Circuit.mo" Circuit.RLC --glob '*.v' --vars x
check "deflated" 0 '^same$' sh -c "'$acausal' simulate '$models/BouncingBall.mo' -o '$dir/ball.csv.gz' --quiet && gzip -dc '$dir/ball.csv.gz' | cmp - '$dir/ball.csv' && echo same"
check "read back" 0 '0 different' "$acausal" compare "$dir/ball.csv" "$dir/ball.csv.gz"
check "cut short" 0 'ends inside a row' sh -c "head -c 4000 '$dir/ball.csv.gz' >'$dir/cut.csv.gz'; '$acausal' plot '$dir/cut.csv.gz' h"
check "damaged" 1 'damaged' sh -c "(head -c 10 '$dir/ball.csv.gz'; echo nonsense and more of it) >'$dir/bad.csv.gz'; '$acausal' plot '$dir/bad.csv.gz' h"
check "a class in a file" 0 'states 2' "$acausal" simulate "$models/Circuit.mo" Circuit.RLC
check "points" 0 '^12$' sh -c "'$acausal' simulate '$models/Circuit.mo' Circuit.RLC --points 10 -o '$dir/c.csv' --quiet && wc -l < '$dir/c.csv'"
check "a picture" 0 '<svg ' sh -c "'$acausal' simulate '$models/BouncingBall.mo' --plot '$dir/b.svg' --names h,v --quiet && head -c 200 '$dir/b.svg'"
check "statistics" 0 '^state events +6$' "$acausal" simulate "$models/BouncingBall.mo" --stats
check "statistics as JSON" 0 '^\{.*"steps":' "$acausal" simulate "$models/BouncingBall.mo" --stats=json
check "another solver" 0 'radau5 \(as asked for\)' "$acausal" simulate "$models/Pendulum.mo" --solver radau5 --stats
printf 'stages 4\norder 3 2\na 1/2\na 0 3/4\na 2/9 1/3 4/9\nb 2/9 1/3 4/9 0\nbhat 7/24 1/4 1/3 1/8\n' > "$dir/bs.tableau"
check "a tableau of one's own" 0 'bs.tableau \(as asked for\)' "$acausal" simulate "$models/Pendulum.mo" --solver "$dir/bs.tableau" --stats
printf 'stages 2\norder 3 1\na 1/2\nb 0 1\nbhat 1 0\n' > "$dir/wrong.tableau"
check "a tableau that claims too much" 1 'b misses a condition of order 3' "$acausal" simulate "$models/Pendulum.mo" --solver "$dir/wrong.tableau"
check "no such tableau" 1 "nowhere.tableau' cannot be read" "$acausal" simulate "$models/Pendulum.mo" --solver "$dir/nowhere.tableau"
check "the sorted equations" 0 '^index 3' "$acausal" simulate "$models/Pendulum.mo" --dump=blt
check "C text" 0 'double|RtStatus' "$acausal" simulate "$models/Pendulum.mo" --dump=c

check "a structural parameter" 0 'states 11 ' "$acausal" simulate "$models/HeatRod.mo" --set N=10
check "and where models are only looked at" 0 'states 11 ' "$acausal" check "$models/HeatRod.mo" --set N=10
printf "model Joined parameter Real R = 0; Real v(start = 1, fixed = true), w, i; equation der(v) = -i; der(w) = i - w; R*i = v - w; end Joined;" > "$dir/joined.mo"
check "a parameter whose zero makes a constraint" 0 "states 1 " "$acausal" simulate "$dir/joined.mo"
check "and is structural by that" 0 "states 2 " "$acausal" simulate "$dir/joined.mo" --set w=1 --set R=0.5
check "a whole array" 0 'states 78 ' "$acausal" simulate "$models/Robot.mo" Robot.Arm --stop 0.01 --set 'from={0,0,0,0,0,0}'
check "both kinds of value" 0 "^  parameter Real 'resistor.R'.*= 3.0;" sh -c "'$acausal' flatten '$models/Circuit.mo' Circuit.RLC --set resistor.R=3 --set capacitor.v=2"
check "a size that cannot be" 1 'size -1 of' "$acausal" simulate "$models/HeatRod.mo" --set N=-1
check "a final parameter" 1 "'dx' cannot be set" "$acausal" simulate "$models/HeatRod.mo" --set dx=3
check "no value" 1 "should be NAME=VALUE" "$acausal" simulate "$models/HeatRod.mo" --set N

printf 'model Text\n  parameter String n = "a";\n  Real x = if n == "b" then 2 else 1;\nend Text;\n' >"$dir/text.mo"
check "a text" 0 '^1,2$' sh -c "'$acausal' simulate '$dir/text.mo' --set 'n=\"b\"' --vars x -o '$dir/text.csv' --quiet && tail -n 1 '$dir/text.csv'"

check "no such class" 1 'E0310' "$acausal" simulate "$models/Circuit.mo" Circuit.RLX
check "no such solver" 1 "did you mean 'radau5'" "$acausal" simulate "$models/Pendulum.mo" --solver radua5
check "no such parameter" 1 "no variable 'f'" "$acausal" simulate "$models/BouncingBall.mo" --set f=1
for controller in integral pi predictive filter; do
    check "steps by $controller control" 0 "^t = " "$acausal" simulate "$models/VanDerPol.mo" --solver radau5 --option controller=$controller
done
check "no such controller" 1 "should be auto, integral, pi, predictive or filter" "$acausal" simulate "$models/VanDerPol.mo" --option controller=bang
check "no such option" 1 "did you mean 'max-steps'" "$acausal" simulate "$models/BouncingBall.mo" --option max-stps=1
check "no such format" 2 'should end in .csv, .csv.gz or .mat' "$acausal" simulate "$models/BouncingBall.mo" -o "$dir/x.txt"
check "a path that is not there" 1 'E0902.*No such file' "$acausal" simulate "$models/BouncingBall.mo" -o "$dir/none/x.csv"
check "a pattern that fits nothing" 1 "no variable fits 'none'" "$acausal" simulate "$models/BouncingBall.mo" --vars none
check "a picture of another kind" 2 'should end in .svg or .png' "$acausal" simulate "$models/BouncingBall.mo" --plot ball.pdf
check "a file that is not there" 1 "did you mean '.*models/BouncingBall.mo'" "$acausal" simulate "$models/BouncingBal.mo"
check "a class that is not there" 1 "did you mean 'BouncingBall'" "$acausal" simulate "$models/BouncingBall.mo" BouncingBal
check "a class in place of its file" 1 'there is a file BouncingBall.mo here' sh -c "cd '$models' && '$acausal' simulate BouncingBall"
check "a bad expression" 1 'E0901' "$acausal" simulate "$models/BouncingBall.mo" --vars '('
check "too few steps" 3 '^acausal simulate: .*steps' "$acausal" simulate "$models/BouncingBall.mo" --option max-steps=3 -o "$dir/cut.csv"
check "rows so far are there" 0 '^time,' head -n 1 "$dir/cut.csv"
ln -s /dev/full "$dir/full.csv"
check "a full disk" 3 'No space left' "$acausal" simulate "$models/Pendulum.mo" -o "$dir/full.csv"

printf 'model Blow\n  Real x(start = 1, fixed = true);\nequation\n  der(x) = x ^ 2;\nend Blow;\n' >"$dir/blow.mo"
check "a solution that blows up" 3 "^acausal simulate: .*'?x" "$acausal" simulate "$dir/blow.mo" --stop 2
printf 'model Root\n  Real x(start = 1, fixed = true);\n  Real y;\nequation\n  der(x) = -2;\n  y = sqrt(x);\n  assert(x > -0.1, "x is too small");\nend Root;\n' >"$dir/root.mo"
check "an assertion that fails" 3 'x is too small' "$acausal" simulate "$dir/root.mo"
printf 'model Twice\n  Real x;\nequation\n  x = 1;\n  x = 2;\nend Twice;\n' >"$dir/twice.mo"
check "too many equations" 1 'error' "$acausal" simulate "$dir/twice.mo"

# A model that needs more memory than there is says so, and what for; sanitizers need all addresses.
cat > "$dir/large.mo" <<'END'
model Large
  function f
    input Real a[:,:];
    output Real y[size(a, 1), size(a, 2)];
  algorithm
    for i in 1:size(a, 1) loop
      for j in 1:size(a, 2) loop
        y[i,j] := 2*a[i,j] + i;
      end for;
    end for;
  end f;
  parameter Integer n = 60;
  parameter Real a[n,n] = {{i + j for i in 1:n} for j in 1:n};
  parameter Real b[n,n] = f(a);
  Real x = b[2,3]*time;
end Large;
END
if (ulimit -v 1000000 && "$acausal" --version) >"$dir/limited" 2>&1; then
    check "more memory than there is" 1 "'Large' is too large to .* need more than .* GB" \
        sh -c "ulimit -v 1000000; exec '$acausal' simulate '$dir/large.mo'"
fi

check_end
