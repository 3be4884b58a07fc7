# What stands in for public images where no registry of images is reached: built from packages alone. Sourced by the
# scripts of infra/containers and infra/kubernetes. ROOT is the repository's folder, DK the engine's client, log prints.

# start_engine FOLDER: the engine that answers, else one of our own, whose number is in FOLDER/dockerd.pid.
start_engine() {
  ! $DK info >/dev/null 2>&1 || return 0
  log "starting a container engine"
  [ -x /usr/sbin/dockerd ] || { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends docker.io; } >"$1/apt.log" 2>&1
  # A caller that waits for the end of its output would wait for the engine's.
  DK=/usr/bin/docker; setsid /usr/sbin/dockerd >"$1/dockerd.log" 2>&1 </dev/null 3>&- & echo $! >"$1/dockerd.pid"
  timeout 60 sh -c "until $DK info >/dev/null 2>&1; do sleep .5; done"
}

# stop_engine FOLDER: ends the engine that start_engine has started, with its bridge and its rules. An engine that
# starts later makes them again.
stop_engine() {
  local pid table rule chain; pid=$(cat "$1/dockerd.pid" 2>/dev/null || true); rm -f "$1/dockerd.pid"
  [ -n "$pid" ] && grep -qa dockerd "/proc/$pid/cmdline" 2>/dev/null || return 0
  kill -TERM "$pid"; for _ in $(seq 200); do [ -e "/proc/$pid" ] || break; sleep .1; done
  [ ! -e "/proc/$pid" ] || { log "the container engine (pid $pid) does not end"; return 0; }
  for table in nat filter; do
    iptables -t $table -S | sed -n '/^-A .*\(DOCKER\|docker0\)/s/^-A/-D/p' | while read -r rule; do iptables -t $table $rule; done || true
    iptables -t $table -S | sed -n 's/^-N \(DOCKER.*\)/\1/p' | while read -r chain; do iptables -t $table -X "$chain"; done || true
  done
  ip link delete docker0 2>/dev/null || true
}

# node_26: the path of Node 26, which NODE names, which is on the PATH, or which ./sluice brings.
node_26() {
  local node own=$ROOT/.sluice/tools/node_modules/.bin/node
  "$ROOT/sluice" --help >/dev/null
  for node in "${NODE:-}" "$(command -v node)" "$own"; do
    case $([ ! -x "$node" ] || "$node" --version) in v26.*) "$node" -p process.execPath; return ;; esac
  done
  return 1
}

# build_bases FOLDER [TARGET=NAME...]: local/debian:12, and the targets of this folder's Dockerfile under these names.
build_bases() {
  local folder=$1 target library system pnpm=$ROOT/.sluice/tools/node_modules/pnpm/pnpm; shift; mkdir -p "$folder/libs"
  $DK image inspect local/debian:12 >/dev/null 2>&1 || { log "local/debian:12"; system=$(mktemp -d)
    [ -x /usr/sbin/debootstrap ] || { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends debootstrap; } >"$folder/apt.log" 2>&1
    debootstrap --variant=minbase bookworm "$system" "$(awk '/^URIs:/{print $2; exit}' /etc/apt/sources.list.d/debian.sources)" >"$folder/debootstrap.log"
    cp /etc/apt/sources.list.d/debian.sources "$system/etc/apt/sources.list.d/"; : >"$system/etc/apt/sources.list"
    cp /etc/apt/apt.conf.d/99* "$system/etc/apt/apt.conf.d/" 2>/dev/null || true
    rm -rf "$system"/var/{cache/apt,lib/apt/lists}/* "$system"/usr/share/{doc,man,info,locale}/* "$system"/etc/resolv.conf
    tar -C "$system" -c . | $DK import -c 'CMD ["bash"]' - local/debian:12 >/dev/null; rm -rf "$system"; }
  cp "$(node_26)" "$folder/node"; strip --strip-all "$folder/node" 2>/dev/null || true
  [ -e "$pnpm" ] || "$ROOT/sluice" --help >/dev/null
  cp -L "$pnpm" "$folder/pnpm"; cp /etc/ssl/certs/ca-certificates.crt "$folder/ca.crt"
  [ -e /usr/lib/x86_64-linux-gnu/libatomic.so.1 ] || apt-get install -qy --no-install-recommends libatomic1 libstdc++6 >"$folder/apt.log" 2>&1
  for library in libstdc++.so.6 libatomic.so.1; do cp -L "/usr/lib/x86_64-linux-gnu/$library" "$folder/libs/"; done
  cp "$ROOT/infra/containers/stand-ins/Dockerfile" "$folder/"
  for target; do $DK build -q --network host --target "${target%%=*}" -t "${target#*=}" "$folder" >/dev/null; done
}

# build_servers FOLDER TARGET=NAME...: targets of servers/Dockerfile, on a Java of the parts that the servers need.
build_servers() {
  local folder=$1 from part target java=${JAVA_HOME:-/usr/lib/jvm/java-17-openjdk-amd64}/bin; shift; mkdir -p "$folder"
  from=$(ls -dt "$ROOT"/.sluice/java/*/libs 2>/dev/null | head -1 || true); from=${from%/libs}
  [ -n "$from" ] || { from=$folder/java; [ -d "$from" ] || { log "the servers' packages"; rm -rf "$from.part"
    mvn -q -B -f "$ROOT/infra/local/pom.xml" "-Dinto=$from.part" package
    "$java/javac" --release 17 -cp "$from.part/libs/*" -d "$from.part/classes" "$ROOT/infra/local/java/LocalMongo.java"; mv "$from.part" "$from"; }; }
  [ -d "$folder/jre" ] || { log "the servers' Java"; rm -rf "$folder/jre.part"
    "$java/jlink" --add-modules java.se,jdk.unsupported,jdk.crypto.ec,jdk.zipfs,jdk.management,jdk.net,jdk.naming.dns,jdk.charsets \
      --strip-debug --no-header-files --no-man-pages --output "$folder/jre.part"; mv "$folder/jre.part" "$folder/jre"; }
  for part in libs classes registry; do rm -rf "${folder:?}/$part"; cp -al "$from/$part" "$folder/$part"; done
  cp "$ROOT"/infra/containers/stand-ins/servers/{Dockerfile,kafka-run,server.properties,log4j2.yaml} "$folder/"
  for target; do $DK build -q --target "${target%%=*}" -t "${target#*=}" "$folder" >/dev/null; done
}
