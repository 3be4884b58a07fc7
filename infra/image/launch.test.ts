import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { buildLaunch, type ContainerMemory, readServiceWords } from "./launch.ts";

const root = new URL("../../", import.meta.url);
const services = readdirSync(new URL("services/", root));

const memory: ContainerMemory = {
  profiles: {
    small: { nodeArguments: ["--max-semi-space-size=4"], environment: { MALLOC_ARENA_MAX: "2" } },
    large: { nodeArguments: ["--max-semi-space-size=32", "--initial-old-space-size=256"], environment: {} },
  },
};

describe("the words of a container", () => {
  it("are a service with its memory profile, which is small by default", () => {
    expect(readServiceWords(["ingress"], services)).toEqual({ service: "ingress", profile: "small" });
    expect(readServiceWords(["dispatcher", "large"], services)).toEqual({ service: "dispatcher", profile: "large" });
  });

  it.each([[["provision", "--json"]], [["config", "check", "sluice.yaml"]], [["--help"]], [[]], [["ingress", "small", "more"]]])(
    "are else a verb's: %j",
    (words) => {
      expect(readServiceWords(words, services)).toBeNull();
    },
  );
});

describe("the launch of a service in a container", () => {
  it("I15: V8's heap ends below the container's memory limit", () => {
    expect(buildLaunch(memory, "small", 256)).toEqual({
      nodeArguments: ["--max-semi-space-size=4", "--max-old-space-size=180"],
      environment: { MALLOC_ARENA_MAX: "2" },
    });
  });

  it("is the profile alone where there is no memory limit", () => {
    expect(buildLaunch(memory, "small", null)).toEqual(memory.profiles["small"]);
  });

  it("is refused where the limit is too small for the profile, with the limit that it needs", () => {
    expect(buildLaunch(memory, "small", 101)).toBe("the memory limit of 101 MiB is too small for the profile small: it needs 102 MiB");
    expect(buildLaunch(memory, "small", 102)).toHaveProperty("nodeArguments");
    expect(buildLaunch(memory, "large", 469)).toContain("it needs 470 MiB");
    expect(buildLaunch(memory, "large", 470)).toHaveProperty("nodeArguments");
  });

  it("is refused for a profile that is not there", () => {
    expect(buildLaunch(memory, "huge", 256)).toBe("there is no memory profile huge: it is one of small, large");
  });

  it.each(services)("%s starts with its small profile within 512 MiB", (service) => {
    const table: ContainerMemory = JSON.parse(readFileSync(new URL(`services/${service}/memory.json`, root), "utf8"));
    expect(buildLaunch(table, "small", 512)).toHaveProperty("nodeArguments");
  });
});

it("the chart's memory limits fit the memory profiles that it chooses", () => {
  const manifests = readFileSync(new URL("infra/chart/golden/least.yaml", root), "utf8");
  const chosen = [...manifests.matchAll(/args: \[([a-z-]+), ([a-z]+)\][^]*?limits: \{ memory: (\d+)Mi \}/g)];
  expect(new Set(chosen.map(([, service]) => service))).toEqual(new Set(services));
  for (const [, service, profile = "", limitMiB] of chosen) {
    const table: ContainerMemory = JSON.parse(readFileSync(new URL(`services/${service}/memory.json`, root), "utf8"));
    expect(buildLaunch(table, profile, Number(limitMiB))).toHaveProperty("nodeArguments");
  }
});

describe("the Dockerfile", () => {
  const text = readFileSync(new URL("infra/image/Dockerfile", root), "utf8");

  it("installs every service", () => {
    expect(services.filter((service) => !text.includes(`'@sluice/${service}...'`))).toEqual([]);
  });

  it("brings the pnpm that ./sluice brings", () => {
    const [, version] = /^pnpm_version=(.+)$/m.exec(readFileSync(new URL("sluice", root), "utf8")) ?? [];
    expect(text).toContain(`npm install --global pnpm@${version}`);
  });

  it("listens where probes and callers reach it: at fixed ports, beyond the loopback address", () => {
    const variables = new Map([...text.matchAll(/\b(SLUICE_\w+_(?:HOST|PORT))=(\S+)/g)].map(([, name, value]) => [name, value]));
    expect([variables.get("SLUICE_HTTP_HOST"), variables.get("SLUICE_OPS_HOST")]).toEqual(["0.0.0.0", "0.0.0.0"]);
    expect([...variables].filter(([name, value]) => name?.endsWith("_PORT") && value === "0")).toEqual([]);
    expect(variables.has("SLUICE_OPS_PORT")).toBe(true);
  });

  it("runs as a user without rights", () => {
    const stages = text.split(/^FROM /m);
    expect(stages.at(-1)).toMatch(/^runtime$/m);
    expect(stages.find((stage) => / AS runtime$/m.test(stage))).toMatch(/^USER 65532:65532$/m);
  });
});
