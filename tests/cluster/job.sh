#!/bin/bash
#SBATCH --job-name=ensemble --ntasks=64 --requeue --output=ensemble-%j.log --open-mode=append
# An ensemble as a Slurm job: sbatch job.sh SCENE.json STORE.db
# Where a rank or a node fails, mpirun ends with a code above 3; the job then goes back into the queue and, run
# again, does what is missing in the store. Codes 0 to 3 are answers of carom, which a rerun would repeat. A time limit ends it in the same way: ask for --signal=B:TERM@60 to be asked first.
scene=$1
store=$2
echo "start, restarts so far: ${SLURM_RESTART_COUNT:-0}"
requeue() {
    echo "back into the queue"
    scontrol requeue "$SLURM_JOB_ID"
    sleep 60 # until Slurm ends this run
}
trap requeue TERM
mpirun carom-mpi run "$scene" --store "$store" --csv "${store%.db}.csv" --quiet
code=$?
[ $code -le 3 ] || requeue
exit $code
