# Whose foreign code runs: none of a model that is only looked at, that of the source and of named
# libraries in a run, and that of others when it is trusted, as it was when it was looked at.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
command -v "${CC:-cc}" >/dev/null 2>&1 || { echo "skipped: there is no C compiler"; exit 77; }
failed=0
export XDG_CONFIG_HOME="$dir/config" MARK="$dir/ran"
unset MODELICAPATH
mkdir "$dir/libs" "$dir/libs/Foreign"
cat >"$dir/libs/Foreign/package.mo" <<'M'
package Foreign
  function touched
    output Real y;
    external "C" y = touched() annotation(Include = "
#include <stdio.h>
#include <stdlib.h>
static double touched(void) { FILE *f = fopen(getenv(\"MARK\"), \"a\"); if (f) fclose(f); return 1; }");
  end touched;
  model Size
    constant Integer n = integer(touched());
    Real x[n] = ones(n) * time;
  end Size;
  model Value
    parameter Real p = touched();
    Real x = p * time;
  end Value;
end Foreign;
M
cat >"$dir/User.mo" <<'M'
model User
  Foreign.Value v;
end User;
M
cat >"$dir/Effect.mo" <<'M'
package Effect
  function shell
    input String s;
    output Integer y;
    external "C" y = system(s);
  end shell;
  function report
    input String s;
    input String file = "";
    output Integer y;
  protected
    function print
      input String s;
      input String file;
      external "C" ModelicaInternal_print(s, file);
    end print;
  algorithm
    print(s, file);
    y := 2;
  end report;
  model Shell
    constant Integer n = shell("touch $MARK");
    Real x[n + 1] = ones(n + 1) * time;
  end Shell;
  model Print
    constant Integer n = report("hello");
    Real x[n] = ones(n) * time;
  end Print;
end Effect;
M

expect() { # WHAT CODE RAN WORDS... : a command's exit code, whether the code ran, and a word of its messages
    what=$1 code=$2 ran=$3 word=$4
    shift 4
    rm -f "$MARK"
    "$acausal" "$@" >"$dir/out" 2>&1 </dev/null
    got=$?
    [ "$got" = "$code" ] || { echo "failed: $what: exit code $got, not $code"; cat "$dir/out"; failed=1; }
    [ -e "$MARK" ] && is=yes || is=no
    [ "$is" = "$ran" ] || { echo "failed: $what: code ran: $is"; failed=1; }
    [ -z "$word" ] || grep -q -- "$word" "$dir/out" || { echo "failed: $what: no word of '$word'"; cat "$dir/out"; failed=1; }
}

lib="$dir/libs/Foreign"
expect 'a size is not looked at' 1 no 'may not run' check "$lib" Foreign.Size
expect 'its message has a way out' 1 no "trust add $lib" check "$lib" Foreign.Size
expect 'a value is not needed' 0 no . check "$lib" Foreign.Value
expect 'flatten shows it' 0 no touched flatten "$lib" Foreign.Value
expect 'analyze does without' 0 no . analyze "$lib" Foreign.Value
expect 'a dump does without' 0 no . simulate "$lib" Foreign.Value --dump=ir
expect 'a run runs its source' 0 yes . simulate "$lib" Foreign.Value -o "$dir/x.csv"
expect 'a size, too' 0 yes . simulate "$lib" Foreign.Size -o "$dir/x.csv"
expect 'and a named library' 0 yes . simulate "$dir/User.mo" --lib "$dir/libs" -o "$dir/x.csv"
expect 'trust for a call' 0 yes . check "$lib" Foreign.Size --trust "$lib"
expect 'functions of the system, looked at' 1 no 'only a run' check "$dir/Effect.mo" Effect.Shell
expect 'functions of the system, run' 0 yes . simulate "$dir/Effect.mo" Effect.Shell -o "$dir/x.csv"
expect 'printing is harmless' 0 no . check "$dir/Effect.mo" Effect.Print
export MODELICAPATH="$dir/libs"
expect 'a library that happens to be there' 1 no 'not trusted' simulate "$dir/User.mo" -o "$dir/x.csv"
expect 'one that is asked for by name' 0 yes . simulate Foreign.Value -o "$dir/x.csv"
expect 'trusted in a call' 0 yes . simulate "$dir/User.mo" --trust "$lib" -o "$dir/x.csv"
expect 'not for good' 1 no 'not trusted' simulate "$dir/User.mo" -o "$dir/x.csv"
expect 'trust' 0 no '' trust add "$lib"
expect 'the list' 0 no "$lib" trust list
expect 'trusted for good' 0 yes . simulate "$dir/User.mo" -o "$dir/x.csv"
expect 'trusted to be looked at' 0 yes . check "$lib" Foreign.Size
echo '// another line' >>"$lib/package.mo"
expect 'it has changed' 1 no 'not trusted' simulate "$dir/User.mo" -o "$dir/x.csv"
expect 'the list says so' 0 no 'changed since' trust list
expect 'JSON' 0 no '"changed":true' trust list --json
expect 'no more' 0 no '' trust remove "$lib"
expect 'not there' 1 no 'not among' trust remove "$lib"
expect 'no such path' 1 no 'No such file' trust add "$dir/none"
expect 'what to do' 2 no 'add PATH' trust forget "$lib"
[ -e "$dir/config/acausal/trust" ] || { echo "failed: where the store is"; failed=1; }
exit $failed
