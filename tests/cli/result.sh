# acausal plot and compare as a user meets them: exit codes, pictures, tables, messages.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

# make FILE JUMP ERROR: a sine with an error and a step at JUMP.
make() {
    awk -v jump="$2" -v error="$3" 'BEGIN {
        print "time,wave,\"body.on[1]\""
        for (i = 0; i <= 200; i++) {
            t = i / 20
            if (t > jump && !done) { printf "%.12g,%.12g,0\n%.12g,%.12g,1\n", jump, sin(jump), jump, sin(jump); done = 1 }
            printf "%.12g,%.12g,%d\n", t, sin(t) + error, (t > jump)
        } }' >"$dir/$1"
}
make a.csv 3.01 0
make b.csv 3.0105 0.0005
make c.csv 4.01 0.1
head -n 100 "$dir/a.csv" >"$dir/short.csv"

check "the same within the tube" 0 '^2 same, 0 different' "$acausal" compare "$dir/a.csv" "$dir/b.csv"
check "a tighter tube" 1 'wave +different' "$acausal" compare --tol 1e-4 "$dir/a.csv" "$dir/b.csv"
check "different signals" 1 'body.on\[1\] +different .* 3.0' "$acausal" compare "$dir/a.csv" "$dir/c.csv"
check "the last line says why" 1 '^acausal compare: 2 of 2 signals differ' "$acausal" compare "$dir/a.csv" "$dir/c.csv"
check "all signals" 0 'wave +same' "$acausal" compare --all "$dir/a.csv" "$dir/a.csv"
check "a run that ends early" 1 'A goes from 0 to 10, B from 0 to ' "$acausal" compare "$dir/a.csv" "$dir/short.csv"
check "JSON" 1 '^\{"signals":\[\{"name":"wave","verdict":"different".*"same":false' "$acausal" compare --json "$dir/a.csv" "$dir/c.csv"
check "quiet" 0 '^$' "$acausal" compare --quiet "$dir/a.csv" "$dir/b.csv"
check "one result only" 2 'two results' "$acausal" compare "$dir/a.csv"
check "a bad tolerance" 2 'should be a number' "$acausal" compare --tol x "$dir/a.csv" "$dir/b.csv"
check "a missing file" 1 'No such file' "$acausal" compare "$dir/a.csv" "$dir/none.csv"

check "a curve in the terminal" 0 '⣀|⠉|⠒' "$acausal" plot "$dir/a.csv" wave
check "no colours into a pipe" 0 'wave$' "$acausal" plot "$dir/a.csv" wave
check "colours when asked for" 0 "$(printf '\033')\\[34m" "$acausal" plot --color=always "$dir/a.csv" wave
check "a picture" 0 '^$' "$acausal" plot "$dir/a.csv" '*' -o "$dir/a.svg" --title 'A & B'
check "the picture is SVG" 0 'A &amp; B' cat "$dir/a.svg"
check "a phase plot" 0 'wave' "$acausal" plot "$dir/a.csv" 'body*' --x wave
check "the nearest name" 1 "did you mean 'wave'" "$acausal" plot "$dir/a.csv" wav
check "a pattern that fits nothing" 1 "no signal 'z\\*'" "$acausal" plot "$dir/a.csv" 'z*'
check "no names" 2 'no names given' "$acausal" plot "$dir/a.csv"
check "another suffix" 2 'should end in .svg, .png or .pdf' "$acausal" plot "$dir/a.csv" wave -o "$dir/a.gif"
check "events are marked" 0 '^$' "$acausal" plot "$dir/a.csv" wave -o "$dir/e.svg" --events
check "by a line of dashes" 0 'stroke-dasharray="2 3"' cat "$dir/e.svg"
check "panels by a stroke" 0 '^$' "$acausal" plot "$dir/a.csv" wave / 'body*' -o "$dir/two.svg"
check "there are two" 0 'id="p1"' cat "$dir/two.svg"
check "one panel" 2 'unit, one or each' "$acausal" plot "$dir/a.csv" wave --panels two
check "logarithms" 2 'should be x, y or xy' "$acausal" plot "$dir/a.csv" wave --log z
check "a logarithm in the terminal" 0 'time' "$acausal" plot "$dir/a.csv" wave --log y
check "two results" 0 '^$' "$acausal" plot "$dir/a.csv" wave --compare "$dir/c.csv" -o "$dir/tube.svg"
check "with a tube" 0 'wave \(B\)' cat "$dir/tube.svg"
check "a second result that is not there" 1 'No such file' "$acausal" plot "$dir/a.csv" wave --compare "$dir/none.csv" -o "$dir/tube.svg"
if "$acausal" plot "$dir/a.csv" wave -o "$dir/a.png" 2>/dev/null; then
    check "a bitmap" 0 'PNG' head -c 4 "$dir/a.png"
fi
printf 'Time [s];"u (V)";x[1]\n0;1,5;2\n1;2,5;3\n' >"$dir/odd.csv"
check "headers with units, decimal commas" 0 'u  \[V\]' "$acausal" plot "$dir/odd.csv" u
check "an element is not a unit" 0 'x\[1\]$' "$acausal" plot "$dir/odd.csv" 'x[1]'
: >"$dir/empty.csv"
check "an empty file" 1 'the file is empty' "$acausal" plot "$dir/empty.csv" x
printf 'time,x\n' >"$dir/norows.csv"
check "no rows" 0 'x' "$acausal" plot "$dir/norows.csv" x
head -c 3000 "$dir/a.csv" >"$dir/cut.csv"
check "a file cut inside of a row" 0 'ends inside a row|wave' "$acausal" plot "$dir/cut.csv" wave
check "a place that cannot be written" 1 'cannot be written: No such file' "$acausal" plot "$dir/a.csv" wave -o "$dir/none/a.svg"
ln -s /dev/full "$dir/full.svg"
check "a full disk" 1 'could not be written' "$acausal" plot "$dir/a.csv" wave -o "$dir/full.svg"
printf 'time,x\n' >"$dir/empty.csv"
check "a result without rows is told, drawn" 0 "empty.csv' has no rows" "$acausal" plot "$dir/empty.csv" x
check "and compared" 1 "empty.csv' has no rows" "$acausal" compare "$dir/a.csv" "$dir/empty.csv"
printf 'time,x,y\n0,1,2\n1,2' >"$dir/cut.csv"
check "a result that ends inside of a row" 0 'ends inside a row; all rows before it are taken' "$acausal" plot "$dir/cut.csv" x
printf 'not,a result' >"$dir/bad.csv"
check "not a result" 1 "no column is named 'time'" "$acausal" plot "$dir/bad.csv" x
head -c 5000 /dev/urandom >"$dir/random.mat"
check "random bytes" 1 'cannot be read' "$acausal" plot "$dir/random.mat" x

check_end
