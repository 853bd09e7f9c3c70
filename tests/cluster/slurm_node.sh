# A Slurm of one node in $where/slurm: slurmctld, slurmd and munged as the user of this shell, without systemd.

slurm_pids=()

# free_port: a port that nobody listens on now
free_port() { "$python" -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])'; }

# Tasks are followed by control groups where these are mounted and may be written, else by their parents.
write_conf() {
  local name control node track=linuxproc task=none
  name=$(hostname -s) control=$(free_port) node=$(free_port)
  if [ -w /sys/fs/cgroup/freezer ] && [ -w /sys/fs/cgroup/memory ]; then track=cgroup task=cgroup; fi
  printf '%s\n' 'CgroupMountpoint=/sys/fs/cgroup' 'ConstrainRAMSpace=yes' >"$slurm/cgroup.conf"
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
ProctrackType=proctrack/$track
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
  write_conf
  export SLURM_CONF=$slurm/slurm.conf
  in_background munged munged --foreground --force --key-file="$slurm/key" --socket="$slurm/munge.sock" \
    --pid-file="$slurm/munged.pid" --log-file="$slurm/munge.log" --seed-file="$slurm/seed"
  for _ in {1..50}; do [ -S "$slurm/munge.sock" ] && break || sleep 0.1; done
  in_background slurmctld slurmctld -D -f "$SLURM_CONF"
  in_background slurmd slurmd -D -f "$SLURM_CONF"
  for _ in {1..100}; do
    [ "$(timeout 5 sinfo -h -o %T 2>/dev/null || true)" = idle ] && return 0
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
