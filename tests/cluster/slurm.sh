#!/usr/bin/env bash
# doc/cluster.md, both scripts for Slurm, on a Slurm of this test alone: one node, its own key, ports and folders. Of
# the array of eight one task is killed and one is put back into the queue, each once it has
# a file. slurm.sh IMPINGE DOCUMENT PYTHON
source "$(dirname "$0")/../lib/common.sh"
source "$(dirname "$0")/cluster.sh"
for name in munged slurmctld slurmd sbatch; do
  PATH=$PATH:/usr/sbin command -v $name >/dev/null || skip "no $name"
done
[ "$(id -u)" = 0 ] || skip 'slurmd starts tasks of several users: it must be root'
begin "$@"
export PATH=$PATH:/usr/sbin
source "$here/slurm_node.sh"
trap 'stop_slurm; rm -rf "$where"' EXIT
start_slurm

# wait_for SECONDS COMMAND...: until it succeeds
wait_for() {
  local end=$((SECONDS + $1))
  shift
  until "$@"; do
    [ $SECONDS -lt $end ] || fail "$*: not in time: $(squeue -a; tail -n 20 shards/*.log job.log 2>/dev/null)"
    sleep 0.1
  done
}
# Slurm puts off what it starts again; two minutes are too long for a test.
none_left() {
  local id reason
  squeue -h -t PENDING -r -o '%A %r' >pending
  while read -r id reason; do
    [ "$reason" != BeginTime ] || scontrol update JobId="$id" StartTime=now
  done <pending
  [ -z "$(squeue -h)" ]
}

# ---- the array, with tasks that are stopped until something happens to them

rm bin/impinge
cp "$here/slurm_task.sh" bin/impinge
export IMPINGE_REAL=$1
block 'Slurm: a job array' 1 >share.sbatch
block 'Slurm: a job array' 2 >merge.sbatch
block 'Slurm: a job array' 3 >submit
bash -e submit >jobs || fail 'the jobs are not taken'
array=$(squeue -h -o %F | sort -n | head -n 1)
for task in 1 6; do wait_for 20 test -s "stopped.$task"; done
kill -KILL "$(cat stopped.1)"
scontrol requeue "${array}_6"
wait_for 40 none_left
[ -e contacts.vtkhdf ] || fail "there is no result: $(tail -n 20 shards/*.log)"
for task in 1 6; do
  [ "$(cat "restarts.$task")" = 1 ] || fail "task $task has not been started again once"
  [ "$(cat "begun.$task")" -gt 0 ] || fail "task $task has begun anew"
done
same_result

# ---- tasks of one job

rm -r bin/impinge contacts.vtkhdf shards
ln -s "$1" bin/impinge
block 'Slurm: tasks of one job' 1 >job.sbatch
sbatch job.sbatch >jobs
wait_for 30 none_left
[ -e contacts.vtkhdf ] || fail "there is no result: $(cat job.log)"
same_result
