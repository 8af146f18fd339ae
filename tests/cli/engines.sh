# Studies on other engines, for real where they are: Open MPI, Dask, Slurm; the same runs as on this machine, killed workers, engines that are not there.
acausal=$1
models=$(cd "$(dirname "$0")/../../models" && pwd)
here=$(cd "$(dirname "$0")" && pwd)
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
. "$here/check.sh"
cd "$dir" || exit 1
export TMPDIR=$dir

study() { "$acausal" study "$models/BouncingBall.mo" --vary e=0.5:0.9 --samples 300 --of 'h,max(v)' "$@"; }
rows() { "$acausal" study export "$1" -o t.csv && cut -d, -f1-4 t.csv; }
study -o ref.db --quiet && rows ref.db >ref
tried=0
if command -v mpirun >/dev/null; then
    tried=1
    check "Open MPI, four ranks" 0 '300 of 300 runs done, 0 failed, 0 missing' study --engine mpi --workers 4 -o mpi.db
    rows mpi.db >got
    check "the same runs" 0 '' cmp got ref
    check "no parts are left" 1 '' test -e mpi.db.part-1-of-16.db
else
    echo "skipped: Open MPI (openmpi-bin)"
fi
if /usr/bin/python3 -c 'import distributed' 2>/dev/null; then
    tried=1
    check "Dask, its own workers" 0 '300 of 300 runs done, 0 failed, 0 missing' study --engine dask --workers 2 -o dask.db
    rows dask.db >got
    check "the same runs" 0 '' cmp got ref
else
    echo "skipped: Dask (python3-distributed)"
fi
if command -v sbatch >/dev/null && scontrol ping 2>/dev/null | grep -q UP; then
    check "Slurm" 0 '300 of 300 runs done, 0 failed, 0 missing' study --engine slurm --workers 2 -o slurm.db
    rows slurm.db >got
    check "the same runs" 0 '' cmp got ref
else
    echo "skipped: Slurm (slurm-client, and a slurmctld that answers)"
fi

# a worker that is killed: another one takes its part, and loses nothing of it
"$acausal" study "$models/BouncingBall.mo" --vary e=0.5:0.9 --samples 300 --of 'h,max(v)' -o k.db --prepare --quiet
for i in 1 2 3; do "$acausal" study merge -o "k.db.part-$i-of-3.db" k.db --quiet; done
check "workers" 0 '' "$acausal" study work k.db --parts 3
check "again: nothing to do" 0 '' "$acausal" study work k.db --parts 3
check "a part that another one has" 0 '' flock k.db.part-1-of-3.db "$acausal" study work k.db --parts 3
check "together" 0 '300 of 300' "$acausal" study merge -o k.db k.db.part-1-of-3.db k.db.part-2-of-3.db k.db.part-3-of-3.db
rows k.db >got
check "the same runs" 0 '' cmp got ref
check "an engine that is none" 2 "did you mean 'slurm'" study --engine slrum -o e.db
rm -f e.db
check "an engine that is not there" 2 'package openmpi-bin' env PATH=/nowhere "$acausal" study "$models/BouncingBall.mo" --vary e=0.5 --of h --engine mpi -o e.db
check_end
