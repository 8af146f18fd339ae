# FMUs as a user meets them: shown, checked, run in both ways, and refused with a reason when something is wrong.
acausal=$1
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/check.sh"

python3 "$here/../fmus/make.py" "$dir" || exit 1
cp "$dir/decay_2.fmu" "$dir/decay.fmu"
python3 - "$dir" "$here/../fmus" <<'PY'
import os, stat, sys, zipfile
dir = sys.argv[1]
with zipfile.ZipFile(os.path.join(dir, 'decay.fmu')) as z:
    xml, binary = z.read('modelDescription.xml').decode(), z.read('binaries/linux64/decay.so')
def fmu(name, entries):
    with zipfile.ZipFile(os.path.join(dir, name), 'w', zipfile.ZIP_DEFLATED) as z:
        for path, data in entries:
            z.writestr(path, data)
so = 'binaries/linux64/decay.so'
fmu('nobinary.fmu', [('modelDescription.xml', xml), ('binaries/win64/decay.dll', b'MZ')])
fmu('token.fmu', [('modelDescription.xml', xml.replace('{decay}', '{other}')), (so, binary)])
fmu('outside.fmu', [('modelDescription.xml', xml), ('../evil', b'x')])
fmu('absolute.fmu', [('modelDescription.xml', xml), ('/evil', b'x')])
fmu('bomb.fmu', [('modelDescription.xml', xml), ('resources/zeros', b'\0' * 30000000)])
fmu('empty.fmu', [('readme.txt', b'nothing')])
fmu('broken.fmu', [('modelDescription.xml', xml.replace('</ModelVariables>', '')), (so, binary)])
fmu('rules.fmu', [('modelDescription.xml', xml.replace('name="k" valueReference="3" causality="parameter" variability="fixed" initial="exact"><Real start="1"', 'name="k" valueReference="3" causality="parameter" variability="fixed" initial="exact"><Real')), (so, binary)])
fmu('text.fmu', [('modelDescription.xml', xml), (so, b'this is no library')])
import re
named = lambda name: re.sub('<ModelExchange [^>]*/>', lambda _: '<ModelExchange modelIdentifier="decay"><SourceFiles><File name="%s"/></SourceFiles></ModelExchange>' % name, xml)
text = '#define MODEL decay.c\n#define TOKEN "{decay}"\n#include "fmi2.c"\n'
files = [('sources/' + f, open(os.path.join(sys.argv[2], f)).read()) for f in ('fmi2.c', 'model.h', 'decay.c')]
fmu('sources.fmu', [('modelDescription.xml', named('all.c')), ('sources/all.c', text)] + files)
fmu('shell.fmu', [('modelDescription.xml', named("a';touch evil;'.c")), ("sources/a';touch evil;'.c", 'no C')])
with zipfile.ZipFile(os.path.join(dir, 'decay_3.fmu')) as z:
    xml3, binary3 = z.read('modelDescription.xml').decode(), z.read('binaries/x86_64-linux/decay.so')
build = '<fmiBuildDescription fmiVersion="3.0"><BuildConfiguration modelIdentifier="decay"><SourceFileSet language="C99"><SourceFile name="all.c"/><PreprocessorDefinition name="MODEL" value="decay.c"/><PreprocessorDefinition name="TOKEN" value="&quot;{decay}&quot;"/><IncludeDirectory name="inner"/></SourceFileSet><Library name="m"/></BuildConfiguration></fmiBuildDescription>'
files3 = [('sources/inner/' + f, open(os.path.join(sys.argv[2], f)).read()) for f in ('fmi3.c', 'model.h', 'decay.c')]
fmu('build3.fmu', [('modelDescription.xml', xml3), ('sources/buildDescription.xml', build), ('sources/all.c', '#include "fmi3.c"\n')] + files3)
terminals = '<fmiTerminalsAndIcons fmiVersion="3.0"><Terminals><Terminal name="plug" matchingRule="plug" terminalKind="signals"><TerminalMemberVariable variableName="u" memberName="in" variableKind="signal"/><Terminal name="inner" matchingRule="plug"><TerminalMemberVariable variableName="%s" memberName="out" variableKind="signal"/></Terminal></Terminal></Terminals></fmiTerminalsAndIcons>'
so3 = 'binaries/x86_64-linux/decay.so'
fmu('plug.fmu', [('modelDescription.xml', xml3), (so3, binary3), ('terminalsAndIcons/terminalsAndIcons.xml', terminals % 'y'), ('terminalsAndIcons/icon.png', b'PNG')])
fmu('badplug.fmu', [('modelDescription.xml', xml3), (so3, binary3), ('terminalsAndIcons/terminalsAndIcons.xml', terminals % 'nothing')])
import subprocess
cc, fmus = os.environ.get('CC', 'cc'), sys.argv[2]
def compiled(name, text, *more):
    open(os.path.join(dir, name + '.c'), 'w').write(text)
    subprocess.run([cc, '-shared', '-fPIC', '-w', '-I' + fmus, '-o', os.path.join(dir, name + '.so'), os.path.join(dir, name + '.c'), *more], check=True)
    return open(os.path.join(dir, name + '.so'), 'rb').read()
whole_fmu = '#define MODEL decay.c\n#define TOKEN "{decay}"\n#include "fmi2.c"\n'
fmu('nostate.fmu', [('modelDescription.xml', xml), (so, compiled('nostate', '#define NO_STATE\n' + whole_fmu, '-lm'))])
compiled('libnotthere', 'int nothing_here(void) { return 0; }', '-Wl,-soname,libnotthere.so')
fmu('missing.fmu', [('modelDescription.xml', xml), (so, compiled('missing', whole_fmu + 'int nothing_here(void); int use(void) { return nothing_here(); }', '-L' + dir, '-lnotthere', '-lm'))])
more = xml.replace('</ModelVariables>', '<ScalarVariable name="x2" valueReference="8" causality="local" variability="continuous" initial="exact"><Real start="0"/></ScalarVariable><ScalarVariable name="der(x2)" valueReference="9" causality="local" variability="continuous" initial="calculated"><Real derivative="7"/></ScalarVariable></ModelVariables>')
fmu('count.fmu', [('modelDescription.xml', more.replace('</Derivatives>', '<Unknown index="8"/></Derivatives>')), (so, binary)])
for name, label, codec in (('utf16', 'UTF-16', 'utf-16'), ('latin1', 'ISO-8859-1', 'latin-1'), ('windows', 'windows-1252', 'cp1252'), ('klingon', 'klingon', 'utf-8')):
    words = xml.replace('encoding="UTF-8"', 'encoding="%s"' % label).replace('modelName="decay"', 'modelName="d\u00e9cay"')
    fmu(name + '.fmu', [('modelDescription.xml', words.encode(codec)), (so, binary)])
fmu('entity.fmu', [('modelDescription.xml', xml.replace('<fmiModelDescription', '<!DOCTYPE a [<!ENTITY b "c">]><fmiModelDescription', 1)), (so, binary)])
fmu('nofunction.fmu', [('modelDescription.xml', xml), (so, compiled('nofunction', 'int nothing;'))])
fmu('tolerance.fmu', [('modelDescription.xml', re.sub('<DefaultExperiment', '<DefaultExperiment tolerance="1"', re.sub(' tolerance="[^"]*"', '', xml))), (so, binary)])
fmu('tunable.fmu', [('modelDescription.xml', xml.replace('causality="parameter" variability="fixed"', 'causality="parameter" variability="tunable"')), (so, binary)])
import warnings
warnings.simplefilter('ignore')
fmu('twice.fmu', [('modelDescription.xml', xml), (so, binary), ('modelDescription.xml', xml), (so, b'this is no library')])
with zipfile.ZipFile(os.path.join(dir, 'pass_2.fmu')) as z:
    words, binary_p = z.read('modelDescription.xml').decode(), z.read('binaries/linux64/pass.so')
words = re.sub('<ScalarVariable name="s" [^>]*>.*?</ScalarVariable>', '<ScalarVariable name="s" valueReference="9" causality="parameter" variability="fixed" initial="exact"><String start="told"/></ScalarVariable>', words, flags=re.S)
fmu('told.fmu', [('modelDescription.xml', words), ('binaries/linux64/pass.so', binary_p)])
link = zipfile.ZipInfo('link')
link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
fmu('link.fmu', [('modelDescription.xml', xml), (link, '/etc')])
whole = open(os.path.join(dir, 'decay.fmu'), 'rb').read()
open(os.path.join(dir, 'cut.fmu'), 'wb').write(whole[:len(whole) // 2])
open(os.path.join(dir, 'text.txt.fmu'), 'w').write('no archive')
open(os.path.join(dir, 'u.csv'), 'w').write('time,u\n0,0\n1,0\n1,2\n3,2\n')
open(os.path.join(dir, 'tune.csv'), 'w').write('time,k\n0,1\n1,2\n3,2\n')
open(os.path.join(dir, 'all.csv'), 'w').write('time,rc,rd,i,b\n0,0,0,0,0\n1,1,0,0,0\n1,1,2,3,1\n2,2,2,3,1\n')
PY

last_row() { # fmu, kind, variables, more options
    "$acausal" simulate "$dir/$1.fmu" --kind "$2" --vars "$3" -o "$dir/last.csv" --quiet $4 2>/dev/null && tail -n 1 "$dir/last.csv"
}

check "what it holds" 0 '^continuous +1 states, 0 event indicators' "$acausal" fmu info "$dir/decay.fmu"
check "for machines" 0 '"name":"der\(x\)"' "$acausal" fmu info "$dir/decay.fmu" --json
check "it follows the standard" 0 'follows the standard' "$acausal" fmu validate "$dir/decay.fmu"
check "model exchange" 0 '^t = 3  states 1' "$acausal" simulate "$dir/decay.fmu"
check "the closed form" 0 '^3,0\.0497870' sh -c "'$acausal' simulate '$dir/decay.fmu' --vars x -o '$dir/x.csv' --quiet && tail -n 1 '$dir/x.csv'"
check "co-simulation" 0 '^3,0\.0497870' sh -c "'$acausal' simulate '$dir/decay.fmu' --kind cs --vars x -o '$dir/c.csv' --quiet && tail -n 1 '$dir/c.csv'"
check "both agree" 0 ' 0 different' "$acausal" compare "$dir/x.csv" "$dir/c.csv"
check "its own derivatives are used" 0 '^Jacobian values +directional derivatives' "$acausal" simulate "$dir/decay.fmu" --solver radau5 --stats
check "time events" 0 '^time events +3' "$acausal" simulate "$dir/decay.fmu" --stats
check "a parameter" 0 '^3,0\.0024787' sh -c "'$acausal' simulate '$dir/decay.fmu' --set k=2 --vars x -o '$dir/k.csv' --quiet && tail -n 1 '$dir/k.csv'"
check "an input that jumps" 0 '^3,1\.7791' sh -c "'$acausal' simulate '$dir/decay.fmu' --input '$dir/u.csv' --vars x -o '$dir/u1.csv' --quiet && tail -n 1 '$dir/u1.csv'"
check "an input in co-simulation" 0 '^3,1\.7791' sh -c "'$acausal' simulate '$dir/decay.fmu' --kind cs --input '$dir/u.csv' --vars x -o '$dir/u2.csv' --quiet && tail -n 1 '$dir/u2.csv'"
for kind in me cs; do
    check "a tunable parameter over time, $kind" 0 '^3,0\.0067379' last_row tunable "$kind" x "--input $dir/tune.csv"
    check "a parameter that is not tunable, $kind" 1 "has no input 'k'" "$acausal" simulate "$dir/decay.fmu" --kind "$kind" --input "$dir/tune.csv"
done
check "the FMU is told the texts of its parameters" 0 '^2,told$' last_row told me s_out
check "a tolerance of 1" 0 'tolerance 1 of its experiment should be between 0 and 1' "$acausal" simulate "$dir/tolerance.fmu"
check "a file that is there twice" 0 "'binaries/linux64/decay.so' twice, with other contents" "$acausal" simulate "$dir/twice.fmu"
check "what the FMU computes cannot be set" 1 'the FMU computes it' "$acausal" simulate "$dir/decay.fmu" --set y=1
check "an unknown kind" 1 'should be me or cs' "$acausal" simulate "$dir/decay.fmu" --kind xy

# Every model in every version and both ways: its last row, within what 1e-7 or a fixed step allows.
for way in "1_me me" "1_cs cs" "2 me" "2 cs" "3 me" "3 cs"; do
    set -- $way
    check "decay, $way" 0 '^3,0\.049787' last_row "decay_$1" "$2" x
    check "ball, $way" 0 '^1,0\.2250' last_row "ball_$1" "$2" 'h|v' '--stop 1'
    check "oscillator, $way" 0 '^10,-1\.15870' last_row "vdp_$1" "$2" x0
    check "inputs of all types, $way" 0 '^2,2,2,3,1$' last_row "pass_$1" "$2" '(rc|rd|i|b)_out' "--input $dir/all.csv"
    check "description, $way" 0 'follows the standard' "$acausal" fmu validate "$dir/stair_$1.fmu"
done
for way in "2 me" "2 cs" "3 me" "3 cs"; do
    set -- $way
    check "an FMU that asks to end, $way" 0 '^9,10,97$' last_row "stair_$1" "$2" '.*'
done

check "a state space of arrays, me" 0 '^1,0\.540302[0-9]*,0\.841470' last_row space_3 me 'x.*'
check "a state space of arrays, cs" 0 '^1,0\.540302[0-9]*,0\.841470' last_row space_3 cs 'x.*'
check "an element of an array" 0 '^1,2$' last_row space_3 me 'x.1.' '--set A[1,2]=0 --set A[2,1]=0 --set x[1]=2'
check "clocks, me" 0 '^2,4,3,6$' last_row clock_3 me '.*s'
check "clocks, cs" 0 '^2,4,3,6$' last_row clock_3 cs '.*s'

# Inputs that are straight lines: told with their slopes, so co-simulation is as good as its own integration.
printf 'time,u\n0,0\n3,3\n' >"$dir/ramp.csv"
for way in "1_cs" "2" "3"; do
    check "the slope of an input, version $way" 0 '^3,2\.09957[0-9]*$' last_row "decay_$way" cs x "--input $dir/ramp.csv --interval 0.5"
done
check "a ramp in model exchange" 0 '^3,2\.0995741' last_row decay_2 me x "--input $dir/ramp.csv"

# Values of all types, as they are given.
check "a text" 0 '^2,a=b$' last_row pass_3 me s_out '--set s=a=b'
check "bytes" 0 '^2,00ff$' last_row pass_3 cs bytes_out '--set bytes=00ff'
check "a large integer" 0 '^2,-9007199254740993$|^2,-9007199254740992$' last_row pass_3 me large_out '--set large=-9007199254740993'
check "too large for its type" 1 'not a value of its type' "$acausal" simulate "$dir/pass_3.fmu" --set small=256
check "a text that is never there" 0 '^2,""$' last_row pass_2 me nothing
printf 'time,s,i\n0,x,0\n1,x,1\n1,"y, z",2\n' >"$dir/texts.csv"
check "texts over time" 0 '^2,2,"y, z"$' last_row pass_2 me '(s|i)_out' "--input $dir/texts.csv"

# What a step may end with.
check "discarded steps go back" 0 '^2,0\.13533[0-9]*$' last_row bad_2 cs x '--set what=8 --interval 0.5'
check "asynchronous steps" 0 '^2,0\.13533[0-9]*$' last_row bad_2 cs x '--set what=9 --interval 0.1'

# A run that goes on from the state of another one ends where a whole one does.
for kind in me cs; do
    check "a state is saved, $kind" 0 '^t = 1' "$acausal" simulate "$dir/decay_3.fmu" --kind $kind --stop 1 --save-state "$dir/$kind.state"
    check "and gone on from, $kind" 0 '^3,0\.049787[0-9]*,3$' last_row decay_3 $kind 'x|count' "--init $dir/$kind.state --stop 3"
done
check "the state of another FMU" 1 'is the state of another FMU' "$acausal" simulate "$dir/vdp_3.fmu" --init "$dir/me.state"
check "of the other kind" 1 'from a run with --kind cs' "$acausal" simulate "$dir/decay_3.fmu" --init "$dir/cs.state"
check "an FMU that has no bytes for it" 1 'offers no bytes' "$acausal" simulate "$dir/decay_2.fmu" --save-state "$dir/2.state"

# What FMUs in the wild do: contained, or forgiven with a warning.
cd "$dir" && mkdir away && cd away || exit 1
for way in "1_me me" "1_cs cs" "2 me" "2 cs" "3 me" "3 cs"; do
    set -- $way
    check "a wild one, $way" 0 '^3,0\.006737|^3,0\.006738' last_row "wild_$1" "$2" x
done
check "it left nothing where it was" 0 '^0$' sh -c 'ls | wc -l'
cd .. || exit 1
check "it does not print where results go" 0 '^\{.*\}$' sh -c "'$acausal' simulate '$dir/wild_2.fmu' --stats=json 2>/dev/null"
check "rounding is as it was" 0 ' 0 different' sh -c "'$acausal' simulate '$dir/wild_2.fmu' --stop 0.9 -o w.csv --vars x --quiet 2>/dev/null; '$acausal' simulate '$dir/decay_2.fmu' --stop 0.9 -o d.csv --vars x --quiet; cmp w.csv d.csv && '$acausal' compare w.csv d.csv"
check "a tool that it says it needs" 0 'needs another program to run; trying without' "$acausal" simulate "$dir/wild_2.fmu"
check "functions that are missing and not needed" 0 '^t = 3' "$acausal" simulate "$dir/nostate.fmu"
check "nor in co-simulation" 0 '^t = 3' "$acausal" simulate "$dir/nostate.fmu" --kind cs
check "a library that is missing" 1 "install the library 'libnotthere.so'" "$acausal" simulate "$dir/missing.fmu"
check "a function that is missing" 1 'its binary has no function fmi2Instantiate' "$acausal" simulate "$dir/nofunction.fmu"

# What an FMU can do wrong while it runs is a failed run with the rows so far.
check "not a number" 3 '(is not a|no) number,? at t = 0.99999' "$acausal" simulate "$dir/bad_2.fmu" --set what=1
check "an error, with its words" 3 'get derivatives with an error: something went wrong' "$acausal" simulate "$dir/bad_3.fmu" --set what=2
check "an error in co-simulation" 3 'do step with an error: something went wrong' "$acausal" simulate "$dir/bad_2.fmu" --kind cs --set what=2
check "a fatal error" 3 'a fatal error' "$acausal" simulate "$dir/bad_1_me.fmu" --set what=3
check "evaluations that are discarded" 3 'discarded' "$acausal" simulate "$dir/bad_2.fmu" --set what=4 -o "$dir/bad.csv"
check "its rows" 0 '^0\.99[0-9]*,' tail -n 1 "$dir/bad.csv"
check "events without end" 3 'again and again' "$acausal" simulate "$dir/bad_3.fmu" --set what=7

check "a crash, isolated" 3 'crashed the process .*Abort.* after t' "$acausal" simulate "$dir/bad_2.fmu" --set what=5 --isolate -o "$dir/crash.csv"
check "the rows before the crash" 0 '^0\.9[0-9]*,' tail -n 1 "$dir/crash.csv"
check "one that hangs, isolated" 3 'did not answer for 0.5 s' "$acausal" simulate "$dir/bad_2.fmu" --set what=6 --isolate=0.5
check "a good one, isolated" 0 '^t = 3  states 1' "$acausal" simulate "$dir/decay.fmu" --isolate

# An error at each call is a run that fails with a reason, or one that does not need the call.
for way in "2 me" "2 cs" "3 me" "3 cs"; do
    set -- $way
    worst=none
    for f in $(sed -n "s/^int \\(fmi$1[A-Za-z0-9]*\\)(.*/\\1/p" "$here/../fmus/fmi$1.c" | grep -v FreeFMU); do # what is not freed is lost
        FAIL_AT=$f "$acausal" simulate "$dir/decay_$1.fmu" --kind "$2" --input "$dir/u.csv" --solver radau5 --points 20 -o "$dir/fail.csv" --quiet >"$dir/fail.txt" 2>&1
        code=$?
        { [ $code -eq 0 ] || { [ $code -eq 3 ] && grep -q "with an error" "$dir/fail.txt"; }; } || worst="$f: $code, $(tail -n 1 "$dir/fail.txt")"
    done
    check "an error at each call, $way" 0 '^none$' echo "$worst"
done
check "an instance that cannot be made" 1 'cannot be instantiated' "$acausal" simulate "$dir/token.fmu"
check "more states than the binary has" 3 'get states with an error' "$acausal" simulate "$dir/count.fmu"

# Every integrator of a kind gives the same, and the closed form.
for solver in dopri5 radau5 cvode-bdf bdf rodas; do
    check "by $solver" 0 '^3,0\.04978[67]' last_row decay_3 me x "--solver $solver"
    check "events by $solver" 0 '^1,0\.2250' last_row ball_2 me 'h|v' "--stop 1 --solver $solver"
done

# What foreign code may not do in a process of its own, where the kernel has a way to promise it.
export EVIL="$dir/evil"
if python3 -c 'import ctypes, sys; sys.exit(ctypes.CDLL(None).syscall(444, None, 0, 1) < 1)' 2>/dev/null; then
    check "it writes where it likes" 3 'written outside' "$acausal" simulate "$dir/bad_2.fmu" --set what=10
    rm -f "$EVIL"
    check "but not when isolated" 0 '^t = 2' "$acausal" simulate "$dir/bad_2.fmu" --set what=10 --isolate -o "$dir/held.csv"
    check "its result is there" 0 '^2,0\.1353' tail -n 1 "$dir/held.csv"
    check "and nothing else" 1 '' test -e "$EVIL"
    check "no network when isolated" 0 '^t = 2' "$acausal" simulate "$dir/bad_3.fmu" --set what=11 --isolate
fi

check "no such file" 1 'no such file' "$acausal" simulate "$dir/none.fmu"
check "not an archive" 1 'E1001' "$acausal" simulate "$dir/text.txt.fmu"
check "cut off" 1 'E1001' "$acausal" simulate "$dir/cut.fmu"
check "no description" 1 "no 'modelDescription.xml'" "$acausal" simulate "$dir/empty.fmu"
check "a description that is no XML" 1 'modelDescription.xml:[0-9]+:[0-9]+: mismatched tag' "$acausal" simulate "$dir/broken.fmu"
for code in utf16 latin1 windows; do
    check "in $code" 0 "^model +d.+cay" "$acausal" fmu info "$dir/$code.fmu"
done
check "in no encoding" 1 'modelDescription.xml:1:[0-9]+: unknown encoding' "$acausal" simulate "$dir/klingon.fmu"
check "entities" 1 'document type declaration does not belong' "$acausal" simulate "$dir/entity.fmu"
check "a name that leads outside" 1 'leads outside' "$acausal" simulate "$dir/outside.fmu"
check "an absolute name" 1 'leads outside' "$acausal" simulate "$dir/absolute.fmu"
check "a link" 1 'holds a link' "$acausal" simulate "$dir/link.fmu"
check "a bomb" 1 'times its size' "$acausal" simulate "$dir/bomb.fmu"
check "a bomb that is meant" 0 '^t = 3|no binaries' sh -c "'$acausal' simulate '$dir/bomb.fmu' --large 2>&1; true"
check "no binary for this machine" 1 'there are binaries for: win64' "$acausal" simulate "$dir/nobinary.fmu"
check "sources instead" 1 'compile builds the binary' "$acausal" simulate "$dir/sources.fmu"
check "and compiled" 0 '^t = 3  states 1' "$acausal" simulate "$dir/sources.fmu" --compile
check "a build description" 1 'compile builds the binary' "$acausal" simulate "$dir/build3.fmu"
check "is followed" 0 '^t = 3  states 1' "$acausal" simulate "$dir/build3.fmu" --compile
check "terminals" 0 '^terminal +plug.inner: out = y' "$acausal" fmu info "$dir/plug.fmu"
check "for machines, too" 0 '"terminals":\[\{"name":"plug","kind":"signals","rule":"plug","members":\{"in":"u"\}\}' "$acausal" fmu info "$dir/plug.fmu" --json
check "a terminal of nothing" 1 "names 'nothing', which is no variable" "$acausal" fmu validate "$dir/badplug.fmu"
check "no shell reads the names of sources" 1 'cannot be compiled' "$acausal" simulate "$dir/shell.fmu" --compile
check "a binary that is none" 1 'cannot be loaded' "$acausal" simulate "$dir/text.fmu"
check "another token" 1 'cannot be instantiated' "$acausal" simulate "$dir/token.fmu"
check "a rule that is broken" 1 "'k' needs a start value" "$acausal" fmu validate "$dir/rules.fmu"
check "and runs all the same" 0 '^t = 3' "$acausal" simulate "$dir/rules.fmu"
check "no directory is left" 0 '^0$' sh -c "TMPDIR='$dir' '$acausal' simulate '$dir/decay.fmu' --quiet; TMPDIR='$dir' '$acausal' simulate '$dir/token.fmu' --quiet 2>/dev/null; ls '$dir' | grep -c acausal-fmu; true"

check_end
