#!/usr/bin/env bash
# doc/cluster.md, all scripts for Slurm, on a Slurm of this test alone: one node, with its own key, ports and folders.
# Of the array of eight, three tasks are held in the middle of their frames (fragile.c), until one is killed, one gets
# SIGTERM and one is put back into the queue. slurm.sh IMPINGE DOCUMENT PYTHON FRAGILE
source "$(dirname "$0")/../lib/common.sh"
source "$(dirname "$0")/cluster.sh"
export PATH=$PATH:/usr/sbin
for name in munged slurmctld slurmd sbatch; do
  command -v $name >/dev/null || skip "no $name"
done
[ "$(id -u)" = 0 ] || skip 'slurmd must be root'
# Where it can be, the script is the first process of a namespace: all that it starts ends with it, even if it is
# killed and cannot stop its daemons. The machine has a name of its own there, and so have Slurm's control groups.
alone=(unshare --uts --pid --fork --kill-child --mount-proc)
# a bare root that was entered by chroot has no mount at / that could be made private, and need not where none is shared
grep -q ' shared:' /proc/self/mountinfo || alone+=(--propagation unchanged)
if [ $$ = 1 ]; then
  hostname "impinge-$SRANDOM"
elif "${alone[@]}" true 2>/dev/null; then
  exec "${alone[@]}" bash "$0" "$@"
elif pgrep -x slurmd >/dev/null; then
  skip 'another slurmd runs here, which has the same control groups'
fi
frames=160
begin "$@"
source "$here/slurm_node.sh"
trap 'stop_slurm; rm -rf "$where"' EXIT
trap 'exit 130' INT TERM HUP
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
  squeue -h -t PENDING -r -o '%A %r' >pending || return 1
  while read -r id reason; do
    case $reason in
      BeginTime) scontrol update JobId="$id" StartTime=now || true ;;
      DependencyNeverSatisfied) fail "a task has failed: $(tail -n 20 shards/*.log)" ;;
    esac
  done <pending
  squeue -h >left && [ ! -s left ]
}
has_result() { [ -e contacts.vtkhdf ] || fail "there is no result: $(cat jobs; tail -n 20 shards/*.log job.log)"; }

# ---- the array

# In the middle of a share, by its changes to files. Computing is ahead of these by eight of its 20 frames at most.
export IMPINGE_REAL=$1 IMPINGE_FRAGILE_PROGRAM=$4
IMPINGE_HASTY=1 IMPINGE_FRAGILE=none:0 IMPINGE_FRAGILE_COUNT=count \
  "$4" run in.vtkhdf -o probe.vtkhdf --shard 1/8 --block 1 --threads 1 -q
export IMPINGE_HELD_AT=$(($(cat count) / 4))
rm bin/impinge
cp "$here/slurm_task.sh" bin/impinge
block 'Slurm: a job array' 1 >share.sbatch
block 'Slurm: a job array' 2 >merge.sbatch
block 'Slurm: a job array' 3 >submit
bash -e submit >jobs 2>&1 || fail "the jobs are not taken: $(cat jobs)"
array=$(squeue -h -o %F | sort -n | head -n 1)
for task in 1 3 6; do wait_for 200 test -e "held.$task"; done
kill -KILL "$(cat held.1)"
# as --signal=TERM@60 does when the time is up
scancel --signal=TERM "${array}_3.0"
scontrol requeue "${array}_6"
wait_for 200 none_left
has_result
for task in 1 3 6; do
  [ -s "restarts.$task" ] || fail "task $task has not been started again: $(tail -n 20 "shards/$task.log")"
done
"$python" -B - part.1 part.3 part.6 <<'END'
import sys
import h5py
for name in sys.argv[1:]:
    with h5py.File(name) as file:
        frames = file["VTKHDF/Steps"].attrs["NSteps"]
    assert 0 < frames < 20, f"{name}: {frames} frames were there when the task began again"
END
same_result

# ---- tasks of one job

rm -r bin/impinge contacts.vtkhdf shards
ln -s "$1" bin/impinge
block 'Slurm: tasks of one job' 1 >job.sbatch
sbatch job.sbatch >jobs
wait_for 200 none_left
has_result
same_result
