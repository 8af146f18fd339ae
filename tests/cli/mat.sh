# MAT files hold what CSV files of the same run hold, to readers that are not ours.
acausal=$1
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/check.sh"
python=$(command -v /usr/bin/python3 || command -v python3)

for model in BouncingBall:BouncingBall Circuit:Circuit.Rectifier Pendulum:Pendulum; do
    file=${model%%:*} class=${model#*:}
    "$acausal" simulate --quiet "$here/../../models/$file.mo" "$class" -o "$dir/$file.mat" --stop 1
    "$acausal" simulate --quiet "$here/../../models/$file.mo" "$class" -o "$dir/$file.csv" --stop 1
    check "$class by the format's description" 0 'the same$' "$python" "$here/mat.py" "$dir/$file.mat" "$dir/$file.csv"
    check "$class as we read it" 0 '0 different' "$acausal" compare --tol 1e-12 --time-tol 1e-12 "$dir/$file.mat" "$dir/$file.csv"
done
"$python" "$here/mat.py" "$dir/Pendulum.mat" "$dir/Pendulum.csv" | grep '^skipped'

check_end
