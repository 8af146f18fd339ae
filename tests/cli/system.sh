# Several FMUs together: solved as one, stepped in turn or at once, with loops, ports, and reasons when something does not fit.
acausal=$1
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/check.sh"

python3 "$here/../fmus/make.py" "$dir" decay gain pass ball stair || exit 1
python3 - "$dir" <<'PY'
import os, sys, zipfile
dir = sys.argv[1]
def write(name, text):
    with open(os.path.join(dir, name), 'w') as f:
        f.write(text)
def chain(first, second):
    return 'fmu a = decay_2.fmu %s\nfmu b = decay_3.fmu %s\n# x_a = exp(-2t), x_b = 2 exp(-2t) - exp(-3t)\nconnect a.y -> b.u\nset a.k = 2\nset b.k = 3\nstop 2\n' % (first, second)
def ring(first, second):
    return 'fmu a = decay_2.fmu %s\nfmu b = decay_3.fmu %s\nconnect a.y -> b.u\nconnect b.y -> a.u\nset a.k = 3\nset b.k = 3\nstop 1\n' % (first, second)
for first in ('me', 'cs'):
    for second in ('me', 'cs'):
        write('chain_%s_%s.system' % (first, second), chain(first, second))
        write('ring_%s_%s.system' % (first, second), ring(first, second))
        loop = 'fmu a = gain_2.fmu %s\nfmu b = gain_3.fmu %s\nconnect a.y -> b.u\nconnect b.y -> a.u\nset a.a = 0.5\nset a.b = 1\nset b.a = 0.5\nset b.b = 1\n' % (first, second)
        write('loop_%s_%s.system' % (first, second), loop)
        write('old_%s_%s.system' % (first, second), chain(first, second).replace('decay_2.fmu', 'decay_1_%s.fmu' % first).replace('decay_3.fmu', 'decay_1_%s.fmu' % second))
        write('types_%s_%s.system' % (first, second), 'stop 2\nfmu a = pass_3.fmu %s\nfmu b = pass_3.fmu %s\n' % (first, second) +
              ''.join('connect a.%s_out -> b.%s\n' % (n, n) for n in ('rc', 'rd', 'i', 'b', 's', 'bytes', 'large', 'small')))
write('singular.system', open(os.path.join(dir, 'loop_me_cs.system')).read().replace('0.5', '1'))
write('ball.system', 'fmu ball = ball_2.fmu me\nfmu lag = decay_3.fmu me\nconnect ball.h -> lag.u\nstop 1\n')
ball = open(os.path.join(dir, 'ball.system')).read()
write('ball_cs.system', ball.replace('decay_3.fmu me', 'decay_3.fmu cs'))
write('count.system', 'fmu count = stair_3.fmu me\nfmu to = pass_2.fmu me\nconnect count.count -> to.i\nstop 5\n')
write('bad_name.system', 'fmu a = decay_2.fmu\nfmu b = decay_3.fmu\nconnect a.z -> b.u\n')
write('bad_input.system', 'fmu a = decay_2.fmu\nfmu b = decay_3.fmu\nconnect a.y -> b.x\n')
write('bad_text.system', 'fmu a = pass_3.fmu\nfmu b = decay_3.fmu\nconnect a.s_out -> b.u\n')
write('bad_twice.system', 'fmu a = decay_2.fmu\nfmu b = decay_3.fmu\nconnect a.y -> b.u\nconnect b.y -> b.u\n')
write('bad_line.system', 'fmu a decay_2.fmu\n')
write('bad_word.system', 'fnu a = decay_2.fmu\n')
write('bad_part.system', 'fmu a = decay_2.fmu\nconnect a.y -> c.u\n')
write('bad_file.system', 'fmu a = none.fmu\n')
write('empty.system', '# nothing\n')
ssd = '''<?xml version="1.0" encoding="UTF-8"?>
<ssd:SystemStructureDescription xmlns:ssd="http://ssp-standard.org/SSP1/SystemStructureDescription" xmlns:ssv="http://ssp-standard.org/SSP1/SystemStructureParameterValues" xmlns:ssc="http://ssp-standard.org/SSP1/SystemStructureCommon" name="two" version="1.0">
<ssd:System name="root"><ssd:Connectors><ssd:Connector name="drive" kind="input"><ssc:Real/></ssd:Connector><ssd:Connector name="out" kind="output"><ssc:Real/></ssd:Connector></ssd:Connectors>
<ssd:Elements><ssd:Component name="a" type="application/x-fmu-sharedlibrary" source="%sdecay_2.fmu" implementation="ModelExchange">
<ssd:ParameterBindings><ssd:ParameterBinding><ssd:ParameterValues><ssv:ParameterSet version="1.0" name="p"><ssv:Parameters><ssv:Parameter name="k"><ssv:Real value="2"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet></ssd:ParameterValues></ssd:ParameterBinding></ssd:ParameterBindings></ssd:Component>
<ssd:System name="inner"><ssd:Connectors><ssd:Connector name="in" kind="input"/><ssd:Connector name="out" kind="output"/></ssd:Connectors>
<ssd:Elements><ssd:Component name="b" source="%sdecay_3.fmu" implementation="%s"/></ssd:Elements>
<ssd:Connections><ssd:Connection startConnector="in" endElement="b" endConnector="u"><ssc:LinearTransformation factor="0.5" offset="0"/></ssd:Connection><ssd:Connection startElement="b" startConnector="y" endConnector="out"/></ssd:Connections></ssd:System></ssd:Elements>
<ssd:Connections><ssd:Connection startConnector="drive" endElement="a" endConnector="u"/>
<ssd:Connection startElement="a" startConnector="y" endElement="inner" endConnector="in"><ssc:LinearTransformation factor="2" offset="0"/></ssd:Connection>
<ssd:Connection startElement="inner" startConnector="out" endConnector="out"/></ssd:Connections>
<ssd:ParameterBindings><ssd:ParameterBinding source="%s"/></ssd:ParameterBindings>
</ssd:System><ssd:DefaultExperiment startTime="0" stopTime="2"/></ssd:SystemStructureDescription>'''
ssv = '<ssv:ParameterSet version="1.0" name="q"><ssv:Parameters><ssv:Parameter name="inner.b.k"><ssv:Real value="3"/></ssv:Parameter></ssv:Parameters></ssv:ParameterSet>'
write('values.ssv', ssv)
write('two.ssd', ssd % ('', '', 'ModelExchange', 'values.ssv'))
with zipfile.ZipFile(os.path.join(dir, 'two.ssp'), 'w') as z:
    z.writestr('SystemStructure.ssd', ssd % ('resources/', 'resources/', 'CoSimulation', 'resources/values.ssv'))
    z.writestr('resources/values.ssv', ssv)
    for name in ('decay_2.fmu', 'decay_3.fmu'):
        z.write(os.path.join(dir, name), 'resources/' + name)
write('drive.csv', 'time,drive\n0,0\n1,0\n1,1\n2,1\n')
write('in.csv', 'time,a.rc,a.rd,a.i,a.b,a.s,a.bytes,a.large,a.small\n0,0,0,0,0,x,ab,0,0\n1,1,0,0,0,x,ab,0,0\n1,1,2,3,1,"two, words",c0ffee,-9007199254740993,200\n2,2,2,3,1,"two, words",c0ffee,-9007199254740993,200\n')
PY

last_row() { # system, variables, more options
    "$acausal" simulate "$dir/$1" --vars "$2" -o "$dir/last.csv" --quiet $3 && tail -n 1 "$dir/last.csv"
}
for way in me_me me_cs cs_me cs_cs; do
    check "a chain, $way" 0 '^2,0\.0183156[0-9]*,0\.034152[5-6]' last_row "chain_$way.system" '.*\.x'
    check "a chain of version 1, $way" 0 '^2,0\.018315[0-9]*,0\.03415[0-9]*' last_row "old_$way.system" '.*\.x'
    check "a ring, $way" 0 '^1,0\.36787[0-9]*,0\.36787' last_row "ring_$way.system" '.*\.x'
    check "an algebraic loop, $way" 0 '^1,2,2$|^1,(2|1\.99999999|2\.00000000)[0-9]*,(2|1\.99999999|2\.00000000)[0-9]*$' last_row "loop_$way.system" '.*\.y'
    check "values of all types, $way" 0 '^2,2,2,200,3,1,"two, words",c0ffee' last_row "types_$way.system" 'b\.(rc|rd|i|b|s|bytes|small)' "--input $dir/in.csv"
done
# Linear extrapolation is of order two, holding of order one: half the step, a quarter or half of the error.
error() { # options: the error of the ring at its end, in units of 1e-6
    "$acausal" simulate "$dir/ring_cs_cs.system" --vars 'a\.x' --interval 0.2 -o "$dir/e.csv" --quiet $1 && tail -n 1 "$dir/e.csv" | awk -F, '{ e = $2 - exp(-1); printf "%.17g", e < 0 ? -e : e }'
}
ratio() { awk -v a="$(error "$1 --option communication-step=0.02")" -v b="$(error "$1 --option communication-step=0.01")" 'BEGIN { printf "%.1f\n", a / b }'; }
check "order of Jacobi" 0 '^(3\.[5-9]|4\.[0-5])$' ratio "--option master=jacobi"
check "order of Gauss-Seidel" 0 '^(3\.[5-9]|4\.[0-5])$' ratio "--option master=gauss-seidel"
check "order when inputs are held" 0 '^(1\.[89]|2\.[0-2])$' ratio "--option master=jacobi --option extrapolation=hold"
check "control keeps the tolerance" 0 '^small$' sh -c "'$acausal' simulate '$dir/ring_cs_cs.system' --vars 'a.x' --interval 0.2 --tol 1e-5 -o '$dir/t.csv' --quiet; tail -n 1 '$dir/t.csv' | awk -F, '{ e = \$2 - exp(-1); print (e < 2e-5 && e > -2e-5 ? \"small\" : \"large\") }'"
check "it says so" 0 'communication step size +controlled' "$acausal" simulate "$dir/ring_cs_cs.system" --stats
check "all by one integrator" 0 '^integrator +radau5' "$acausal" simulate "$dir/chain_me_me.system" --solver radau5 --stats
check "state events" 0 '^state events +1' "$acausal" simulate "$dir/ball.system" --stats
check "the same beside co-simulation" 0 ' 0 different' sh -c "'$acausal' simulate '$dir/ball.system' -o '$dir/b1.csv' --vars 'lag\\.x' --quiet && '$acausal' simulate '$dir/ball_cs.system' -o '$dir/b2.csv' --vars 'lag\\.x' --quiet && '$acausal' compare '$dir/b1.csv' '$dir/b2.csv'"
check "events are passed on" 0 '^5,6$' last_row count.system 'to\.i_out'
check "SSP: values, connectors, transformations" 0 '^2,0\.0183156[0-9]*,0\.0341525[0-9]*,0\.068305[0-9]*$' last_row two.ssd '.*\.x|out'
check "in an archive, for co-simulation" 0 '^2,0\.0183156[0-9]*,0\.034152[0-9]*,0\.068305[0-9]*$' last_row two.ssp '.*\.x|out'
check "a port that is driven" 0 '^2,0\.45064[78]' last_row two.ssd 'a\.x' "--input $dir/drive.csv"
check "a port by value" 0 '^2,0\.50915' last_row two.ssd 'a\.x' "--set drive=1"
check "a part's value" 0 '^2,0\.00033546' last_row two.ssd 'a\.x' "--set a.k=4"
check "isolated" 0 '^t = 2' "$acausal" simulate "$dir/two.ssp" --isolate

check "a loop without solution" 3 'the algebraic loop of a.u, b.u is singular' "$acausal" simulate "$dir/singular.system"
check "a driven input" 1 "'b.u' cannot be set: a connection gives it its value" "$acausal" simulate "$dir/chain_me_me.system" --set b.u=1
check "a variable that is not there" 1 "bad_name.system:3:1: 'a' has no variable 'z'" "$acausal" simulate "$dir/bad_name.system"
check "not an input" 1 "'x' of 'b' is not an input" "$acausal" simulate "$dir/bad_input.system"
check "a text for a number" 1 'a text cannot be connected' "$acausal" simulate "$dir/bad_text.system"
check "two for one" 1 "two connections end at 'b.u'" "$acausal" simulate "$dir/bad_twice.system"
check "a line that is wrong" 1 'this should be: fmu NAME = FILE' "$acausal" simulate "$dir/bad_line.system"
check "an unknown word" 1 'begins with fmu, connect, set or stop' "$acausal" simulate "$dir/bad_word.system"
check "no such part" 1 "no 'c.u' for a connection to end at" "$acausal" simulate "$dir/bad_part.system"
check "no such file" 1 'none.fmu: no such file' "$acausal" simulate "$dir/bad_file.system"
check "nothing in it" 1 'there are no FMUs' "$acausal" simulate "$dir/empty.system"
check "no such system" 1 'cannot be read' "$acausal" simulate "$dir/none.ssd"
check "an unknown master" 1 'should be master=gauss-seidel or jacobi' "$acausal" simulate "$dir/ring_cs_cs.system" --option master=fast
check "no directory is left" 0 '^0$' sh -c "TMPDIR='$dir' '$acausal' simulate '$dir/two.ssp' --quiet; ls '$dir' | grep -c acausal-fmu; true"

check_end
