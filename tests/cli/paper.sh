# The founding documents: what there is, a figure of each, files and their numbers.
acausal=$1
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$(dirname "$0")/check.sh"
models=$(cd "$(dirname "$0")/../../models" && pwd)

check "the documents" 0 '^restarts: Restarting algorithms' "$acausal" paper --list
check "and their figures" 0 '^ +table-7.1 +Experiment 1 with Radau5' "$acausal" paper increments --list
check "no such document" 2 "did you mean 'restarts'" "$acausal" paper restart
check "no such figure" 2 "has no figure 'table-2'; did you mean 'table-1'" "$acausal" paper restarts --figure table-2
check "which is said" 3 "there is no '$dir/none/Robot.mo'; --models says where" \
    "$acausal" paper sparsing --figure 1 --models "$dir/none"

check "restarts: the starter's conditions hold" 0 '^ +4 +b.A\^2Ce +0.04166666667 +0.04166666667 +0.0e\+00' \
    "$acausal" paper restarts --figure table-orders
check "both starters keep order 3" 0 '^ +RK starter, state values +2\.9' "$acausal" paper restarts --figure 2 -o "$dir/r"
check "its numbers" 0 '^panel,series,x,y$' head -n 1 "$dir/r/figure-2.csv"
check "its picture" 0 '<svg ' head -n 1 "$dir/r/figure-2.svg"
check "its slopes" 0 '^exact values,2\.9' grep exact "$dir/r/figure-2-slopes.csv"
check "the page" 0 'img src="figure-2.svg"' cat "$dir/r/index.html"
check "work beside what was published" 0 '^adams,what Acausal does by itself,[1-9][0-9]?,,' \
    sh -c "'$acausal' paper restarts --figure table-1 -o '$dir/r' > '$dir/out' && cat '$dir/r/table-1.csv'"

check "methods: orders of Adams-Bashforth" 0 '^ +Adams-Bashforth 5 +5 +(4\.9|5\.0)' "$acausal" paper methods --figure 35
check "what is A-stable" 0 '^ +radau5 +5 +all +all +1 .*L-stable' "$acausal" paper methods --figure 16
check "and what is not" 0 '^ +euler +1 +2\.00 +0\.00 ' "$acausal" paper methods --figure 16
check "dae: a loop is torn" 0 '^ +9 +5 +5 +1 *$' "$acausal" paper dae --figure loop
check "the gradient" 0 '^ +adjoint +1e-12 +1\.48771566' "$acausal" paper dae --figure gradient --models "$models"
check "increments: states" 0 '^ +y1 +1 ' "$acausal" paper increments --figure table-6.2 --models "$models"
check "sparsing: the robot at rest" 0 '^ +with model Robot.Arm, 78 states' \
    "$acausal" paper sparsing --figure 2 --models "$models"

check_end
