#!/usr/bin/env bash
# Stands for impinge in an array of Slurm. Three tasks, when they run for the first time, wait in the middle of their
# frames until the file held.TASK is gone (fragile.c). When they run again, part.TASK is what they found.
task=${SLURM_ARRAY_TASK_ID:-none}
case $task:${SLURM_RESTART_COUNT:-0} in
  [136]:0)
    export IMPINGE_HASTY=1 IMPINGE_FRAGILE=held:$IMPINGE_HELD_AT IMPINGE_FRAGILE_HELD=held.$task
    exec "$IMPINGE_FRAGILE_PROGRAM" "$@" --block 1
    ;;
  *:0) ;;
  *)
    echo "$SLURM_RESTART_COUNT" >"restarts.$task"
    cp "shards/$task.vtkhdf.part" "part.$task"
    ;;
esac
exec "$IMPINGE_REAL" "$@"
