# acausal parse, help and --version as a user meets them: exit codes, messages, hostile files.
acausal=$1
dir=$(mktemp -d)
trap 'chmod -R u+rwx "$dir"; rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"
repeat() { head -c $(($1 * ${#2})) /dev/zero | sed "s/\\x0/$2/g" | head -c $(($1 * ${#2})); }

printf 'model M\n  Real x;\nequation\n  x = 1;\nend M;\n' >"$dir/good.mo"
printf 'model M\n  Real x;\nequation\n  x = 1 +;\nend M;\n' >"$dir/bad.mo"

check "a good file" 0 '^files 1  classes 1  lines 5  errors 0  seconds ' "$acausal" parse "$dir/good.mo"
check "a bad file" 1 'bad.mo:4:10' "$acausal" parse "$dir/bad.mo"
check "the last line says why" 1 '^acausal parse: 1 error; the first: .*bad.mo:4:10: expected an expression' "$acausal" parse "$dir/bad.mo"
check "several files" 1 '^files 2 .* errors 1' "$acausal" parse "$dir/good.mo" "$dir/bad.mo"
check "figures as JSON" 0 '^\{"files":1,"classes":1,"lines":5,"errors":0,' "$acausal" parse --json "$dir/good.mo"
check "diagnostics as JSON" 1 '"code":"E0201".*"line":4,"column":10' "$acausal" parse --json "$dir/bad.mo"
check "printing a tree" 0 '^  x = 1;$' "$acausal" parse --dump=ast "$dir/good.mo"
check "colour when asked for" 1 "$(printf '\033')\\[1;31merror" "$acausal" parse --color=always "$dir/bad.mo"
check "no colour into a pipe" 1 '^error\[E0201\]' "$acausal" parse "$dir/bad.mo"
check "one thread" 0 'errors 0' "$acausal" parse --jobs 1 "$dir/good.mo"

check "version" 0 '^acausal [0-9]+\.[0-9]+\.[0-9]+$' "$acausal" --version
check "help" 0 '^  parse ' "$acausal" help
check "help on a command" 0 '--jobs N' "$acausal" help parse
check "help on a diagnostic" 0 '^E0202: ' "$acausal" help E0202
check "the nearest command" 2 "did you mean 'parse'" "$acausal" prase
check "the nearest option" 2 "did you mean '--jobs'" "$acausal" parse --job 2 "$dir/good.mo"
check "a bad number" 2 'whole number' "$acausal" parse --jobs x "$dir/good.mo"
check "a missing value" 2 'needs a value' "$acausal" parse --jobs
check "nothing to parse" 2 'no file' "$acausal" parse
check "no command" 2 'no command' "$acausal"

check "a file that is not there" 1 'E0001.*No such file' "$acausal" parse "$dir/none.mo"
check "a device" 1 'E0002' "$acausal" parse /dev/null
mkdir "$dir/empty"
check "a directory without Modelica" 1 'E0302' "$acausal" parse "$dir/empty"
ln -s . "$dir/empty/loop"
check "a directory that links to itself" 1 'E0304' "$acausal" parse "$dir/empty"
if [ "$(id -u)" != 0 ]; then
    printf 'model M end M;' >"$dir/secret.mo"
    chmod 000 "$dir/secret.mo"
    check "a file that may not be read" 1 'E0001.*ermission' "$acausal" parse "$dir/secret.mo"
else
    echo "skipped: files that may not be read (the tests run as root)"
fi

head -c 100000 /dev/urandom >"$dir/random.mo"
check "random bytes" 1 'errors [1-9]' "$acausal" parse "$dir/random.mo"
printf 'model M\0 Real x; end M;' >"$dir/nul.mo"
check "NUL bytes" 1 'U\+0000' "$acausal" parse "$dir/nul.mo"
{ printf 'model M Real x = '; repeat 100000 '('; } >"$dir/deep.mo"
check "100,000 parentheses" 1 'E0204' "$acausal" parse "$dir/deep.mo"
awk 'BEGIN { for (i = 0; i < 10000; i++) print "model M" i; for (i = 9999; i >= 0; i--) print "end M" i ";" }' >"$dir/classes.mo"
check "10,000 nested classes" 1 'E0204' "$acausal" parse "$dir/classes.mo"
truncate -s 200M "$dir/line.mo"
check "a line of 200 MB" 1 'E0003.*64 MiB' "$acausal" parse "$dir/line.mo"
for n in 1 7 13 20 27 34 40; do
    head -c "$n" "$dir/good.mo" >"$dir/cut.mo"
    check "a file cut after $n bytes" 1 'errors 1' "$acausal" parse "$dir/cut.mo"
done
check "standard output is full" 1 'could not be written' sh -c '"$1" parse "$2" >/dev/full' sh "$acausal" "$dir/good.mo"

check_end
