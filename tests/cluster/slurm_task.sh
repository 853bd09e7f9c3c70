#!/usr/bin/env bash
# Stands for impinge in an array of Slurm: some tasks, when they run for the first time, are stopped once they have a file, so
# that what happens to them happens there. IMPINGE_REAL is the program.
task=${SLURM_ARRAY_TASK_ID:-none}
case $task:${SLURM_RESTART_COUNT:-0} in
  [16]:0) ;;
  *:0) exec "$IMPINGE_REAL" "$@" ;;
  *)
    echo "$SLURM_RESTART_COUNT" >"restarts.$task"
    stat -c %s "shards/$task.vtkhdf.part" >"begun.$task"
    exec "$IMPINGE_REAL" "$@"
    ;;
esac
trap : TERM # which is for the program
"$IMPINGE_REAL" "$@" &
program=$!
until [ -s "shards/$task.vtkhdf.part" ]; do
  kill -0 $program || exit 1 # too late to stop it
  sleep 0.01
done
kill -STOP $program
echo $program >"stopped.$task"
wait $program
status=$?
while kill -0 $program 2>/dev/null; do
  wait $program
  status=$?
done
exit $status
