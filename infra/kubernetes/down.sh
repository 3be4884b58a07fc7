#!/bin/bash
# Ends the cluster that up.sh started, with everything in it, and the container engine if images.sh started it. What was
# built is kept; `down.sh --all` removes that too. `down.sh --node` leaves the engine.
set -u
ROOT=$(cd "$(dirname "$0")/../.." && pwd); B=$ROOT/.sluice/kubernetes; pid=$(cat "$B/pid" 2>/dev/null)
if [ -n "$pid" ] && tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q "node.sh $B "; then
  kill -TERM "$pid"; for _ in $(seq 100); do [ -e "/proc/$pid" ] || break; sleep .1; done
  [ ! -e "/proc/$pid" ] || kill -KILL "$pid"
  for _ in $(seq 100); do [ -e "/proc/$pid" ] || break; sleep .1; done
  [ ! -e "/proc/$pid" ] || { echo "pid $pid does not end" >&2; exit 1; }
  echo "Kubernetes: ended (pid $pid)"
else echo "Kubernetes: not running"; fi
rm -f "$B/pid"
[ "${1:-}" = --node ] || { log() { echo "Kubernetes: $*" >&2; }; . "$ROOT/infra/containers/stand-ins/build.sh"; stop_engine "$B"; }
for h in /sys/fs/cgroup/*/sluice-kubernetes; do [ ! -d "$h" ] || for _ in 1 2 3 4 5; do find "$h" -depth -type d -exec rmdir {} + 2>/dev/null; [ -d "$h" ] && sleep .2 || break; done; done
rm -rf --one-file-system "$B/run"; [ "${1:-}" != --all ] || rm -rf --one-file-system "$B"
# Folders of the machine that the node put its own in the place of.
rmdir /run/netns /var/lib/kubelet /var/log/pods /var/log/containers 2>/dev/null || true
