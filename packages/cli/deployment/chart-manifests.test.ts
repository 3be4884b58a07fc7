import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readEnvironment, restartMembers, type VariableName } from "@sluice/config";
import { listSettings } from "@sluice/config/settings-table";
import { sampleConfiguration } from "@sluice/testkit";
import { groups, topics } from "@sluice/contracts";
import { serviceNames } from "@sluice/environment/processes";
import { parse, parseAllDocuments } from "yaml";
import { describe, expect, it, test } from "vitest";
import { hashChart, listCases } from "../verbs/checking/chart-manifests.ts";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const golden = join(root, "infra/chart/golden");

interface Named {
  readonly name: string;
  readonly value: string;
}

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string; readonly scheme: string };
}

interface Container {
  readonly command?: readonly string[];
  readonly args: readonly string[];
  readonly env?: readonly Named[];
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly securityContext: unknown;
  readonly resources: { readonly requests: { readonly memory: string }; readonly limits: Readonly<Record<string, string>> };
  readonly volumeMounts?: readonly { readonly name: string; readonly mountPath: string; readonly readOnly: boolean }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle?: unknown;
}

interface PodSpec {
  readonly restartPolicy?: string;
  readonly automountServiceAccountToken: boolean;
  readonly enableServiceLinks: boolean;
  readonly securityContext: unknown;
  readonly containers: readonly [Container];
  readonly volumes: readonly { readonly name: string; readonly secret?: { readonly secretName: string } }[];
}

interface Manifest {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly labels: Readonly<Record<string, string>> };
  readonly spec: {
    readonly replicas?: number;
    readonly strategy?: Readonly<Record<string, unknown>>;
    readonly template: {
      readonly metadata: { readonly labels: Readonly<Record<string, string>>; readonly annotations?: Readonly<Record<string, string>> };
      readonly spec: PodSpec;
    };
    readonly groups?: unknown;
    readonly backoffLimit?: number;
    readonly scaleTargetRef?: { readonly name: string };
    readonly triggers?: readonly { readonly type: string; readonly metadata: Readonly<Record<string, string>> }[];
  };
}

function manifestsOf(name: string): readonly Manifest[] {
  const documents = parseAllDocuments(readFileSync(join(golden, `${name}.yaml`), "utf8"));
  return documents.flatMap((document): readonly Manifest[] => {
    const manifest: Manifest | null = document.toJS();
    return manifest === null ? [] : [manifest];
  });
}

function component(manifest: Manifest): string {
  return manifest.metadata.labels["app.kubernetes.io/component"] ?? "";
}

function ofKind(name: string, kind: string): readonly Manifest[] {
  return manifestsOf(name).filter((manifest) => manifest.kind === kind);
}

function podsOf(name: string): readonly PodSpec[] {
  return manifestsOf(name).flatMap((manifest) => {
    if (manifest.kind === "Pod") return [manifest.spec as unknown as PodSpec];
    return ["Deployment", "Job"].includes(manifest.kind) ? [manifest.spec.template.spec] : [];
  });
}

/** Which variables each service reads, by docs/settings.md. */
const readers = new Map(
  [...readFileSync(join(root, "docs/settings.md"), "utf8").matchAll(/^\| `([A-Z_]+)` \|.*\| ([^|]+) \|$/gm)].map(
    ([, variable = "", services = ""]) => [variable, services === "all" ? serviceNames : services.split(", ")] as const,
  ),
);
const known = listSettings().map(({ name }) => name);

function variablesOf(service: string): readonly VariableName[] {
  return known.filter((name) => readers.get(name)?.some((one) => one === service));
}

test("the manifests are those of the chart as it is: run ./sluice test chart", () => {
  expect(readFileSync(join(golden, "sources.sha256"), "utf8")).toBe(hashChart());
  expect(new Set(readdirSync(golden))).toEqual(new Set([...listCases().map((name) => `${name}.yaml`), "sources.sha256"]));
});

test("the alarm rules of the chart are those of infra/alarms, with addresses of the runbooks that the values give", () => {
  const rendered = ofKind("full", "PrometheusRule");
  const published = ["sluice.rules.yaml", "sluice.slo.rules.yaml"].map((file) =>
    readFileSync(join(root, "infra/alarms", file), "utf8").replaceAll(
      "runbook_url: docs/",
      "runbook_url: https://docs.example.com/sluice/docs/",
    ),
  );
  expect(rendered.map(({ spec }) => spec.groups)).toEqual(published.map((text) => parse(text).groups));
});

describe.each(listCases())("the manifests of the case %s", (name) => {
  it("run every service", () => {
    expect(ofKind(name, "Deployment").map(component).toSorted()).toEqual(serviceNames.toSorted());
    for (const manifest of ofKind(name, "Deployment")) {
      expect(manifest.spec.template.spec.containers[0].args[0]).toBe(component(manifest));
    }
  });

  it("give every service settings that it starts with, and none that it does not read", () => {
    for (const manifest of ofKind(name, "Deployment")) {
      const service = component(manifest);
      const env = manifest.spec.template.spec.containers[0].env ?? [];
      const given = Object.fromEntries(env.map((one) => [one.name, one.value]));
      const own = name === "full" && service === "ingress" ? ["SAMPLE_BANK_URL"] : [];
      expect(Object.keys(given).filter((variable) => !variablesOf(service).some((one) => one === variable))).toEqual(own);
      expect(() => readEnvironment(given, variablesOf(service))).not.toThrow();
    }
  });

  it("mount a folder for each file that a setting names", () => {
    for (const { containers, volumes } of podsOf(name)) {
      const [{ env = [], volumeMounts = [] }] = containers;
      const files = env.filter((one) => one.value.startsWith("/etc/sluice/")).map((one) => one.value);
      const folders = volumeMounts.map(({ mountPath }) => mountPath);
      expect(files.filter((file) => !folders.includes(file.slice(0, file.lastIndexOf("/"))))).toEqual([]);
      expect(volumeMounts.every((mount) => mount.readOnly)).toBe(true);
      expect(volumeMounts.map((mount) => mount.name).toSorted()).toEqual((volumes ?? []).map((volume) => volume.name).toSorted());
    }
  });

  it("keep the policy restricted of Kubernetes, and give no pod a right", () => {
    for (const pod of podsOf(name)) {
      expect(pod).toMatchObject({
        automountServiceAccountToken: false,
        enableServiceLinks: false,
        securityContext: { runAsNonRoot: true, runAsUser: 65532, seccompProfile: { type: "RuntimeDefault" } },
      });
      expect(pod.containers.map(({ securityContext }) => securityContext)).toEqual([
        { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: ["ALL"] } },
      ]);
    }
  });

  it("limit the memory to what is requested, and no processor", () => {
    for (const { containers } of podsOf(name)) {
      const [{ resources }] = containers;
      expect(resources.limits).toEqual({ memory: resources.requests.memory });
    }
  });

  it("leave each service more memory than was measured", () => {
    for (const manifest of ofKind(name, "Deployment")) {
      const { args, resources } = manifest.spec.template.spec.containers[0];
      const [service = "", profile = ""] = args;
      const { profiles }: { readonly profiles: Readonly<Record<string, { readonly residentMiB: number | null }>> } = JSON.parse(
        readFileSync(join(root, "services", service, "memory.json"), "utf8"),
      );
      expect(profiles).toHaveProperty(profile);
      expect(Number.parseInt(resources.requests.memory, 10)).toBeGreaterThan(1.25 * (profiles[profile]?.residentMiB ?? 0));
    }
  });

  it("ask each service at its operations port, in the way in which it listens", () => {
    for (const manifest of ofKind(name, "Deployment")) {
      const { startupProbe, livenessProbe, readinessProbe, env = [], ports } = manifest.spec.template.spec.containers[0];
      const scheme = env.some((one) => one.name === "SLUICE_TLS_CERTIFICATE_FILE") ? "HTTPS" : "HTTP";
      expect([startupProbe, livenessProbe, readinessProbe].map(({ httpGet }) => httpGet)).toEqual(
        ["/livez", "/livez", "/readyz"].map((path) => ({ path, port: "ops", scheme })),
      );
      const opsPort = env.find((one) => one.name === "SLUICE_OPS_PORT")?.value;
      expect(ports.find((port) => port.name === "ops")?.containerPort).toBe(Number(opsPort));
    }
  });

  it("I1 no loss: a pod ends after another is ready, and what serves an API waits before it stops", () => {
    for (const manifest of ofKind(name, "Deployment")) {
      expect(Object.values(manifest.spec.strategy ?? {})).toContainEqual({ maxSurge: 1, maxUnavailable: 0 });
      const servesApi = ["ingress", "console"].includes(component(manifest));
      const { lifecycle } = manifest.spec.template.spec.containers[0];
      expect(lifecycle).toEqual(servesApi ? { preStop: { sleep: { seconds: 5 } } } : undefined);
    }
  });
});

it("a member of the configuration file replaces the pods exactly if services do not follow it while they run", () => {
  const template = readFileSync(join(root, "infra/chart/templates/named-parts.tpl"), "utf8");
  const [, followed = ""] = /omit \$file ((?:"\w+" )+)\|/.exec(template) ?? [];
  const members = Object.keys(sampleConfiguration()).filter((member) => member !== "hash");
  const starting: readonly string[] = restartMembers;
  const named = new Set([...followed.matchAll(/"(\w+)"/g)].map(([, member]) => member));
  expect(named).toEqual(new Set(members.filter((member) => !starting.includes(member))));
  const hashes = ofKind("least", "Deployment").map(({ spec }) => spec.template.metadata.annotations?.["checksum/config"]);
  expect([hashes.length, new Set(hashes).size, hashes[0]]).toEqual([serviceNames.length, 1, expect.stringMatching(/^[0-9a-f]{64}$/)]);
  // What a ConfigMap of the user's own holds is not seen when the chart is rendered.
  expect(ofKind("full", "Deployment").map(({ spec }) => spec.template.metadata.annotations)).toContainEqual({
    "example.test/team": "payments",
  });
});

it("no object scales what sends to banks: KEDA scales the validator alone, by what it has not read", () => {
  const [scaled, ...others] = ofKind("full", "ScaledObject");
  expect(others).toEqual([]);
  const autoscaled = ofKind("full", "HorizontalPodAutoscaler").map(({ spec }) => spec.scaleTargetRef?.name);
  expect([scaled?.spec.scaleTargetRef?.name, autoscaled]).toEqual(["sluice-validator", ["sluice-ingress"]]);
  const metadata = scaled?.spec.triggers?.find(({ type }) => type === "kafka")?.metadata;
  expect([metadata?.["consumerGroup"], metadata?.["topic"]]).toEqual([groups.validator, topics.journal]);
  expect(ofKind("full", "Deployment").find((manifest) => component(manifest) === "validator")?.spec.replicas).toBeUndefined();
});

interface RouteRule {
  readonly matches: readonly { readonly method?: string; readonly path: { readonly type: string; readonly value: string } }[];
  readonly backendRefs: readonly { readonly name: string; readonly port: number }[];
}

it("the route of banks sends every operation of the API to the service that has it, at a port that it has", () => {
  const [route] = ofKind("full", "HTTPRoute") as unknown as readonly { readonly spec: { readonly rules: readonly RouteRule[] } }[];
  const serving = (method: string, path: string): readonly string[] =>
    (route?.spec.rules ?? [])
      .filter(({ matches }) => matches.some((one) => (one.method ?? method) === method && path.startsWith(one.path.value)))
      .map(({ backendRefs }) => backendRefs.map(({ name, port }) => `${name}:${port}`).join());
  const api: { readonly paths: Readonly<Record<string, object>> } = parse(readFileSync(join(root, "docs/api/openapi.yaml"), "utf8"));
  const operations = Object.entries(api.paths).flatMap(([path, methods]) => Object.keys(methods).map((method) => [method, path] as const));
  expect(operations.filter(([method]) => method === "get").map(([, path]) => path)).toHaveLength(3);
  for (const [method, path] of operations) {
    const service = method === "get" ? "sluice-console:8080" : "sluice-ingress:8080";
    expect([path, serving(method.toUpperCase(), path)[0]]).toEqual([path, service]);
  }
  const [policy] = ofKind("full", "BackendTLSPolicy");
  expect(policy?.spec).toMatchObject({ validation: { hostname: "sluice.internal" } });
});

it("what is off by default is in no release that does not ask for it: the rebuild, the route, and KEDA", () => {
  const kinds = manifestsOf("least").map((manifest) => `${manifest.kind} ${component(manifest)}`);
  expect(kinds.filter((kind) => /ScaledObject|HTTPRoute|BackendTLSPolicy|rebuild/.test(kind))).toEqual([]);
});

it("the rebuild is a Job of its revision, which is not tried again, with the program and options that there are", () => {
  const [job] = ofKind("full", "Job").filter((manifest) => component(manifest) === "rebuild");
  const { containers, restartPolicy } = job?.spec.template.spec ?? { containers: [], restartPolicy: "" };
  expect([job?.metadata.name, job?.spec.backoffLimit, restartPolicy]).toEqual(["sluice-rebuild-1", 0, "Never"]);
  const [, , program = ""] = containers[0]?.command ?? [];
  expect(existsSync(join(root, program.replace(/^\/app\//, "")))).toBe(true);
  const env = Object.fromEntries((containers[0]?.env ?? []).map((one) => [one.name, one.value]));
  const variables = variablesOf("scheduler").filter((name) => /^(KAFKA|SCHEMA_REGISTRY|MONGO)_|^SLUICE_(CONFIG|DATABASE)$/.test(name));
  expect(() => readEnvironment(env, variables)).not.toThrow();
  const options = readFileSync(join(root, "services/scheduler/rebuild/main.ts"), "utf8");
  const schema = readFileSync(join(root, "infra/chart/values.schema.json"), "utf8");
  const named =
    /\^\((--[^)]*)\)\$/
      .exec(schema)?.[1]
      ?.split("|")
      .filter((word) => word.startsWith("--")) ?? [];
  expect(named.filter((word) => !new RegExp(`"?${word.slice(2)}"?: \\{ type`).test(options))).toEqual([]);
  expect(named).toHaveLength(4);
});

it("Prometheus tells services apart by the label job, as alarms and dashboards do", () => {
  const [monitor] = ofKind("full", "PodMonitor");
  const { jobLabel = "" } = (monitor?.spec ?? {}) as { readonly jobLabel?: string };
  const jobs = ofKind("full", "Deployment").map(({ spec }) => spec.template.metadata.labels[jobLabel]);
  expect(new Set(jobs)).toEqual(new Set(serviceNames));
});

it("a service of several pods has a budget for disruptions, one of a single pod has none", () => {
  expect(ofKind("least", "PodDisruptionBudget").map(component).toSorted()).toEqual(serviceNames.toSorted());
  expect(ofKind("full", "PodDisruptionBudget").map(component)).not.toContain("console");
});

it("the secrets of banks are in the services that call them, and in no other", () => {
  const mounting = ofKind("full", "Deployment").filter(({ spec }) =>
    spec.template.spec.volumes.some((volume) => volume.name === "secret-bank-a"),
  );
  expect(mounting.map(component).toSorted()).toEqual(["dispatcher", "event-publisher"]);
});

it("a program with a store secret of its own mounts that one alone, and the others mount the common one", () => {
  const mounted = [...ofKind("full", "Deployment"), ...ofKind("full", "Job")].flatMap((manifest) => {
    const volumes = manifest.spec.template.spec.volumes.filter(({ name }) => name === "mongo");
    return volumes.map(({ secret }) => `${manifest.spec.template.metadata.labels["app.kubernetes.io/component"]} ${secret?.secretName}`);
  });
  expect(mounted.toSorted()).toEqual([
    "console sluice-mongo-console",
    "dispatcher sluice-mongo",
    "event-publisher sluice-mongo",
    "provision sluice-mongo-provision",
    "rebuild sluice-mongo",
    "scheduler sluice-mongo-scheduler",
  ]);
});
