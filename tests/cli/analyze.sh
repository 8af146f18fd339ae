# acausal analyze as a user meets it: the structure as text, JSON and pictures, and what each pass made.
acausal=$1
models=$(dirname "$0")/../../models
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"

check "the index" 0 '^index +3 \(4 equations differentiated' "$acausal" analyze "$models/Pendulum.mo"
check "states and why" 0 'chosen while the model runs, of v[xy], v[xy], under the constraint at .*Pendulum.mo:15' "$acausal" analyze "$models/Pendulum.mo"
check "what is no state, and why" 0 'der.x. +the constraint at .*:15 gives it' "$acausal" analyze "$models/Pendulum.mo"
check "states that nothing constrains" 0 'inductor.i +it is differentiated, and nothing constrains it' "$acausal" analyze "$models/Circuit.mo" Circuit.RLC
check "blocks and tearing variables" 0 'linear, 5 equations, tearing variables: F' "$acausal" analyze "$models/Pendulum.mo"
check "sparsity and colours" 0 '^Jacobian +2 x 2, 3 entries \(75 %\), 2 colours, made in one pass' "$acausal" analyze "$models/Circuit.mo" Circuit.RLC
check "exact entries" 0 '^exact entries +100 %' "$acausal" analyze "$models/Pendulum.mo"
check "relations with their lines" 0 'BouncingBall.mo:[0-9]+' "$acausal" analyze "$models/BouncingBall.mo"
check "code" 0 '^code .*100 % native|^code .*interpreter' "$acausal" analyze "$models/BouncingBall.mo"
check "JSON" 0 '^\{"model":"Pendulum",.*"index":3,.*"exact_share":1\}.*\}\}$' "$acausal" analyze "$models/Pendulum.mo" --json

check "pictures" 0 '' "$acausal" analyze "$models/Pendulum.mo" --svg "$dir/pictures" --quiet
for picture in incidence sorted blocks; do
    check "the picture $picture" 0 '^</svg>$' tail -n 1 "$dir/pictures/$picture.svg"
done
page() { "$acausal" analyze "$@" --html "$dir/page.html" && cat "$dir/page.html"; }
check "a page" 0 '^</html>$' page "$models/Pendulum.mo"
check "with the constraint, its derivatives, and what was given up" 0 '"constraint":."source":"x . 2 . y . 2 = L . 2.*Pendulum.mo:15",.*"derivatives":."[^"]*der.x.[^"]*","[^"]*der.der.x[^"]*".*"given_up":."der.x.","der.y."' page "$models/Pendulum.mo"
check "that asks nothing of others" 1 '' grep -E '(src|href) *= *"?(https?:)?//|@import|fetch\(' "$dir/page.html"
printf 'model Clocked\n  Real x(start = 1, fixed = true);\n  Real u, y;\n  Boolean low(start = false, fixed = true);\nequation\n  der(x) = hold(u) - x;\n  y = sample(x, Clock(0.1));\n  u = 0.5*y;\n  when x < 0.5 then\n    low = true;\n  end when;\nend Clocked;\n' >"$dir/clocked.mo"
check "partitions by events" 0 '"in_time":1,"constant":0,"partitions".*"state event","text":"x .u003c 0.5","place":"[^"]*clocked.mo:9"..,"n":2,"variables":.."low","discrete"' page "$dir/clocked.mo"
check "and clocks" 0 '"clock or sample","text":"every 0.1, from 0","place":""..,"n":[0-9]+,"variables":.."u","algebraic",1' page "$dir/clocked.mo"
check "a page and JSON" 2 'not with --json' "$acausal" analyze "$models/Pendulum.mo" --html "$dir/no.html" --json
check "a page that cannot be" 1 'cannot be written' "$acausal" analyze "$models/Pendulum.mo" --html "$dir/none/page.html"
check "a directory that cannot be" 1 'cannot be made' "$acausal" analyze "$models/Pendulum.mo" --svg "$dir/none/pictures"

check "the syntax tree" 0 '^model Pendulum' "$acausal" analyze "$models/Pendulum.mo" --dump=ast
check "the flat model" 0 'Pendulum' "$acausal" analyze "$models/Pendulum.mo" --dump=flat
check "the system" 0 'derivative of 5' "$acausal" analyze "$models/Pendulum.mo" --dump=system
check "the sorted equations" 0 '^index 3' "$acausal" analyze "$models/Pendulum.mo" --dump=blt
check "the linear code" 0 'function|parameters0' "$acausal" analyze "$models/Pendulum.mo" --dump=ir
check "C text" 0 'RtStatus' "$acausal" analyze "$models/Pendulum.mo" --dump=c
check "no such pass" 2 'should be ast, flat, system, blt, ir or c' "$acausal" analyze "$models/Pendulum.mo" --dump=tree

printf 'model Open\n  Real x;\n  Real y;\nequation\n  der(x) = y;\nend Open;\n' >"$dir/open.mo"
check "a model that is wrong" 1 'error' "$acausal" analyze "$dir/open.mo"

check "has no page" 1 '' "$acausal" analyze "$dir/open.mo" --html "$dir/open.html"
check "no file" 1 '' test -e "$dir/open.html"

check_end
