# FMUs as a user meets them: shown, checked, run in both ways, and refused with a reason when something is wrong.
acausal=$1
here=$(dirname "$0")
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
named = lambda name: xml.replace('<ModelExchange modelIdentifier="decay" providesDirectionalDerivative="true"/>', '<ModelExchange modelIdentifier="decay"><SourceFiles><File name="%s"/></SourceFiles></ModelExchange>' % name)
text = '#define MODEL decay.c\n#define TOKEN "{decay}"\n#include "fmi2.c"\n'
files = [('sources/' + f, open(os.path.join(sys.argv[2], f)).read()) for f in ('fmi2.c', 'model.h', 'decay.c')]
fmu('sources.fmu', [('modelDescription.xml', named('all.c')), ('sources/all.c', text)] + files)
fmu('shell.fmu', [('modelDescription.xml', named("a';touch evil;'.c")), ("sources/a';touch evil;'.c", 'no C')])
link = zipfile.ZipInfo('link')
link.create_system, link.external_attr = 3, (stat.S_IFLNK | 0o777) << 16
fmu('link.fmu', [('modelDescription.xml', xml), (link, '/etc')])
whole = open(os.path.join(dir, 'decay.fmu'), 'rb').read()
open(os.path.join(dir, 'cut.fmu'), 'wb').write(whole[:len(whole) // 2])
open(os.path.join(dir, 'text.txt.fmu'), 'w').write('no archive')
open(os.path.join(dir, 'u.csv'), 'w').write('time,u\n0,0\n1,0\n1,2\n3,2\n')
open(os.path.join(dir, 'all.csv'), 'w').write('time,rc,rd,i,b\n0,0,0,0,0\n1,1,0,0,0\n1,1,2,3,1\n2,2,2,3,1\n')
PY

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
check "what the FMU computes cannot be set" 1 'the FMU computes it' "$acausal" simulate "$dir/decay.fmu" --set y=1
check "an unknown kind" 1 'should be me or cs' "$acausal" simulate "$dir/decay.fmu" --kind xy

# Every model in every version and both ways: its last row, within what 1e-7 or a fixed step allows.
last_row() { # fmu, kind, variables, more options
    "$acausal" simulate "$dir/$1.fmu" --kind "$2" --vars "$3" -o "$dir/last.csv" --quiet $4 2>/dev/null && tail -n 1 "$dir/last.csv"
}
for way in "1_me me" "1_cs cs" "2 me" "2 cs" "3 me" "3 cs"; do
    set -- $way
    check "decay, $way" 0 '^3,0\.049787' last_row "decay_$1" "$2" x
    check "ball, $way" 0 '^1,0\.2250' last_row "ball_$1" "$2" 'h|v' '--stop 1'
    check "oscillator, $way" 0 '^10,-1\.15870' last_row "vdp_$1" "$2" x0
    check "inputs of all types, $way" 0 '^2,2,2,3,1$' last_row "pass_$1" "$2" '.*_out' "--input $dir/all.csv"
    check "description, $way" 0 'follows the standard' "$acausal" fmu validate "$dir/stair_$1.fmu"
done
for way in "2 me" "2 cs" "3 me" "3 cs"; do
    set -- $way
    check "an FMU that asks to end, $way" 0 '^9,10,97$' last_row "stair_$1" "$2" '.*'
done

# What an FMU can do wrong while it runs is a failed run with the rows so far.
check "not a number" 3 'is not a number, at t = 0.99999' "$acausal" simulate "$dir/bad_2.fmu" --set what=1
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

check "no such file" 1 'no such file' "$acausal" simulate "$dir/none.fmu"
check "not an archive" 1 'E1001' "$acausal" simulate "$dir/text.txt.fmu"
check "cut off" 1 'E1001' "$acausal" simulate "$dir/cut.fmu"
check "no description" 1 "no 'modelDescription.xml'" "$acausal" simulate "$dir/empty.fmu"
check "a description that is no XML" 1 'modelDescription.xml:[0-9]+:[0-9]+: mismatched tag' "$acausal" simulate "$dir/broken.fmu"
check "a name that leads outside" 1 'leads outside' "$acausal" simulate "$dir/outside.fmu"
check "an absolute name" 1 'leads outside' "$acausal" simulate "$dir/absolute.fmu"
check "a link" 1 'holds a link' "$acausal" simulate "$dir/link.fmu"
check "a bomb" 1 'times its size' "$acausal" simulate "$dir/bomb.fmu"
check "no binary for this machine" 1 'there are binaries for: win64' "$acausal" simulate "$dir/nobinary.fmu"
check "sources instead" 1 'compile builds the binary' "$acausal" simulate "$dir/sources.fmu"
check "and compiled" 0 '^t = 3  states 1' "$acausal" simulate "$dir/sources.fmu" --compile
check "no shell reads the names of sources" 1 'cannot be compiled' "$acausal" simulate "$dir/shell.fmu" --compile
check "a binary that is none" 1 'cannot be loaded' "$acausal" simulate "$dir/text.fmu"
check "another token" 1 'cannot be instantiated' "$acausal" simulate "$dir/token.fmu"
check "a rule that is broken" 1 "'k' needs a start value" "$acausal" fmu validate "$dir/rules.fmu"
check "and runs all the same" 0 '^t = 3' "$acausal" simulate "$dir/rules.fmu"
check "no directory is left" 0 '^0$' sh -c "TMPDIR='$dir' '$acausal' simulate '$dir/decay.fmu' --quiet; TMPDIR='$dir' '$acausal' simulate '$dir/token.fmu' --quiet 2>/dev/null; ls '$dir' | grep -c acausal-fmu; true"

check_end
