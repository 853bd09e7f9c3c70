# A Slurm of one node in $where/slurm: slurmctld, slurmd and munged as the user of this shell, without systemd.

slurm_pids=()

# free_port: a port that nobody listens on now, of those that no system gives to outgoing connections
free_port() {
  "$python" - <<'END'
import random
import socket
while True:
    port = random.randrange(10000, 30000)
    with socket.socket() as s:
        try:
            s.bind(("", port))
        except OSError:
            continue
    print(port)
    break
END
}

# mount_groups: slurmd does not start without control groups, and wants those of version 1. Where they are not mounted,
# as on a system of version 2 or in a bare root, this script mounts two if it sees its own mounts only.
mount_groups() {
  local group
  [ $$ = 1 ] && [ ! -d /sys/fs/cgroup/freezer ] || return 0
  mount -t tmpfs tmpfs /sys/fs/cgroup || return 0
  for group in freezer memory; do
    mkdir "/sys/fs/cgroup/$group"
    mount -t cgroup -o "$group" cgroup "/sys/fs/cgroup/$group" || rmdir "/sys/fs/cgroup/$group"
  done
}

# Tasks are followed by control groups, and get the memory that they ask for where these can say how much.
write_conf() {
  local name control node task=none
  name=$(hostname -s) control=$(free_port) node=$(free_port)
  [ ! -w /sys/fs/cgroup/memory ] || task=cgroup
  printf '%s\n' CgroupPlugin=cgroup/v1 CgroupMountpoint=/sys/fs/cgroup ConstrainRAMSpace=yes >"$slurm/cgroup.conf"
  cat >"$slurm/slurm.conf" <<END
ClusterName=impinge
SlurmctldHost=$name(127.0.0.1)
SlurmUser=$(id -un)
SlurmdUser=$(id -un)
SlurmctldPort=$control
SlurmdPort=$node
AuthType=auth/munge
AuthInfo=socket=$slurm/munge.sock,cred_expire=1
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.pid
ProctrackType=proctrack/cgroup
TaskPlugin=task/$task
MpiDefault=none
SwitchType=switch/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU_Memory
SchedulerType=sched/builtin
SchedulerParameters=batch_sched_delay=0,sched_min_interval=0,sched_interval=1
SlurmdParameters=config_overrides
KillWait=2
NodeName=$name NodeAddr=127.0.0.1 Port=$node CPUs=16 RealMemory=16000 State=UNKNOWN
PartitionName=all Nodes=ALL Default=YES MaxTime=INFINITE State=UP
END
}

# in_background NAME COMMAND...: its output goes to $slurm/NAME.log
in_background() {
  "${@:2}" >"$slurm/$1.log" 2>&1 </dev/null &
  slurm_pids+=($!)
}

# With the reason, the test is skipped where Slurm cannot start.
start_slurm() {
  slurm=$where/slurm
  mkdir -p "$slurm/state" "$slurm/spool"
  chmod 755 "$where" "$slurm"
  (umask 077 && head -c 1024 /dev/urandom >"$slurm/key")
  mount_groups 2>"$slurm/mount.log"
  write_conf
  export SLURM_CONF=$slurm/slurm.conf
  in_background munged munged --foreground --force --key-file="$slurm/key" --socket="$slurm/munge.sock" \
    --pid-file="$slurm/munged.pid" --log-file="$slurm/munge.log" --seed-file="$slurm/seed"
  for _ in {1..300}; do [ -S "$slurm/munge.sock" ] && break || sleep 0.1; done
  in_background slurmctld slurmctld -D -f "$SLURM_CONF"
  in_background slurmd slurmd -D -f "$SLURM_CONF"
  local end=$((SECONDS + 60)) pid
  while [ $SECONDS -lt $end ]; do
    [ "$(timeout 5 sinfo -h -o %T 2>/dev/null || true)" = idle ] && return 0
    for pid in "${slurm_pids[@]}"; do kill -0 "$pid" 2>/dev/null || break 2; done
    sleep 0.1
  done
  skip "Slurm does not start: $(grep -h -m 1 -E 'error|fatal' "$slurm/slurmd.log" "$slurm/slurmctld.log" | head -n 1)"
}

# Jobs first, then the daemons, the last one first, by their own numbers.
stop_slurm() {
  local i
  timeout 10 scancel --user="$(id -un)" 2>/dev/null || true
  for _ in {1..50}; do
    [ -n "$(timeout 5 squeue -h 2>/dev/null || true)" ] || break
    sleep 0.1
  done
  for ((i = ${#slurm_pids[@]} - 1; i >= 0; i--)); do
    kill "${slurm_pids[i]}" 2>/dev/null || true
    for _ in {1..50}; do kill -0 "${slurm_pids[i]}" 2>/dev/null || break; sleep 0.1; done
    kill -KILL "${slurm_pids[i]}" 2>/dev/null || true
  done
  find /sys/fs/cgroup/*/"slurm_$(hostname -s)" -depth -type d -exec rmdir {} + 2>/dev/null || true
}
