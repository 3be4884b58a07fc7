{{- define "sluice.name" -}}
{{- if contains "sluice" .Release.Name }}{{ .Release.Name | trunc 40 | trimSuffix "-" }}{{ else }}{{ printf "%s-sluice" (.Release.Name | trunc 33 | trimSuffix "-") }}{{ end }}
{{- end }}

{{- define "sluice.selector" -}}
app.kubernetes.io/name: sluice
app.kubernetes.io/instance: {{ .Release.Name }}
{{- end }}

{{- define "sluice.labels" -}}
{{ include "sluice.selector" . }}
app.kubernetes.io/version: {{ .Chart.AppVersion | quote }}
app.kubernetes.io/managed-by: {{ .Release.Service }}
helm.sh/chart: {{ printf "%s-%s" .Chart.Name .Chart.Version }}
{{- end }}

{{- define "sluice.image" -}}
{{- with .Values.image }}{{ .repository }}{{ if .digest }}@{{ .digest }}{{ else }}:{{ .tag | default $.Chart.AppVersion }}{{ end }}{{ end }}
{{- end }}

{{- define "sluice.configMap" -}}
{{ .Values.existingConfigMap | default (include "sluice.name" .) }}
{{- end }}

{{/*
Changes only with a member of the configuration file that services take over when they start. The members named here
are followed while they run, and a pod that is replaced for one of them stops all partitions of its group. A file that
is no map is hashed whole. Empty: the file is in a ConfigMap of the user's own, which is not seen here.
*/}}
{{- define "sluice.restartHash" -}}
{{- if .Values.configuration }}
{{- $file := fromYaml .Values.configuration }}
{{- if hasKey $file "Error" }}
{{- sha256sum .Values.configuration }}
{{- else }}
{{- omit $file "version" "environment" "operatorSignIn" "banks" "connectors" "operators" "tokenIssuers" "cdv" "resolutionNeedsSecondPerson" "secondPerson" "operatorSignatures" | toJson | sha256sum }}
{{- end }}
{{- end }}
{{- end }}

{{- define "sluice.scheme" -}}
{{ if .Values.tls.secret }}HTTPS{{ else }}HTTP{{ end }}
{{- end }}

{{/* What the values must say, and the schema cannot. */}}
{{- define "sluice.check" -}}
{{- if and .Values.configuration .Values.existingConfigMap }}{{ fail "configuration and existingConfigMap are both set" }}{{ end }}
{{- if not (or .Values.configuration .Values.existingConfigMap) }}{{ fail "configuration is missing: --set-file configuration=sluice.yaml, or existingConfigMap" }}{{ end }}
{{- if and .Values.tls.secret .Values.tls.endedBy }}{{ fail "tls.secret and tls.endedBy are both set" }}{{ end }}
{{- if not (or .Values.tls.secret .Values.tls.endedBy) }}{{ fail "tls.secret is missing, or tls.endedBy: what ends TLS in front of the pods" }}{{ end }}
{{- if not (or .Values.mongo.url .Values.mongo.files.url) }}{{ fail "mongo.url is missing, or mongo.files.url" }}{{ end }}
{{- if and .Values.keda.enabled .Values.kafka.sasl.mechanism (not .Values.keda.authentication) }}{{ fail "keda.authentication is missing: Kafka wants a login" }}{{ end }}
{{- if .Values.route.enabled }}
{{- if not .Values.route.gateways }}{{ fail "route.gateways is missing: who takes the route" }}{{ end }}
{{- if not .Values.route.hosts }}{{ fail "route.hosts is missing: the address of banks" }}{{ end }}
{{- if and .Values.tls.secret (not .Values.route.podCertificate.host) }}{{ fail "route.podCertificate.host is missing: the name in the certificate of tls.secret" }}{{ end }}
{{- end }}
{{- if and .Values.vault.url (not .Values.vault.files.token) }}{{ fail "vault.files.token is missing: Vault wants a token" }}{{ end }}
{{- range $server := list "kafka" "registry" "mongo" "vault" }}
{{- $of := index $.Values $server }}
{{- range $file, $key := $of.files }}
{{- if and $key (not $of.secret) (not (and (hasKey $of "secretOf") (not (has "" (values $of.secretOf))))) }}{{ fail (printf "%s.files.%s is set, and %s.secret is not" $server $file $server) }}{{ end }}
{{- end }}
{{- end }}
{{- end }}

{{/* One variable; nothing where the value is empty. */}}
{{- define "sluice.variable" -}}
{{- if index . 1 }}
- { name: {{ index . 0 }}, value: {{ index . 1 | toString | quote }} }
{{- end }}
{{- end }}

{{/* One variable that names a file of a mounted folder. */}}
{{- define "sluice.file" -}}
{{- if index . 2 }}
- { name: {{ index . 0 }}, value: {{ printf "/etc/sluice/%s/%s" (index . 1) (index . 2) | quote }} }
{{- end }}
{{- end }}

{{/* The variables of Kafka and the registry, which every process reads. */}}
{{- define "sluice.brokerVariables" -}}
{{- $kafka := .Values.kafka }}
{{- include "sluice.variable" (list "KAFKA_BROKERS" (join "," $kafka.brokers)) }}
{{- include "sluice.variable" (list "KAFKA_FEW_REPLICAS" $kafka.fewReplicas) }}
{{- include "sluice.variable" (list "KAFKA_TLS" (ternary "on" "" $kafka.tls)) }}
{{- include "sluice.file" (list "KAFKA_TLS_CA_FILE" "kafka" $kafka.files.ca) }}
{{- include "sluice.file" (list "KAFKA_TLS_CERTIFICATE_FILE" "kafka" $kafka.files.certificate) }}
{{- include "sluice.file" (list "KAFKA_TLS_KEY_FILE" "kafka" $kafka.files.key) }}
{{- include "sluice.variable" (list "KAFKA_SASL_MECHANISM" $kafka.sasl.mechanism) }}
{{- include "sluice.variable" (list "KAFKA_SASL_USERNAME" $kafka.sasl.username) }}
{{- include "sluice.file" (list "KAFKA_SASL_PASSWORD_FILE" "kafka" $kafka.files.password) }}
{{- include "sluice.file" (list "KAFKA_SASL_TOKEN_FILE" "kafka" $kafka.files.token) }}
{{- include "sluice.variable" (list "KAFKA_SASL_TOKEN_URL" $kafka.sasl.tokenUrl) }}
{{- include "sluice.file" (list "KAFKA_SASL_TOKEN_CA_FILE" "kafka" $kafka.files.tokenCa) }}
{{- include "sluice.variable" (list "KAFKA_SASL_CLIENT_ID" $kafka.sasl.clientId) }}
{{- include "sluice.file" (list "KAFKA_SASL_CLIENT_SECRET_FILE" "kafka" $kafka.files.clientSecret) }}
{{- include "sluice.variable" (list "KAFKA_SASL_SCOPE" $kafka.sasl.scope) }}
{{- $registry := .Values.registry }}
{{- include "sluice.variable" (list "SCHEMA_REGISTRY_URL" $registry.url) }}
{{- include "sluice.file" (list "SCHEMA_REGISTRY_TLS_CA_FILE" "registry" $registry.files.ca) }}
{{- include "sluice.file" (list "SCHEMA_REGISTRY_TLS_CERTIFICATE_FILE" "registry" $registry.files.certificate) }}
{{- include "sluice.file" (list "SCHEMA_REGISTRY_TLS_KEY_FILE" "registry" $registry.files.key) }}
{{- include "sluice.variable" (list "SCHEMA_REGISTRY_USERNAME" $registry.username) }}
{{- include "sluice.file" (list "SCHEMA_REGISTRY_PASSWORD_FILE" "registry" $registry.files.password) }}
{{- end }}

{{/* The variables of the key service, which all that read records need. SLUICE_KEYRING_FOLDER is for one machine: pods share no folder. */}}
{{- define "sluice.keyVariables" -}}
{{- $vault := .Values.vault }}
{{- include "sluice.variable" (list "SLUICE_VAULT_URL" $vault.url) }}
{{- include "sluice.variable" (list "SLUICE_VAULT_MOUNT" (ternary $vault.mount "" (ne $vault.url ""))) }}
{{- include "sluice.file" (list "SLUICE_VAULT_TOKEN_FILE" "vault" $vault.files.token) }}
{{- include "sluice.file" (list "SLUICE_VAULT_TLS_CA_FILE" "vault" $vault.files.ca) }}
{{- end }}

{{- define "sluice.storeVariables" -}}
{{- $mongo := .Values.mongo }}
{{- include "sluice.variable" (list "MONGO_URL" $mongo.url) }}
{{- include "sluice.file" (list "MONGO_URL_FILE" "mongo" $mongo.files.url) }}
{{- include "sluice.variable" (list "MONGO_USERNAME" $mongo.username) }}
{{- include "sluice.file" (list "MONGO_PASSWORD_FILE" "mongo" $mongo.files.password) }}
{{- include "sluice.variable" (list "MONGO_TLS" (ternary "on" "" $mongo.tls)) }}
{{- include "sluice.file" (list "MONGO_TLS_CA_FILE" "mongo" $mongo.files.ca) }}
{{- include "sluice.file" (list "MONGO_TLS_CERTIFICATE_FILE" "mongo" $mongo.files.certificate) }}
{{- include "sluice.file" (list "MONGO_TLS_KEY_FILE" "mongo" $mongo.files.key) }}
{{- include "sluice.variable" (list "SLUICE_DATABASE" $mongo.database) }}
{{- end }}

{{/* What listens, in a service. */}}
{{- define "sluice.listenerVariables" -}}
{{- $tls := .Values.tls }}
{{- include "sluice.variable" (list "SLUICE_LOG_LEVEL" .Values.logLevel) }}
{{- include "sluice.variable" (list "SLUICE_RELEASE" (.Values.image.digest | default (.Values.image.tag | default .Chart.AppVersion))) }}
{{- include "sluice.variable" (list "SLUICE_OPS_HOST" "0.0.0.0") }}
{{- include "sluice.variable" (list "SLUICE_OPS_PORT" "9464") }}
{{- include "sluice.file" (list "SLUICE_TLS_CERTIFICATE_FILE" "tls" (ternary "tls.crt" "" (ne $tls.secret ""))) }}
{{- include "sluice.file" (list "SLUICE_TLS_KEY_FILE" "tls" (ternary "tls.key" "" (ne $tls.secret ""))) }}
{{- include "sluice.file" (list "SLUICE_TLS_CLIENT_CA_FILE" "tls" (ternary "ca.crt" "" $tls.clientCa)) }}
{{- include "sluice.variable" (list "SLUICE_TLS_CLIENT_CERTIFICATE" $tls.clientCertificate) }}
{{- include "sluice.variable" (list "SLUICE_TLS_ENDED_BY" $tls.endedBy) }}
{{- end }}

{{/* Secrets that are mounted as folders. The arguments: the root, which of tls, kafka, registry, mongo and vault, those of banks, and the program. */}}
{{- define "sluice.secretFolders" -}}
{{- $root := index . 0 }}
{{- $program := index . 3 }}
{{- range $name := index . 1 }}
{{- $of := index $root.Values $name }}
{{- $secret := get ($of.secretOf | default dict) $program | default $of.secret }}
{{- if $secret }}
- { name: {{ $name }}, secret: {{ $secret }}, path: {{ $name }} }
{{- end }}
{{- end }}
{{- range index . 2 }}
- { name: {{ printf "secret-%s" .name }}, secret: {{ .secret }}, path: {{ printf "secrets/%s" .name }} }
{{- end }}
{{- end }}

{{- define "sluice.mounts" -}}
- { name: config, mountPath: /etc/sluice/config, readOnly: true }
{{- range . }}
- { name: {{ .name }}, mountPath: /etc/sluice/{{ .path }}, readOnly: true }
{{- end }}
{{- end }}

{{- define "sluice.volumes" -}}
{{- range . }}
- { name: {{ .name }}, secret: { secretName: {{ .secret }}, defaultMode: 0440 } }
{{- end }}
{{- end }}

{{/* What every pod has: what the policy "restricted" of Kubernetes wants, and no right at all. */}}
{{- define "sluice.pod" -}}
automountServiceAccountToken: false
# A Service named sluice-http would become the variable SLUICE_HTTP_PORT.
enableServiceLinks: false
securityContext:
  runAsNonRoot: true
  runAsUser: 65532
  runAsGroup: 65532
  fsGroup: 65532
  seccompProfile: { type: RuntimeDefault }
{{- with .Values.imagePullSecrets }}
imagePullSecrets: {{ toJson . }}
{{- end }}
{{- end }}

{{- define "sluice.container" -}}
image: {{ include "sluice.image" . | quote }}
imagePullPolicy: {{ .Values.image.pullPolicy }}
securityContext:
  allowPrivilegeEscalation: false
  readOnlyRootFilesystem: true
  capabilities: { drop: [ALL] }
{{- end }}
