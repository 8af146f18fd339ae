# All models of a library: verdicts, references in three forms, resuming, reports; one that crashes or
# never ends is a row like any other.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failed=0
unset MODELICAPATH
export XDG_DATA_HOME="$dir/data" TMPDIR="$dir/tmp"
mkdir -p "$dir/tmp" "$dir/Lab" "$dir/refs/Lab/Nested"
cat >"$dir/Lab/package.mo" <<'M'
package Lab
  model Decay
    Real x(start = 1, fixed = true);
  equation
    der(x) = -x;
    annotation(experiment(StopTime = 1));
  end Decay;
  model Line
    Real x = 2*time, y = 7;
    annotation(experiment(StopTime = 4));
  end Line;
  model Nested
    Real x = time;
    annotation(experiment(StopTime = 1));
  end Nested;
  model Wrong
    Real x = z;
    annotation(experiment(StopTime = 1));
  end Wrong;
  model Fails
    Real x = sqrt(0.5 - time);
    annotation(experiment(StopTime = 1));
  end Fails;
  model Endless
    Integer n(start = 0);
  algorithm
    while n < 10 loop
      n := n*0;
    end while;
    annotation(experiment(StopTime = 1));
  end Endless;
  partial model Half
    annotation(experiment(StopTime = 1));
  end Half;
  model Silent
    Real x = time;
  end Silent;
end Lab;
M
check() { # what, command that must hold
    what=$1
    shift
    "$@" || { echo "failed: $what"; failed=1; }
}
has() { grep -q -- "$2" "$1"; }

# without references
"$acausal" test "$dir/Lab" --time-limit 1 -o "$dir/r" >"$dir/out" 2>&1
check 'exit code 1 where models fail' [ $? -eq 1 ]
check 'six models have an experiment' has "$dir/out" '^models 6  good 3 '
check 'not translated' has "$dir/r.tsv" '^Lab.Wrong	not translated	'
check 'fails' has "$dir/r.tsv" '^Lab.Fails	fails	'
check 'too slow' has "$dir/r.tsv" '^Lab.Endless	\(too slow\|fails\)	'
check 'JUnit counts' has "$dir/r.xml" 'tests="6" failures="0" errors="3"'
check 'JUnit names' has "$dir/r.xml" '<testcase classname="Lab" name="Decay"'
check 'a page' has "$dir/r.html" '<td>Lab.Decay</td><td class="v good">runs</td>'
check 'a table' has "$dir/r.md" '^| Lab.Wrong | not translated | '

# it goes on where it was stopped
grep -v 'Lab.Line' "$dir/r.tsv" >"$dir/less" && mv "$dir/less" "$dir/r.tsv"
"$acausal" test "$dir/Lab" --time-limit 1 -o "$dir/r" --all >"$dir/out" 2>&1
check 'five are done already' has "$dir/out" '5 of 6 models are done already'
check 'one runs' has "$dir/out" 'Lab.Line'
check 'the others do not' [ "$(grep -c 'Lab.Decay' "$dir/out")" -eq 0 ]
check 'all are counted' has "$dir/out" '^models 6 '
"$acausal" test "$dir/Lab" --time-limit 2 -o "$dir/r" >"$dir/out" 2>&1
check 'rows of another call are not taken' [ $? -eq 2 ]
check 'it says the way out' has "$dir/out" '--again'

# references
cat >"$dir/refs/Lab_Line.txt" <<'M'
last-generated=2026-01-01
time=[0, 4]
x=[0, 2, 4, 6, 8]
y=[7, 7]
M
cat >"$dir/refs/Lab/Nested/Nested.csv" <<'M'
time,x,other
0,0,5
1,1,5
M
echo 'x' >"$dir/refs/Lab/Nested/comparisonSignals.txt"
printf 'time,x\n0,1\n1,0.5\n' >"$dir/refs/Lab.Decay.csv"
"$acausal" test "$dir/Lab" --reference "$dir/refs" --filter 'Line|Nested|Decay' -o "$dir/v" >"$dir/out" 2>&1
check 'exit code 1 where a model differs' [ $? -eq 1 ]
check 'equidistant values' has "$dir/v.tsv" '^Lab.Line	passes	'
check 'signals that are named' has "$dir/v.tsv" '^Lab.Nested	passes	'
check 'another curve' has "$dir/v.tsv" '^Lab.Decay	differs	'
check 'the reference is named, not its copy' has "$dir/v.tsv" 'Lab_Line.txt'
check 'a difference is a failure' has "$dir/v.xml" '<failure type="differs"'

# a second run; only checks; nothing at all; no library
"$acausal" test "$dir/Lab" --verify --filter 'Line|Decay' >"$dir/out" 2>&1
check 'verified' [ $? -eq 0 ]
check 'both' has "$dir/out" 'good 2  passes 2 '
"$acausal" test "$dir/Lab" --check --filter 'Line|Decay|Wrong' >"$dir/out" 2>&1
check 'only checked' has "$dir/out" 'good 2  passes 0  runs 0  checks 2 '
"$acausal" test Nope --lib "$dir" >"$dir/out" 2>&1
check 'no such library' [ $? -eq 1 ]
check 'where it was looked for' has "$dir/out" "looked in $dir"
"$acausal" test "$dir/Lab" --filter '(' >"$dir/out" 2>&1
check 'a filter that is none' has "$dir/out" 'not a regular expression'
check 'no references are left behind' [ "$(ls "$dir/tmp" | grep -c '^acausal-reference')" -eq 0 ]
exit $failed
