#!/usr/bin/env bash
# A one-node Slurm in a folder, and an ensemble as a job that requeues itself while one of its ranks is killed:
#   tests/cluster/slurm.sh build/carom build/mpi/carom-mpi
# Needs Debian's slurm-wlm, munge, openmpi-bin and root; ends everything that it started. Some 30 s.
set -euo pipefail

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

# The job: on a failure it puts itself back into the queue, and what is in the store stays there.
cat >job.sh <<JOB
#!/bin/bash
#SBATCH -n 2 --requeue -o job.log --open-mode=append
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
echo "start, restarts so far: \${SLURM_RESTART_COUNT:-0}"
mpirun --oversubscribe -n 4 --mca btl self,vader --mca btl_vader_single_copy_mechanism none \\
    $mpi run ensemble-breaks --set samples=400 --set chunk=4 --store $folder/breaks.db --csv $folder/job.csv --quiet
[ \$? -le 3 ] || # what carom itself ends with, see job.sh
    { echo "failed, back into the queue"; scontrol requeue \$SLURM_JOB_ID; sleep 60; }
echo "done"
JOB
job=$(sbatch --parsable job.sh)

# Kill a rank once there is something in the store.
for _ in $(seq 60); do
    sleep 0.25
    ranks=$(pgrep -f "^$mpi run ensemble-breaks" || true)
    [ -s breaks.db-wal ] && [ -n "$ranks" ] && break
done
sleep 0.5
victim=$(echo "$ranks" | tail -1)
echo "job $job: killing rank process $victim"
kill -9 "$victim" || true
for _ in $(seq 150); do
    grep -q "^done" job.log 2>/dev/null && break
    sleep 1
    # Slurm lets a requeued job wait two minutes; this one need not.
    if grep -q "back into the queue" job.log 2>/dev/null; then
        scontrol update JobId="$job" StartTime=now 2>/dev/null || true
    fi
done
cat job.log

"$carom" run ensemble-breaks --set samples=400 --set chunk=4 --csv alone.csv --quiet
cmp job.csv alone.csv
grep -q "back into the queue" job.log
echo "slurm: the job was requeued, and its result is that of one process to the byte"
