#!/bin/bash
# Builds the images that the cluster runs, from packages alone, where no registry of images is reached. It takes some
# minutes the first time and seconds afterwards. It wants root, npm, Maven and a JDK 17; Debian's docker.io and
# debootstrap are installed where they are missing. `images.sh servers` and `images.sh sluice` build only these.
#   local/node-build:26            stands for node:26-slim with pnpm, the base of infra/image/Dockerfile
#   sluice-local/servers:1         Kafka, the schema registry and a MongoDB-compatible store
#   sluice-local/sluice:kubernetes-1, :kubernetes-2   Sluice; the second is the first under another label
set -euo pipefail
H=$(cd "$(dirname "$0")" && pwd); ROOT=$(cd "$H/../.." && pwd); B=$ROOT/.sluice/kubernetes C=$ROOT/.sluice/kubernetes/images; export DOCKER_BUILDKIT=1
DK=${DOCKER:-/usr/bin/docker}; log() { echo "[images $(date +%T)] $*" >&2; }
mkdir -p "$C"
. "$ROOT/infra/containers/stand-ins/build.sh"
start_engine "$B"  # down.sh ends it
[ "${1:-}" = sluice ] || { build_bases "$C/bases" build=local/node-build:26; build_servers "$C/servers" all=sluice-local/servers:1; }
[ "${1:-}" != servers ] || exit 0

# Sluice, as infra/image builds it.
log "sluice-local/sluice:kubernetes-1"
$DK build -q --network host --build-arg BUILD=local/node-build:26 -f "$ROOT/infra/image/Dockerfile" -t sluice-local/sluice:kubernetes-1 "$ROOT" >/dev/null
printf 'FROM sluice-local/sluice:kubernetes-1\nLABEL version=2\n' | $DK build -q -t sluice-local/sluice:kubernetes-2 - >/dev/null
log "done"
