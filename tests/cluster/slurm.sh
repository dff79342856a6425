#!/usr/bin/env bash
# A one-node Slurm in a folder, and an ensemble as a job (job.sh) that requeues itself when one of its ranks is killed
# and when its time is up:
#   tests/cluster/slurm.sh build/carom build/mpi/carom-mpi
# Needs Debian's slurm-wlm, munge, openmpi-bin and root; ends everything that it started. Some 60 s.
set -euo pipefail

here=$(realpath "$(dirname "$0")")
carom=$(realpath "$1")
mpi=$(realpath "$2")
folder=$(mktemp -d)
started=()
end() {
    [ ${#started[@]} -eq 0 ] || kill "${started[@]}" 2>/dev/null || true
    sleep 1
    rm -rf "$folder"
}
trap end EXIT
cd "$folder"
mkdir state spool run munge
host=$(hostname -s)

# Munge with a key and a socket of its own.
dd if=/dev/urandom of=munge/key bs=1 count=1024 status=none
chmod 0700 munge && chmod 0400 munge/key
munged --foreground --force --key-file="$folder/munge/key" --socket="$folder/munge/socket" --num-threads=2 \
    --pid-file="$folder/munge/pid" --log-file="$folder/munge/log" --seed-file="$folder/munge/seed" >munge/out 2>&1 &
started+=($!)

cat >slurm.conf <<CONF
ClusterName=here
SlurmctldHost=$host(127.0.0.1)
AuthType=auth/munge
AuthInfo=socket=$folder/munge/socket
CryptoType=crypto/munge
SlurmUser=root
SlurmdUser=root
StateSaveLocation=$folder/state
SlurmdSpoolDir=$folder/spool
SlurmctldPidFile=$folder/run/ctld.pid
SlurmdPidFile=$folder/run/d.pid
SlurmctldLogFile=$folder/ctld.log
SlurmdLogFile=$folder/d.log
SlurmctldPort=16817
SlurmdPort=16818
ProctrackType=proctrack/pgid
TaskPlugin=task/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
MpiDefault=none
ReturnToService=2
NodeName=$host NodeAddr=127.0.0.1 CPUs=2 RealMemory=500 State=UNKNOWN
PartitionName=all Nodes=$host Default=YES MaxTime=INFINITE State=UP
CONF
export SLURM_CONF=$folder/slurm.conf
sleep 1
slurmctld -D -f slurm.conf >ctld.out 2>&1 &
started+=($!)
slurmd -D -f slurm.conf >d.out 2>&1 &
started+=($!)
for _ in $(seq 30); do
    sinfo -h -o %t 2>/dev/null | grep -q idle && break
    sleep 1
done
sinfo

# The job of job.sh with four ranks: enough breaks that it is still running when it is disturbed.
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 CAROM_MPI=$mpi
export MPIRUN="mpirun --oversubscribe -n 4 --mca btl self,vader --mca btl_vader_single_copy_mechanism none"
ensemble=(--set samples=4000 --set chunk=4)
job=$(sbatch --parsable -n 2 -o job.log "$here/job.sh" ensemble-breaks "$folder/breaks.db" "${ensemble[@]}")

# Wait until the job has started $1 times and its ranks are at work.
wait_for_start() {
    for _ in $(seq 600); do
        # Slurm lets a requeued job wait two minutes; this one need not.
        scontrol update JobId="$job" StartTime=now 2>/dev/null || true
        ranks=$(pgrep -f "^$mpi run ensemble-breaks" || true)
        [ "$(grep -c "^start" job.log 2>/dev/null)" = "$1" ] && [ -s breaks.db-wal ] && [ -n "$ranks" ] && break
        sleep 0.25
    done
    sleep 0.5
}

wait_for_start 1
victim=$(echo "$ranks" | tail -1)
echo "job $job: killing rank process $victim"
kill -9 "$victim"

wait_for_start 2
echo "job $job: TERM to the job script, as before the time limit"
scancel --batch --signal=TERM "$job"

for _ in $(seq 600); do
    grep -q "^done" job.log 2>/dev/null && break
    scontrol update JobId="$job" StartTime=now 2>/dev/null || true
    sleep 0.25
done
cat job.log

"$carom" run ensemble-breaks "${ensemble[@]}" --csv alone.csv --quiet
cmp breaks.csv alone.csv
[ "$(grep -c "^back into the queue" job.log)" = 2 ]
echo "slurm: the job was requeued twice, and its result is that of one process to the byte"
