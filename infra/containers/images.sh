#!/bin/bash
# Brings what `./sluice test containers` runs on: a container engine, and the image of Sluice. It prints the variables
# that tests read.
#   images.sh up       the engine that answers, else one of our own; the image
#   images.sh servers  the engine, and images of Kafka, the schema registry and a MongoDB-compatible store
#   images.sh down     ends an engine that `up` has started
# Where no registry of images is reached, the bases are built from packages. That wants root, npm and Debian's
# debootstrap, and takes some minutes the first time.
set -euo pipefail
# Only the variables are printed to the standard output; what other programs print goes to the standard error.
exec 3>&1 1>&2
H=$(cd "$(dirname "$0")" && pwd); ROOT=$(cd "$H/../.." && pwd); B=$ROOT/.sluice/containers; mkdir -p "$B"; export DOCKER_BUILDKIT=1
# Debian's own client builds with BuildKit; another one on the PATH may not.
DK=${DOCKER:-$([ -x /usr/bin/docker ] && echo /usr/bin/docker || echo docker)}; NAME=sluice:containers; IMAGE=$NAME
# Before the names of stand-ins. It begins as a registry does: testcontainers waits for itself where a prefix does not.
PREFIX=localhost/sluice-local
log() { echo "images: $*" >&2; }

. "$H/stand-ins/build.sh"
if [ "${1:-up}" = down ]; then stop_engine "$B"; exit 0; fi
start_engine "$B"

# The public images, if they are here or can be fetched; else those that stand in for them.
public() { $DK image inspect "$1" >/dev/null 2>&1 || timeout 60 $DK pull -q "$1" >/dev/null 2>&1; }
if [ -z "${SLUICE_STAND_INS:-}" ] && public node:26-slim && public testcontainers/sshd:1.4.0; then
  ARGS=(); VARIABLES=()
else
  log "no registry of images is reached: building from packages"
  build_bases "$B/stand-ins" build=local/node-build:26 "sshd=$PREFIX/testcontainers/sshd:1.4.0"
  ARGS=(--network host --build-arg BUILD=local/node-build:26)
  # Nothing stands in for the container that removes what a killed run leaves.
  VARIABLES=(TESTCONTAINERS_RYUK_DISABLED=true TESTCONTAINERS_HUB_IMAGE_NAME_PREFIX=$PREFIX); IMAGE=$PREFIX/$NAME
fi
# Kafka, the schema registry and a MongoDB-compatible store, from the packages that infra/local installs.
[ ${#ARGS[@]} -eq 0 ] || build_servers "$B/servers" \
  "kafka=$PREFIX/apache/kafka:4.3.1" "registry=$PREFIX/apicurio/apicurio-registry:3.0.9" "mongo=$PREFIX/mongo:8"
if [ "${1:-up}" = servers ]; then printf '%s\n' "${VARIABLES[@]}" >&3; exit 0; fi
log "building $IMAGE"
$DK build -q "${ARGS[@]}" -f "$ROOT/infra/image/Dockerfile" -t "$IMAGE" "$ROOT" >/dev/null
printf '%s\n' "SLUICE_IMAGE=$NAME" "${VARIABLES[@]}" >&3
