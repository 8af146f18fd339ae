# Models as FMUs: written in both versions, checked by the rules, run again with the same result; refused with a reason, and never half-written.
acausal=$1
here=$(dirname "$0")
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/check.sh"
command -v cc > /dev/null || { echo "skipped: there is no C compiler"; exit 77; }

cat > "$dir/Plant.mo" <<'MO'
model Plant "Every kind of variable & 'odd' names"
  type Mode = enumeration(off "idle", on);
  type Rate = Real(quantity = "Rate", unit = "1/s");
  parameter Rate k(min = 0) = 2 "Rate";
  parameter Real twice = 2*k;
  parameter Integer count = 3;
  parameter String label = "a <unit>";
  final parameter Boolean fast = true;
  constant Real pi2 = 6.28;
  input Real u(unit = "V", start = 0.5);
  output Real y(unit = "degC", displayUnit = "K");
  Real x(start = 1, fixed = true), z(start = 0.5), v[3](each start = 0.25, each fixed = true), 'a <b>&"c"'(nominal = 1e3);
  Real same;
  Mode mode(start = Mode.off, fixed = true);
  String text(start = "none", fixed = true);
  discrete Integer n(start = 0, fixed = true);
  Real late;
equation
  der(x) = -k*x + u;
  z^3 + z = x + 0.1*time;
  der(v) = -{1, 2, 3}.*v + fill(x, 3);
  'a <b>&"c"' = 1000*x;
  same = x;
  y = x + z + (if x > 0.6 then 0.1 else 0);
  late = delay(x, 0.3);
  when sample(0.25, 0.25) then
    n = pre(n) + 1;
    mode = if n > 2 then Mode.on else Mode.off;
    text = label + String(n);
  end when;
  annotation(experiment(StartTime = 0, StopTime = 2, Tolerance = 1e-7, Interval = 0.01));
end Plant;
MO
cat > "$dir/Files.mo" <<'MO'
model Files
  function lines
    input String name;
    output Integer n;
  external "C" n = ModelicaInternal_stat(name);
  end lines;
  Real x(start = 1, fixed = true);
  Integer n(start = 0, fixed = true);
equation
  der(x) = -x;
  when x < 0.5 then
    n = lines("a file" + String(x > 1));
  end when;
end Files;
MO
cat > "$dir/Lines.mo" <<MO
model Lines "Reads text, in initial equations"
  function line
    input String name;
    input Integer k;
    output String text;
    output Boolean ended;
  external "C" text = ModelicaInternal_readLine(name, k, ended);
  end line;
  function lines
    input String name;
    output Integer n;
  external "C" n = ModelicaInternal_countLines(name);
  end lines;
  parameter Integer n = lines("$dir/text.txt");
  parameter Real second(fixed = false);
  Real x(start = 0, fixed = true);
initial equation
  second = if line("$dir/text" + ".txt", n - 1) == "two" then 2 else 0;
equation
  der(x) = n + second;
  annotation(experiment(StopTime = 1));
end Lines;
MO
printf 'one\ntwo\nthree' > "$dir/text.txt"
cat > "$dir/Steep.mo" <<'MO'
model Steep "What comes out of a delay is what went in, however long the importer's steps are"
  Real x(start = 0, fixed = true), pulse, late, twice;
equation
  der(x) = 1;
  pulse = exp(-((x - 0.3)/0.02)^2);
  late = delay(pulse, 0.2);
  twice = delay(late, 0.2);
  annotation(experiment(StopTime = 1, Tolerance = 1e-6));
end Steep;
MO
cat > "$dir/Ext.mo" <<'MO'
package Ext
  record Pair
    Real a;
    Integer n;
  end Pair;
  function mul
    input Real x;
    output Real y;
    external "C" y = own_mul(x) annotation(Include = "#include \"ModelicaUtilities.h\"
static double own_mul(double x) { if (x > 10) ModelicaError(\"too large\"); return 3 * x; }");
  end mul;
  function total
    input Pair p;
    output Real y;
    external "C" y = own_total(p) annotation(Include = "struct own_pair { double a; int n; };
static double own_total(void *q) { struct own_pair *p = q; return p->a * p->n; }");
  end total;
  model Text
    Real x(start = 1, fixed = true), y, z;
  equation
    der(x) = -mul(x);
    y = mul(x);
    z = total(Pair(x, 2));
    annotation(experiment(StopTime = 1));
  end Text;
  model Wrong
    Real x(start = 9, fixed = true);
  equation
    der(x) = mul(x);
    annotation(experiment(StopTime = 1));
  end Wrong;
  function solve
    input Real A[:, size(A, 1)];
    input Real b[size(A, 1)];
    output Real x[size(A, 1)] = b;
    output Integer info;
  protected
    Real work[size(A, 1), size(A, 1)] = A;
    Integer pivots[size(A, 1)];
    external "FORTRAN 77" dgesv(size(A, 1), 1, work, size(A, 1), pivots, x, size(A, 1), info);
  end solve;
  model Lapack
    Real x[3], s(start = 1, fixed = true);
    Integer info;
  equation
    (x, info) = solve([2, 1, 0; 1, 3, time; 0, 1, 4], {3, 5.25, s});
    der(s) = -x[1];
    annotation(experiment(StopTime = 1));
  end Lapack;
end Ext;
MO

cat > "$dir/Clash.mo" <<'MO'
model Clash "Two texts that define one structure, each in its own way"
  function f
    input Real u;
    output Real y;
    external "C" y = f_of(u) annotation(Include = "struct pair { double a, b; };
static double f_of(double u) { struct pair p = { u, 1 }; return p.a + p.b; }");
  end f;
  function g
    input Real u;
    output Real y;
    external "C" y = g_of(u) annotation(Include = "struct pair { double a; int n; };
static double g_of(double u) { struct pair p = { u, 2 }; return p.a * p.n; }");
  end g;
  Real x = f(time) + g(time);
end Clash;
MO

# All signals of the model are in the FMU's result; with "bits", with the same doubles.
same() {
    python3 - "$1" "$2" "$3" <<'PY'
import csv, sys
def read(path):
    rows = list(csv.reader(open(path)))
    return rows[0], rows[1:]
(names, a), (others, b) = read(sys.argv[1]), read(sys.argv[2])
place = {n: k for k, n in enumerate(others)}
number = lambda text: float(text) if text else 0.0
if sys.argv[3] == 'bits':
    ok = len(a) == len(b) and all(r[k] == q[place[n]] for r, q in zip(a, b) for k, n in enumerate(names))
else:
    last = {q[0]: q for q in b}
    ok = all(abs(number(r[k]) - number(last[r[0]][place[n]])) < 1e-4 for r in a[-1:] for k, n in enumerate(names))
sys.exit(not ok)
PY
}

cat > "$dir/described.py" <<'PY'
import re, sys, zipfile
two = zipfile.ZipFile(sys.argv[1] + '/plant2.fmu').read('modelDescription.xml').decode()
three = zipfile.ZipFile(sys.argv[1] + '/plant3.fmu').read('modelDescription.xml').decode()
def variable(text, name):
    found = re.search(r'<(\w+) name="%s" [^\n]*' % re.escape(name), text)
    assert found, name
    return found.group(0)
for text in (two, three):
    assert 'causality="parameter" variability="tunable" initial="exact"' in variable(text, 'k'), variable(text, 'k')
    assert 'calculatedParameter' in variable(text, 'twice')
    assert 'causality="parameter"' in variable(text, 'label') and '"a &lt;unit&gt;"' in variable(text, 'label')
    assert 'causality="input"' in variable(text, 'u') and 'start="0.5"' in variable(text, 'u')
    assert 'causality="output"' in variable(text, 'y')
    assert 'variability="constant"' in variable(text, 'pi2')
    assert "name=\"'a &lt;b&gt;&amp;&quot;c&quot;'\"" in text
    assert '<Item name="off" value="1"/>' in text
    assert 'name="Plant.Rate"' in text and 'quantity="Rate" unit="1/s"' in text and 'declaredType="Plant.Rate"' in text
    assert '<BaseUnit K="1" offset="273.15"/>' in text and '<DisplayUnit name="K" offset="273.15"/>' in text
    assert 'stopTime="2"' in text and 'tolerance="1e-07"' in text.replace('1e-7', '1e-07')
reference = lambda text, name: re.search(r'valueReference="(\d+)"', variable(text, name)).group(1)
assert reference(two, 'same') == reference(two, 'x')
assert '<Alias name="same"' in variable(three, 'x')
assert '<Dimension start="3"/>' in variable(three, 'v') and '<Dimension start="3"/>' in variable(three, 'der(v)')
assert 'dependenciesKind="fixed constant"' in two or 'dependenciesKind="constant fixed"' in two, 'der(x) depends on x and u'
PY
cat > "$dir/Ball.mo" <<'MO'
model Ball
  Real h(start = 1, fixed = true), v(start = 0, fixed = true);
equation
  der(h) = v;
  der(v) = -9.81;
  when h < 0 then
    reinit(v, -0.8*pre(v));
  end when;
  annotation(experiment(StopTime = 1));
end Ball;
MO

check "the model runs" 0 "" "$acausal" simulate "$dir/Plant.mo" -o "$dir/model.csv" --solver dopri5 --quiet
for version in 2 3; do
    check "FMI $version is written" 0 "FMI $version.0, me,cs" "$acausal" export "$dir/Plant.mo" -o "$dir/plant$version.fmu" --fmi $version
    check "FMI $version follows the rules" 0 "" "$acausal" fmu validate "$dir/plant$version.fmu" --quiet
    check "FMI $version runs as a slave" 0 "" "$acausal" simulate "$dir/plant$version.fmu" --kind cs -o "$dir/cs.csv" --quiet
    check "FMI $version: co-simulation ends where the model ends" 0 "" same "$dir/model.csv" "$dir/cs.csv" near
done
for version in 2 3; do
    check "FMI $version: a text is set" 0 "" "$acausal" simulate "$dir/plant$version.fmu" --set "label=other " -o "$dir/me.csv" --quiet
    check "FMI $version: and is used" 0 "other 8" tail -1 "$dir/me.csv"
done
check "the descriptions hold what the model says" 0 "" python3 "$dir/described.py" "$dir"

# The same model is the same FMU, bit by bit, on another day, in another directory and time zone.
again() { # version
    "$acausal" export "$dir/Ball.mo" --fmi "$1" --sources -o "$dir/first.fmu" --quiet && mkdir -p "$dir/elsewhere" &&
        (cd "$dir/elsewhere" && TZ=Asia/Tokyo "$acausal" export "$dir/Ball.mo" --fmi "$1" --sources -o second.fmu --quiet) &&
        cmp "$dir/first.fmu" "$dir/elsewhere/second.fmu"
}
check "the same bits twice, version 2" 0 '^$' again 2
check "the same bits twice, version 3" 0 '^$' again 3
check "a date that is given" 0 'generationDateAndTime="2001-09-09T01:46:40Z"' sh -c "SOURCE_DATE_EPOCH=1000000000 '$acausal' export '$dir/Ball.mo' -o '$dir/dated.fmu' --quiet && python3 -c 'import sys, zipfile; print(zipfile.ZipFile(sys.argv[1]).read(\"modelDescription.xml\").decode())' '$dir/dated.fmu'"
check "a ball falls" 0 "" "$acausal" simulate "$dir/Ball.mo" -o "$dir/model.csv" --quiet
for version in 2 3; do
    check "a ball of FMI $version" 0 "" "$acausal" export "$dir/Ball.mo" -o "$dir/ball.fmu" --fmi $version --kind me --quiet
    check "it falls" 0 "" "$acausal" simulate "$dir/ball.fmu" -o "$dir/me.csv" --quiet
    check "FMI $version: model exchange gives the same bits" 0 "" same "$dir/model.csv" "$dir/me.csv" bits
done

# Text that a model reads goes with it.
check "text is read in initial equations" 0 "" "$acausal" simulate "$dir/Lines.mo" -o "$dir/lines.csv" --quiet
check "text goes into the resources" 0 "1 data file" "$acausal" export "$dir/Lines.mo" -o "$dir/lines.fmu"
mv "$dir/text.txt" "$dir/away.txt"
for kind in me cs; do
    check "it is read from there ($kind)" 0 "" "$acausal" simulate "$dir/lines.fmu" --kind $kind -o "$dir/me.csv" --quiet
    check "and is the same ($kind)" 0 "" same "$dir/lines.csv" "$dir/me.csv" near
done

# C text of a model is compiled in; where a function has no derivative, the FMU offers none. LAPACK is linked, or asked for by name.
for class in Text Lapack; do
    check "$class runs" 0 "" "$acausal" simulate "$dir/Ext.mo" Ext.$class -o "$dir/ext.csv" --quiet
    if "$acausal" export "$dir/Ext.mo" Ext.$class -o "$dir/ext.fmu" > "$dir/said" 2>&1; then
        for kind in me cs; do
            check "$class runs as an FMU ($kind)" 0 "" "$acausal" simulate "$dir/ext.fmu" --kind $kind -o "$dir/me.csv" --quiet
            check "and is the same ($kind)" 0 "" same "$dir/ext.csv" "$dir/me.csv" near
        done
    else
        check "$class is not exported without archives" 0 "no static archive of it" cat "$dir/said"
    fi
done
check "what C text says ends the run" 3 "too large" sh -c "'$acausal' export '$dir/Ext.mo' Ext.Wrong -o '$dir/wrong.fmu' --quiet && '$acausal' simulate '$dir/wrong.fmu' --log"

# Two declarations of one C function that pass other things are two functions of the model, and one of the library.
cat > "$dir/Own.mo" <<MO
package Own
  function one
    input Real u[1];
    output Real y;
    external "C" own_twice(u, y) annotation(Library = "own", LibraryDirectory = "file://$dir");
  end one;
  function list
    input Real u[1];
    output Real y[1];
    external "C" own_twice(u, y) annotation(Library = "own", LibraryDirectory = "file://$dir");
  end list;
  model Both
    Real x(start = 1, fixed = true), y[1];
  equation
    der(x) = -one({x});
    y = list({x + time});
    annotation(experiment(StopTime = 1));
  end Both;
end Own;
MO
echo 'void own_twice(const double *u, double *y) { *y = 2 * *u; }' > "$dir/own.c"
(cd "$dir" && cc -fPIC -c own.c && ar rcs libown.a own.o && cc -shared -o libown.so own.o)
check "two declarations of one function" 0 "" "$acausal" simulate "$dir/Own.mo" Own.Both -o "$dir/ext.csv" --quiet
for version in 2 3; do
    check "are exported" 0 "" "$acausal" export "$dir/Own.mo" Own.Both -o "$dir/ext.fmu" --fmi $version --quiet
    check "and run" 0 "" "$acausal" simulate "$dir/ext.fmu" --kind me -o "$dir/me.csv" --quiet
    check "as in the model" 0 "" same "$dir/ext.csv" "$dir/me.csv" near
done

# A model of nothing is one, too.
echo 'model Nothing end Nothing;' > "$dir/Nothing.mo"
for version in 2 3; do
    check "nothing is exported" 0 "" "$acausal" export "$dir/Nothing.mo" -o "$dir/nothing.fmu" --fmi $version --quiet
    check "follows the rules" 0 "follows the standard" "$acausal" fmu validate "$dir/nothing.fmu"
    for kind in me cs; do check "and runs" 0 "" "$acausal" simulate "$dir/nothing.fmu" --kind $kind -o "$dir/me.csv" --quiet; done
done

# The FMU notes what goes into a delay between the ends of steps, from what it knows of both: a pulse of a tenth of a step comes out of two delays
# as it went in.
pulse() {
    python3 - "$1" <<'PY'
import csv, math, sys
rows = csv.DictReader(open(sys.argv[1]))
worst = max(abs(float(r['twice']) - (math.exp(-((float(r['time']) - 0.7)/0.02)**2) if float(r['time']) > 0.4 else 0)) for r in rows)
sys.exit(0 if worst < 2e-5 else str(worst))
PY
}
for version in 2 3; do
    check "a delay, FMI $version" 0 "" "$acausal" export "$dir/Steep.mo" -o "$dir/steep.fmu" --fmi $version --quiet
    for kind in me cs; do
        check "runs ($kind)" 0 "" "$acausal" simulate "$dir/steep.fmu" --kind $kind --points 1000 -o "$dir/steep.csv" --quiet
        check "and keeps its pulse ($kind)" 0 "" pulse "$dir/steep.csv"
    done
done

# Sources compile without warnings by whom they are given to, and build a binary that runs.
compile() {
    mkdir "$dir/sources" && cd "$dir/sources" && python3 -m zipfile -e ../sources.fmu . && cd sources || return 1
    for compiler in cc gcc clang; do
        command -v $compiler > /dev/null || continue
        for file in *.c; do $compiler -std=c99 -Wall -Wextra -Wpedantic -Werror -fsyntax-only "$file" || return 1; done
    done
}
check "sources alone" 0 "no binary" "$acausal" export "$dir/Ball.mo" -o "$dir/sources.fmu" --sources --platform none
check "sources compile without warnings" 0 "" compile
check "an FMU of sources is compiled and runs" 0 "" "$acausal" simulate "$dir/sources.fmu" --compile -o "$dir/me.csv" --quiet
check "and gives the same" 0 "" same "$dir/model.csv" "$dir/me.csv" near

# Eight instances in eight threads are eight instances one after the other; the binary needs libc and libm only, and is small.
threads() {
    mkdir "$dir/opened" && cd "$dir/opened" && python3 -m zipfile -e ../plant2.fmu . || return 1
    cc -O1 -o "$dir/threads" "$2" -ldl -lpthread || return 1
    "$dir/threads" "$1"/opened/binaries/linux64/Plant.so $(python3 - <<'PY'
import re
text = open('modelDescription.xml').read()
at = lambda name: re.search(r'name="%s" valueReference="(\d+)"' % name, text).group(1)
print(re.search(r'guid="([^"]*)"', text).group(1), at('k'), at('y'))
PY
    )
}
if [ "$(uname -m)" = x86_64 ]; then
    check "instances in threads" 0 "8 instances, 0 wrong" threads "$dir" "$(cd "$here" && pwd)/threads.c"
    check "libc, libm and the loader" 1 "" sh -c "ldd '$dir'/opened/binaries/linux64/Plant.so | grep -v 'libc[.]\|libm[.]\|ld-linux\|linux-vdso\|linux-gate'"
    check "less than 300 kB" 0 "" test "$(wc -c < "$dir"/opened/binaries/linux64/Plant.so)" -lt 300000
fi

# What cannot be exported is named with its place; nothing is left behind, and what was there stays.
cp "$dir/ball.fmu" "$dir/kept.fmu"
check "no such directory" 1 "could not be written" "$acausal" export "$dir/Ball.mo" -o "$dir/nowhere/ball.fmu"
check "no compiler" 1 "could not be started" env CC="$dir/no-compiler" "$acausal" export "$dir/Ball.mo" -o "$dir/kept.fmu"
check "a hint how to do without" 1 "platform none --sources" env CC="$dir/no-compiler" "$acausal" export "$dir/Ball.mo" -o "$dir/kept.fmu"
check "a compiler that fails" 1 "failed" env CC=false "$acausal" export "$dir/Ball.mo" -o "$dir/kept.fmu"
check "the old one stays" 0 "" cmp "$dir/ball.fmu" "$dir/kept.fmu"
check "nothing half-written" 1 "" sh -c "ls '$dir' | grep fmu[.]"
check "a function that needs files" 1 "Files.mo:2:12: an FMU cannot take along the external function 'ModelicaInternal_stat'" \
    "$acausal" export "$dir/Files.mo" -o "$dir/new.fmu"
check "C code that cannot be compiled" 1 "E0650.*redefinition" "$acausal" export "$dir/Clash.mo" -o "$dir/new.fmu"
check "no such solver" 2 "dopri5, radau5 or euler-li" "$acausal" export "$dir/Ball.mo" -o "$dir/new.fmu" --solver eulr
check "the name of an FMU" 2 "ends with .fmu" "$acausal" export "$dir/Ball.mo" -o "$dir/new.zip"
check "no such version" 2 "2 or 3" "$acausal" export "$dir/Ball.mo" -o "$dir/new.fmu" --fmi 4
check "no such kind" 2 "me, cs or me,cs" "$acausal" export "$dir/Ball.mo" -o "$dir/new.fmu" --kind mecs
check "an FMU again" 2 "is an FMU already" "$acausal" export "$dir/ball.fmu" -o "$dir/new.fmu"
check "no such platform" 2 "host .this machine. or none" "$acausal" export "$dir/Ball.mo" -o "$dir/new.fmu" --platform win64
check "no target" 2 "say where to" "$acausal" export "$dir/Ball.mo"

# Examples of the Modelica Standard Library, where it is at hand: rotating parts, circuits, tables, blocks, heat.
if [ -n "$ACAUSAL_MSL" ]; then
    for class in Electrical.Analog.Examples.CauerLowPassAnalog Mechanics.Rotational.Examples.CoupledClutches Blocks.Examples.PID_Controller \
        Electrical.Analog.Examples.HeatingRectifier Blocks.Examples.Noise.UniformNoise; do
        check "$class runs" 0 "" "$acausal" simulate --lib "$ACAUSAL_MSL" Modelica.$class -o "$dir/model.csv" --quiet
        check "$class is exported" 0 "" "$acausal" export --lib "$ACAUSAL_MSL" Modelica.$class -o "$dir/msl.fmu" --kind me --quiet
        check "$class follows the rules" 0 "" "$acausal" fmu validate "$dir/msl.fmu" --quiet
        check "$class runs again" 0 "" "$acausal" simulate "$dir/msl.fmu" -o "$dir/me.csv" --quiet
        check "$class ends where the model ends" 0 "" same "$dir/model.csv" "$dir/me.csv" near
    done
fi
check_end
