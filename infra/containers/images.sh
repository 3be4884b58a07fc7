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

if [ "${1:-up}" = down ]; then
  [ ! -e "$B/dockerd.pid" ] || { kill "$(cat "$B/dockerd.pid")" 2>/dev/null || true; rm -f "$B/dockerd.pid"; }
  exit 0
fi

$DK info >/dev/null 2>&1 || { log "starting a container engine"
  [ -x /usr/sbin/dockerd ] || { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends docker.io; } >"$B/apt.log" 2>&1
  DK=/usr/bin/docker; setsid /usr/sbin/dockerd >"$B/dockerd.log" 2>&1 </dev/null 3>&- & echo $! >"$B/dockerd.pid"
  timeout 60 sh -c "until $DK info >/dev/null 2>&1; do sleep .5; done"; }

# The public images, if they are here or can be fetched; else those that stand in for them.
public() { $DK image inspect "$1" >/dev/null 2>&1 || timeout 60 $DK pull -q "$1" >/dev/null 2>&1; }
if [ -z "${SLUICE_STAND_INS:-}" ] && public node:26-slim && public debian:12-slim && public testcontainers/sshd:1.4.0; then
  ARGS=(); VARIABLES=()
else
  log "no registry of images is reached: building from packages"
  $DK image inspect local/debian:12 >/dev/null 2>&1 || { T=$(mktemp -d)
    [ -x /usr/sbin/debootstrap ] || { apt-get update -q && apt-get install -qy --no-install-recommends debootstrap; } >"$B/apt.log" 2>&1
    debootstrap --variant=minbase bookworm "$T" "$(awk '/^URIs:/{print $2; exit}' /etc/apt/sources.list.d/debian.sources)" >"$B/debootstrap.log"
    cp /etc/apt/sources.list.d/debian.sources "$T/etc/apt/sources.list.d/"; : >"$T/etc/apt/sources.list"
    cp /etc/apt/apt.conf.d/99* "$T/etc/apt/apt.conf.d/" 2>/dev/null || true
    rm -rf "$T"/var/{cache/apt,lib/apt/lists}/* "$T"/usr/share/{doc,man,info,locale}/* "$T"/etc/resolv.conf
    tar -C "$T" -c . | $DK import -c 'CMD ["bash"]' - local/debian:12 >/dev/null; rm -rf "$T"; }
  C=$B/stand-ins; mkdir -p "$C/libs"; cp "$H/stand-ins/Dockerfile" "$C/"
  cp "${NODE:-$(node -p process.execPath)}" "$C/node"; strip --strip-all "$C/node" 2>/dev/null || true
  cp -L "$ROOT/.sluice/tools/node_modules/pnpm/pnpm" "$C/pnpm"; cp /etc/ssl/certs/ca-certificates.crt "$C/ca.crt"
  for l in libstdc++.so.6 libatomic.so.1; do cp -L "/usr/lib/x86_64-linux-gnu/$l" "$C/libs/"; done
  for t in build=local/node-build:26 cc=local/cc:12 sshd=$PREFIX/testcontainers/sshd:1.4.0; do
    $DK image inspect "${t#*=}" >/dev/null 2>&1 || $DK build -q --network host --target "${t%%=*}" -t "${t#*=}" "$C" >/dev/null; done
  ARGS=(--network host --build-arg BUILD=local/node-build:26 --build-arg RUNTIME=local/cc:12)
  # Nothing stands in for the container that removes what a killed run leaves.
  VARIABLES=(TESTCONTAINERS_RYUK_DISABLED=true TESTCONTAINERS_HUB_IMAGE_NAME_PREFIX=$PREFIX); IMAGE=$PREFIX/$NAME
fi
# Kafka, the schema registry and a MongoDB-compatible store, from the packages that infra/local installs.
[ ${#ARGS[@]} -eq 0 ] || { S=$B/servers; mkdir -p "$S"; J=${JAVA_HOME:-/usr/lib/jvm/java-17-openjdk-amd64}/bin
  FROM=$(ls -dt "$ROOT"/.sluice/java/*/libs 2>/dev/null | head -1 || true); FROM=${FROM%/libs}
  [ -n "$FROM" ] || { FROM=$S/java; [ -d "$FROM" ] || { log "the servers' packages"; rm -rf "$FROM.part"
    mvn -q -B -f "$ROOT/infra/local/pom.xml" "-Dinto=$FROM.part" package
    "$J/javac" --release 17 -cp "$FROM.part/libs/*" -d "$FROM.part/classes" "$ROOT/infra/local/java/LocalMongo.java"; mv "$FROM.part" "$FROM"; }; }
  [ -d "$S/jre" ] || { log "the servers' Java"; rm -rf "$S/jre.part"
    "$J/jlink" --add-modules java.se,jdk.unsupported,jdk.crypto.ec,jdk.zipfs,jdk.management,jdk.net,jdk.naming.dns,jdk.charsets \
      --strip-debug --no-header-files --no-man-pages --output "$S/jre.part"; mv "$S/jre.part" "$S/jre"; }
  for d in libs classes registry; do rm -rf "${S:?}/$d"; cp -al "$FROM/$d" "$S/$d"; done
  cp "$H"/stand-ins/servers/{Dockerfile,kafka-run,server.properties,log4j2.yaml} "$S/"
  for t in kafka=apache/kafka:4.3.1 registry=apicurio/apicurio-registry:3.0.9 mongo=mongo:8; do
    $DK build -q --target "${t%%=*}" -t "$PREFIX/${t#*=}" "$S" >/dev/null; done; }
if [ "${1:-up}" = servers ]; then printf '%s\n' "${VARIABLES[@]}" >&3; exit 0; fi
log "building $IMAGE"
$DK build -q "${ARGS[@]}" -f "$ROOT/infra/image/Dockerfile" -t "$IMAGE" "$ROOT" >/dev/null
printf '%s\n' "SLUICE_IMAGE=$NAME" "${VARIABLES[@]}" >&3
