#!/bin/bash
# Builds the images that the cluster runs, from packages alone, where no registry of images is reached. It takes some
# minutes the first time and seconds afterwards. It wants root, npm, Maven and a JDK 17; Debian's docker.io and
# debootstrap are installed where they are missing.
#   local/node-build:26            stands for node:26-slim with pnpm, the first base of infra/image/Dockerfile
#   local/cc:12                    stands for a base with glibc and libstdc++ alone, its second base
#   sluice-local/servers:1         Kafka, the schema registry and a MongoDB-compatible store
#   sluice-local/sluice:kubernetes-1, :kubernetes-2   Sluice; the second is the first under another label
set -euo pipefail
H=$(cd "$(dirname "$0")" && pwd); ROOT=$(cd "$H/../.." && pwd); B=$ROOT/.sluice/kubernetes C=$ROOT/.sluice/kubernetes/images; export DOCKER_BUILDKIT=1
DK=${DOCKER:-/usr/bin/docker}; log() { echo "[images $(date +%T)] $*" >&2; }
mkdir -p "$C"
[ -x /usr/sbin/debootstrap ] && [ -x /usr/sbin/dockerd ] || { log "installing docker.io, debootstrap"; { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends docker.io debootstrap; } >"$B/apt-docker.log" 2>&1; }

# A container engine: the one that answers, else one of our own, which down.sh ends.
$DK info >/dev/null 2>&1 || { log "starting a container engine"
  setsid dockerd >"$B/dockerd.log" 2>&1 </dev/null & echo $! >"$B/dockerd.pid"
  timeout 60 sh -c "until $DK info >/dev/null 2>&1; do sleep .5; done"; }

# 1. The bases.
$DK image inspect local/debian:12 >/dev/null 2>&1 || { log "local/debian:12"; T=$(mktemp -d)
  debootstrap --variant=minbase bookworm "$T" "$(awk '/^URIs:/{print $2; exit}' /etc/apt/sources.list.d/debian.sources)" >"$B/debootstrap.log"
  rm -rf "$T"/var/{cache/apt,lib/apt/lists}/* "$T"/usr/share/{doc,man,info,locale}/* "$T"/etc/resolv.conf
  tar -C "$T" -c . | $DK import -c 'CMD ["bash"]' - local/debian:12 >/dev/null; rm -rf "$T"; }
P=$ROOT/.sluice/tools/node_modules/pnpm/pnpm
[ -e "$P" ] || { npm install --silent --no-save --prefix "$B/pnpm" pnpm@12.21.0; P=$B/pnpm/node_modules/pnpm/pnpm; }
[ -e /usr/lib/x86_64-linux-gnu/libatomic.so.1 ] || apt-get install -qy --no-install-recommends libatomic1 libstdc++6 >/dev/null
mkdir -p "$C/bases/libs"; cp "$(node -p process.execPath)" "$C/bases/node"; strip --strip-all "$C/bases/node" 2>/dev/null || true
cp -L "$P" "$C/bases/pnpm"; cp /etc/ssl/certs/ca-certificates.crt "$C/bases/ca.crt"; cp "$H/images/bases/Dockerfile" "$C/bases/"
for l in libstdc++.so.6 libatomic.so.1; do cp -L /usr/lib/x86_64-linux-gnu/$l "$C/bases/libs/"; done
for t in build=node-build:26 cc=cc:12; do $DK build -q --target "${t%=*}" -t "local/${t#*=}" "$C/bases" >/dev/null; done

# 2. The servers: the packages of infra/local, on a Java of the parts that they need.
S=$C/servers; J=${JAVA_HOME:-/usr/lib/jvm/java-17-openjdk-amd64}/bin; mkdir -p "$S"
[ -d "$S/java/registry" ] || { log "the servers' packages"; rm -rf "$S/java"; mvn -q -B -f "$ROOT/infra/local/pom.xml" "-Dinto=$S/java.part" package; rm -rf "$S/java.part/maven"
  "$J/javac" --release 17 -cp "$S/java.part/libs/*" -d "$S/java.part/classes" "$ROOT/infra/local/java/LocalMongo.java"; mv "$S/java.part" "$S/java"; }
[ -d "$S/jre" ] || { log "the servers' Java"; "$J/jlink" --add-modules java.se,jdk.unsupported,jdk.crypto.ec,jdk.zipfs,jdk.management,jdk.net,jdk.naming.dns,jdk.charsets \
  --strip-debug --no-header-files --no-man-pages --output "$S/jre.part"; mv "$S/jre.part" "$S/jre"; }
cp "$H/images/servers/Dockerfile" "$S/"; $DK build -q -t sluice-local/servers:1 "$S" >/dev/null

# 3. Sluice, as infra/image builds it.
log "sluice-local/sluice:kubernetes-1"
$DK build -q --network host --build-arg BUILD=local/node-build:26 --build-arg RUNTIME=local/cc:12 -f "$ROOT/infra/image/Dockerfile" -t sluice-local/sluice:kubernetes-1 "$ROOT" >/dev/null
printf 'FROM sluice-local/sluice:kubernetes-1\nLABEL version=2\n' | $DK build -q -t sluice-local/sluice:kubernetes-2 - >/dev/null
log "done"
