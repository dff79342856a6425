#!/bin/bash
#SBATCH --job-name=ensemble --ntasks=64 --requeue --output=ensemble-%j.log --open-mode=append --signal=B:TERM@60
# An ensemble as a Slurm job: sbatch job.sh SCENE.json STORE.db
# mpirun ends with a code above 3 where a rank or a node fails. The job then goes back into the queue; run again, it
# computes what is missing in the store. Codes 0 to 3 are answers of carom, which a rerun would repeat. Slurm sends TERM
# 60 s before the time limit; the job then ends mpirun and goes back into the queue, too.
scene=$1
store=$2
shift 2
echo "start, restarts so far: ${SLURM_RESTART_COUNT:-0}"
requeue() {
    trap exit TERM # Slurm sends it once more to end this run
    echo "back into the queue"
    kill "$run" 2>/dev/null
    scontrol requeue "$SLURM_JOB_ID"
    sleep 60 # until Slurm ends this run
}
trap requeue TERM
# In the background: bash runs a trap only when no command is in the foreground.
${MPIRUN:-mpirun} ${CAROM_MPI:-carom-mpi} run "$scene" "$@" --store "$store" --csv "${store%.db}.csv" --quiet &
run=$!
wait $run
code=$?
[ $code -le 3 ] || requeue
echo "done"
exit $code
