#!/usr/bin/env bash
# A SLURM of one node on this machine, to run the workflow on a real cluster in a test: no systemd, no database, no
# cgroups. Run as root: slurm_local.sh install|start|stop|status. `install` takes Debian's packages.
# A job that takes more memory than it asked for is killed within two seconds (OverMemoryKill), and plain files stand
# for GPUs, so that requests for memory and GPUs can be tested on a machine that has no GPU.
set -euo pipefail
BASE=${SLURM_LOCAL_BASE:-/var/tmp/slurm-local}
HOST=$(hostname -s)
CPUS=${SLURM_LOCAL_CPUS:-$(nproc --all)} # plain nproc follows OMP_NUM_THREADS
MEMORY_MB=${SLURM_LOCAL_MEMORY_MB:-$(awk '/MemTotal/{print int($2/1024*0.9)}' /proc/meminfo)}
GPUS=${SLURM_LOCAL_GPUS:-1}
CONTROLLER_PORT=${SLURM_LOCAL_CONTROLLER_PORT:-16817}
NODE_PORT=${SLURM_LOCAL_NODE_PORT:-16818}
export SLURM_CONF="$BASE/etc/slurm.conf"

install_packages() {
  apt-get update -qq
  DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends \
    slurm-wlm slurm-wlm-basic-plugins munge > /dev/null
}

write_configuration() {
  mkdir -p "$BASE"/{etc,state,spool,log,run,munge}
  chmod 755 "$BASE" "$BASE"/*
  if [ ! -s "$BASE/etc/munge.key" ]; then
    dd if=/dev/urandom of="$BASE/etc/munge.key" bs=1 count=1024 status=none
  fi
  chown munge:munge "$BASE/etc/munge.key" "$BASE/munge"
  chmod 400 "$BASE/etc/munge.key"
  : > "$BASE/etc/gres.conf"
  local gpus=""
  if [ "$GPUS" -gt 0 ]; then
    gpus="Gres=gpu:$GPUS"
    for i in $(seq 0 $((GPUS - 1))); do
      touch "$BASE/run/gpu$i"
      echo "NodeName=$HOST Name=gpu File=$BASE/run/gpu$i" >> "$BASE/etc/gres.conf"
    done
  fi
  cat > "$SLURM_CONF" <<CONF
ClusterName=local
SlurmctldHost=$HOST(127.0.0.1)
SlurmctldPort=$CONTROLLER_PORT
SlurmdPort=$NODE_PORT
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$BASE/munge/munge.socket
CredType=cred/munge
StateSaveLocation=$BASE/state
SlurmdSpoolDir=$BASE/spool
SlurmctldPidFile=$BASE/run/slurmctld.pid
SlurmdPidFile=$BASE/run/slurmd.pid
SlurmctldLogFile=$BASE/log/slurmctld.log
SlurmdLogFile=$BASE/log/slurmd.log
SwitchType=switch/none
MpiDefault=none
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/linux
JobAcctGatherFrequency=task=1
JobAcctGatherParams=OverMemoryKill
AccountingStorageType=accounting_storage/none
JobCompType=jobcomp/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core_Memory
SchedulerType=sched/backfill
SchedulerParameters=batch_sched_delay=0,sched_min_interval=200000
ReturnToService=2
DefMemPerCPU=512
MinJobAge=3600
SlurmctldTimeout=30
SlurmdTimeout=30
InactiveLimit=0
KillWait=5
MailProg=/bin/true
GresTypes=gpu
NodeName=$HOST NodeAddr=127.0.0.1 CPUs=$CPUS RealMemory=$MEMORY_MB $gpus State=UNKNOWN
PartitionName=debug Nodes=$HOST Default=YES MaxTime=INFINITE State=UP OverSubscribe=NO
CONF
}

# The executor drops the SLURM_* variables before it submits, so the srun inside a job looks at Debian's default place.
link_configuration() {
  mkdir -p /etc/slurm
  for name in slurm.conf gres.conf; do
    if [ -e "/etc/slurm/$name" ] && [ ! -L "/etc/slurm/$name" ]; then
      echo "refusing to replace the real file /etc/slurm/$name" >&2
      exit 1
    fi
    ln -sfn "$BASE/etc/$name" "/etc/slurm/$name"
  done
}

wait_for() {  # seconds, what, command
  local until=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" > /dev/null 2>&1; do
    if [ "$SECONDS" -ge "$until" ]; then
      echo "$what did not come up; see $BASE/log" >&2
      exit 1
    fi
    sleep 0.2
  done
}

start() {
  write_configuration
  link_configuration
  # A munged of our own: socket, key, pid and log apart from the system's.
  runuser -u munge -- /usr/sbin/munged --force --foreground \
    --socket="$BASE/munge/munge.socket" --key-file="$BASE/etc/munge.key" --pid-file="$BASE/munge/munged.pid" \
    --log-file="$BASE/munge/munged.log" --seed-file="$BASE/munge/munged.seed" > "$BASE/log/munged.out" 2>&1 &
  wait_for 20 munged munge -n --socket="$BASE/munge/munge.socket"
  /usr/sbin/slurmctld -D -f "$SLURM_CONF" > "$BASE/log/slurmctld.out" 2>&1 &
  wait_for 30 slurmctld bash -c 'scontrol ping | grep -q "is UP"'
  /usr/sbin/slurmd -D -f "$SLURM_CONF" > "$BASE/log/slurmd.out" 2>&1 &
  wait_for 30 slurmd bash -c 'sinfo -h -o %T | grep -qE "idle|mixed|allocated"'
  sinfo -N -o '%N %T %c CPUs %m MB %G'
}

stop() {
  scancel --user=root 2> /dev/null || true
  for file in "$BASE/run/slurmd.pid" "$BASE/run/slurmctld.pid" "$BASE/munge/munged.pid"; do
    [ -s "$file" ] || continue
    pid=$(cat "$file")
    kill "$pid" 2> /dev/null || true
    for _ in $(seq 50); do kill -0 "$pid" 2> /dev/null || break; sleep 0.1; done
  done
  for name in slurm.conf gres.conf; do
    if [ "$(readlink "/etc/slurm/$name" || true)" = "$BASE/etc/$name" ]; then rm -f "/etc/slurm/$name"; fi
  done
}

case "${1:-}" in
  install) install_packages ;;
  start) start ;;
  stop) stop ;;
  status) sinfo -N -l && squeue ;;
  *) echo "usage: $0 install|start|stop|status" >&2; exit 2 ;;
esac
