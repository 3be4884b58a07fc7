#!/bin/bash
# Starts a real Kubernetes of one node, from nothing: see README.md. It may be called again; what is built once is kept.
# The last line says how to use it.
set -euo pipefail
H=$(cd "$(dirname "$0")" && pwd); B=$(cd "$H/../.." && pwd)/.sluice/kubernetes; R=$B/run; V=1.37.2
log() { echo "[kubernetes $(date +%T)] $*" >&2; }
[ "$(id -u)" = 0 ] || { log "needs root"; exit 1; }
mkdir -p "$B/bin" "$B/images"; exec 9>"$B/lock"; flock 9

# 1. What Debian has: container runtime, network plugins, service rules.
for p in containerd runc containernetworking-plugins iptables iproute2 openssl; do dpkg -s $p >/dev/null 2>&1 || need=1; done
[ -z "${need:-}" ] || { log "installing containerd, runc, network plugins"; { apt-get update -q && DEBIAN_FRONTEND=noninteractive apt-get install -qy --no-install-recommends containerd runc containernetworking-plugins iptables iproute2 openssl; } >"$B/apt.log" 2>&1; }

# 2. What is built: all of Kubernetes and etcd in one binary, CoreDNS, pause. Go's caches are removed again (some 7 GB).
gobuild() { nice -n "${K8S_NICE:-0}" env GOPATH="$B/go" GOCACHE="$B/gocache" GOFLAGS="-modcacherw -buildvcs=false ${K8S_GOFLAGS:-}" CGO_ENABLED=0 GOTOOLCHAIN=local "$@" 9>&-; }
LD="-s -w -X k8s.io/component-base/version.gitVersion=v$V -X k8s.io/client-go/pkg/version.gitVersion=v$V"
built() { [ -x "$B/bin/$1" ] && [ "$(cat "$B/bin/.$1" 2>/dev/null)" = "$2" ]; }
sum() { (cd "$H/build/$1" && find . -type f | LC_ALL=C sort | xargs cat | sha256sum | cut -c1-16); }
k8s=$(sum k8s) dns=$(sum dns)
built k8s "$k8s" || { log "building Kubernetes $V"; (cd "$H/build/k8s" && gobuild go build -mod=readonly -ldflags "$LD" -o "$B/bin/k8s" .) && echo "$k8s" >"$B/bin/.k8s"; }
built coredns "$dns" || { log "building CoreDNS"; (cd "$H/build/dns" && gobuild go build -mod=readonly -ldflags "-s -w" -o "$B/bin/coredns" . && gobuild go build -ldflags "-s -w" -o "$B/bin/pause" ./pause) && echo "$dns" >"$B/bin/.coredns"; }
rm -rf --one-file-system "$B/go" "$B/gocache"
for part in etcd kube-apiserver kube-controller-manager kube-scheduler kube-proxy kubelet kubectl; do ln -sf k8s "$B/bin/$part"; done

image() { # image NAME BINARY: an image of one file, as `docker save` writes it
  local t; t=$(mktemp -d); mkdir "$t/files"; cp "$B/bin/$2" "$t/files/$2"; tar -C "$t/files" --owner=0 --group=0 --mtime=@0 -cf "$t/layer.tar" "$2"
  printf '{"architecture":"amd64","os":"linux","config":{"Entrypoint":["/%s"]},"rootfs":{"type":"layers","diff_ids":["sha256:%s"]}}' "$2" "$(sha256sum <"$t/layer.tar" | cut -d' ' -f1)" >"$t/config.json"
  printf '[{"Config":"config.json","RepoTags":["sluice-local/%s"],"Layers":["layer.tar"]}]' "$1" >"$t/manifest.json"
  tar -C "$t" -cf "$B/images/$2.tar" manifest.json config.json layer.tar; rm -r "$t"; }
for i in pause coredns; do [ "$B/images/$i.tar" -nt "$B/bin/$i" ] || image $i:1 $i; done

# 3. The node.
pid=$(cat "$B/pid" 2>/dev/null || true)
if [ -n "$pid" ] && tr '\0' ' ' <"/proc/$pid/cmdline" 2>/dev/null | grep -q "node.sh $B "; then log "already up"; else
  "$H/down.sh" --node >/dev/null
  log "starting"
  mkdir -p "$R"/{pki,log,etcd,kubelet,cni,pods}; cd "$R"
  openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -keyout pki/api.key -out pki/api.crt -subj /CN=sluice-kubernetes -addext keyUsage=critical,digitalSignature,keyCertSign \
    -addext "subjectAltName=IP:127.0.0.1,IP:10.244.0.1,IP:10.96.0.1,DNS:localhost,DNS:kubernetes,DNS:kubernetes.default,DNS:kubernetes.default.svc,DNS:kubernetes.default.svc.cluster.local" 2>/dev/null
  openssl ecparam -name prime256v1 -genkey -noout -out pki/sa.key; openssl ec -in pki/sa.key -pubout -out pki/sa.pub 2>/dev/null
  user() { local token; token=$(openssl rand -hex 16); echo "$token,$2,$2,\"$3\"" >>pki/tokens.csv; cat >"kubeconfig$1" <<C
{"apiVersion": "v1", "kind": "Config", "current-context": "sluice", "contexts": [{"name": "sluice", "context": {"cluster": "sluice", "user": "$2"}}],
 "clusters": [{"name": "sluice", "cluster": {"server": "https://127.0.0.1:6443", "certificate-authority": "$R/pki/api.crt"}}], "users": [{"name": "$2", "user": {"token": "$token"}}]}
C
  }
  user "" admin system:masters; user -kubelet system:node:sluice system:nodes; user -controllers system:kube-controller-manager ""; user -scheduler system:kube-scheduler ""; user -proxy system:kube-proxy ""
  : >resolv.conf
  cat >kubelet.yaml <<C
apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
failCgroupV1: false
cgroupDriver: cgroupfs
cgroupRoot: /sluice-kubernetes
containerRuntimeEndpoint: unix:///run/containerd/containerd.sock
authentication: { anonymous: { enabled: true }, webhook: { enabled: false } }
authorization: { mode: AlwaysAllow }
clusterDNS: [10.96.0.10]
clusterDomain: cluster.local
resolvConf: $R/resolv.conf
protectKernelDefaults: true
evictionHard: { memory.available: 100Mi }
imageGCHighThresholdPercent: 100
C
  cat >proxy.yaml <<C
apiVersion: kubeproxy.config.k8s.io/v1alpha1
kind: KubeProxyConfiguration
mode: iptables
clusterCIDR: 10.244.0.0/16
hostnameOverride: sluice
oomScoreAdj: 0
clientConnection: { kubeconfig: $R/kubeconfig-proxy }
conntrack: { maxPerCore: 0, min: 0, tcpEstablishedTimeout: 0s, tcpCloseWaitTimeout: 0s }
C
  cat >containerd.toml <<C
version = 2
root = "$R/containerd"
state = "/run/containerd/state"
disabled_plugins = ["io.containerd.snapshotter.v1.btrfs", "io.containerd.snapshotter.v1.zfs", "io.containerd.snapshotter.v1.aufs", "io.containerd.snapshotter.v1.devmapper"]
[grpc]
address = "/run/containerd/containerd.sock"
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = "sluice-local/pause:1"
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = "/usr/lib/cni"
conf_dir = "/etc/cni/net.d"
[plugins."io.containerd.grpc.v1.cri".containerd.runtimes.runc]
runtime_type = "io.containerd.runc.v2"
C
  echo '{"cniVersion":"0.4.0","name":"pods","plugins":[{"type":"bridge","bridge":"cni0","isGateway":true,"hairpinMode":true,"ipam":{"type":"host-local","dataDir":"/run/containerd/ipam","ranges":[[{"subnet":"10.244.0.0/24"}]],"routes":[{"dst":"0.0.0.0/0"}]}},{"type":"portmap","capabilities":{"portMappings":true}}]}' >cni/10-pods.conflist
  for h in /sys/fs/cgroup/*/; do mkdir -p "$h/sluice-kubernetes"; done
  # The node, and what `in` runs, are counted there beside the pods; nothing limits them.
  mkdir -p /sys/fs/cgroup/cpuacct/sluice-kubernetes/node 2>/dev/null || true
  for f in cpuset.cpus cpuset.mems; do cat /sys/fs/cgroup/cpuset/$f >/sys/fs/cgroup/cpuset/sluice-kubernetes/$f; done
  setsid unshare --mount --net --pid --fork --kill-child --mount-proc "$H/node.sh" "$B" >log/node.log 2>&1 </dev/null 9>&- &
  parent=$!; for _ in $(seq 50); do pid=$(cat /proc/$parent/task/$parent/children 2>/dev/null | tr -d ' '); [ -z "$pid" ] || break; sleep .1; done
  echo "$pid" >"$B/pid"
fi

# 4. Tools: `in COMMAND` runs one in the cluster's network with its kubectl and helm on the PATH; `load IMAGE...` brings
#    images from the local Docker.
cat >"$B/in" <<C
#!/bin/bash
{ echo 0 >/sys/fs/cgroup/cpuacct/sluice-kubernetes/node/cgroup.procs; } 2>/dev/null || true
KUBECONFIG=$R/kubeconfig PATH=$B/bin:$B/../helm:\$PATH exec nsenter -t \$(cat $B/pid) -n -- "\$@"
C
cat >"$B/load" <<C
#!/bin/bash
# load IMAGE...: from the local Docker in one stream, so that layers come once; load FILE.tar...: as docker save wrote
set -o pipefail; ctr() { nsenter -t \$(cat $B/pid) -m -n -p ctr -n k8s.io images import - >/dev/null; }
case \$1 in *.tar) for i; do ctr <"\$i" || exit; done ;; *) \${DOCKER:-/usr/bin/docker} save "\$@" | ctr ;; esac
C
chmod +x "$B/in" "$B/load"
for i in $(seq 300); do "$B/in" kubectl get --raw /readyz >/dev/null 2>&1 && break; kill -0 "$pid" 2>/dev/null || { cat "$R/log/node.log" >&2; exit 1; }; [ "$i" != 300 ] || { log "the API server is not ready: $R/log"; exit 1; }; sleep .2; done
log "API server is ready"
"$B/load" "$B/images/pause.tar" "$B/images/coredns.tar"
"$B/in" kubectl apply -f "$H/dns.yaml" >/dev/null
until "$B/in" kubectl get node sluice >/dev/null 2>&1; do sleep .2; done
"$B/in" kubectl wait --for=condition=Ready node/sluice --timeout=60s >&2
"$B/in" kubectl -n kube-system rollout status deployment/coredns --timeout=90s >&2
log "Kubernetes $V is up; $B/in kubectl …, $B/load IMAGE…"
echo "$B/in"
