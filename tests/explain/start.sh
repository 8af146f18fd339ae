# The search for start values: what it keeps, in which order it goes on, when it ends, and that what it proposes is enough.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/../cli/check.sh"

cat > "$dir/S.mo" <<'END_OF_MODEL'
package S
  model Chain "two blocks, one behind the other, each with its own bad guess"
    Real a(start = -1), p(start = 0.1), c(start = -1), q(start = 0.1);
  equation
    log(a) + a*exp(p/10) = 3;
    exp(p) + p*a^2 = 4;
    log(c) + c*exp(q/10) = 3 + a/10;
    exp(q) + q*c^2 = 4;
  end Chain;
  model Bounded "the bounds say where to look"
    Real p(start = 0, min = 1e5, max = 1e7), r(start = 0.1);
  equation
    log(p/1e5 - 1) + exp(r)/1000 = 1;
    exp(r/2) + r*p/1e5 = 4;
  end Bounded;
  model Neighbour "another variable of its unit knows how large it is"
    Real T1(unit = "K", start = 400, fixed = true);
    Real T2(unit = "K"), s(start = 0.1);
  equation
    der(T1) = -0.1*(T1 - T2);
    log(T2 - 250) + s^3/1000 = 4;
    exp(s/2) + s*T2/300 = 4;
  end Neighbour;
  model Given "a parameter of the user decides"
    parameter Real level = 100;
    Real x(start = 1), y(start = 0.1);
  equation
    sqrt(x - level) + x + y^2/100 = level + 6;
    exp(y/10) + y*x/level = 3;
  end Given;
end S;
END_OF_MODEL

explain() {
    class=$1
    shift
    "$acausal" explain start "$dir/S.mo" "S.$class" "$@"
}
# What is proposed makes the model start, given on the command line as it says.
mended() {
    class=$1
    shift
    proposal=$("$acausal" explain start "$dir/S.mo" "S.$class" "$@" | sed -n 's/^or, to try it: //p')
    [ -n "$proposal" ] || return 9
    sh -c "'$acausal' simulate '$dir/S.mo' S.$class $* $proposal -o '$dir/r.csv'"
}
check "one block after the other" 0 'log\(c\)' explain Chain
check "each with its start value" 0 'a\(start = [0-9.]+\)' explain Chain
check "which is enough" 0 '' mended Chain
check "bounds are used" 0 'p\(start = [0-9.e+]+\)' explain Bounded
check "which is enough, too" 0 '' mended Bounded
check "values of neighbours are used" 0 'T2\(start = [0-9.]+\)' explain Neighbour
check "and that is enough" 0 '' mended Neighbour
check "what was set counts" 0 'x\(start = 1[0-9][0-9][0-9.]*\)' explain Given --set level=1000
check "so the proposal is for it" 0 '' mended Given --set level=1000
check "without time nothing is found, and it says so" 3 'No start value was found that helps, in [0-9]+ tr' explain Chain --time-limit 1e-9
check "as JSON for machines" 0 '^\{"starts":false,"tries":[0-9]+,"found":true,"proposal":\[\{"name":"p","start":' explain Bounded --json
check_end
