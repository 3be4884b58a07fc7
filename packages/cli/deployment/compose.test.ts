// Holds infra/compose/compose.yaml against what its containers are: the image's ports and words, the settings of the
// services, and the names of the compose format that it uses.

import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { Script } from "node:vm";
import { readConfigurationFile, readEnvironment } from "@sluice/config";
import { listSettings } from "@sluice/config/settings-table";
import { serviceNames } from "@sluice/environment/processes";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";

const root = fileURLToPath(new URL("../../../", import.meta.url));
const file = join(root, "infra/compose/compose.yaml");

interface ComposeService {
  readonly image: string;
  readonly build?: { readonly context: string; readonly dockerfile: string };
  readonly command?: readonly string[];
  readonly ports?: readonly string[];
  readonly environment?: Readonly<Record<string, string>>;
  readonly configs?: readonly { readonly source: string; readonly target: string }[];
  readonly healthcheck?: { readonly test?: readonly string[] };
}

interface ComposeFile {
  readonly services: Readonly<Record<string, ComposeService>>;
  readonly configs: Readonly<Record<string, { readonly file: string }>>;
}

const compose: ComposeFile = parse(readFileSync(file, "utf8"), { merge: true });
const dockerfile = readFileSync(join(root, "infra/image/Dockerfile"), "utf8");
const imageEnvironment = Object.fromEntries(
  [...dockerfile.matchAll(/(?:^ENV| {4}|\s)((?:SLUICE|NODE)_[A-Z_]+)=(\S+)/gm)].map(([, name = "", value = ""]) => [name, value]),
);
const ours = Object.entries(compose.services).filter(([, { image }]) => image === "sluice");
const servers = Object.keys(compose.services).filter((name) => compose.services[name]?.image !== "sluice");

describe("the compose file", () => {
  it("has every service, the provisioning, and the three servers, each in an image of a fixed version", () => {
    expect(ours.map(([name]) => name).toSorted()).toEqual([...serviceNames, "provision"].toSorted());
    expect(servers.toSorted()).toEqual(["kafka", "mongo", "registry"]);
    for (const name of servers) expect(compose.services[name]?.image).toMatch(/^[a-z/-]+:\d[\d.]*$/);
  });

  it("uses no member but those of the compose format that it needs", () => {
    const members = new Set(Object.values(compose.services).flatMap((service) => Object.keys(service)));
    const known = "build cap_drop command configs environment extra_hosts healthcheck image mem_limit ports read_only restart security_opt";
    expect([...members].toSorted()).toEqual(known.split(" "));
    const top = Object.keys(compose).filter((name) => !name.startsWith("x-"));
    expect(top.toSorted()).toEqual(["configs", "services"]);
  });

  it.each(ours)("%s starts: its words are the image's, and its settings are whole and known", (name, { command, environment = {} }) => {
    expect(command).toEqual([name]);
    const known = listSettings().map((setting) => setting.name);
    expect(Object.keys(environment).filter((variable) => !known.some((one) => one === variable))).toEqual([]);
    expect(() => readEnvironment({ ...imageEnvironment, ...environment }, known)).not.toThrow();
  });

  it("reaches servers that are there, at the ports at which they listen", () => {
    const { environment = {} } = ours[0]?.[1] ?? {};
    const hosts = [`kafka://${environment["KAFKA_BROKERS"]}`, environment["SCHEMA_REGISTRY_URL"], environment["MONGO_URL"]];
    expect(hosts.map((url) => new URL(url ?? "").host)).toEqual(["kafka:9092", "registry:8080", "mongo:27017"]);
    const kafka = compose.services["kafka"]?.environment ?? {};
    expect(kafka["KAFKA_LISTENERS"]).toContain("PLAINTEXT://:9092");
    expect(kafka["KAFKA_ADVERTISED_LISTENERS"]).toBe("PLAINTEXT://kafka:9092");
  });

  it("opens the image's ports on the loopback address alone, each once", () => {
    const published = ours.flatMap(([name, { ports = [] }]) => ports.map((port) => `${name} ${port}`));
    expect(published).toEqual(["ingress 127.0.0.1:8080:8080", "console 127.0.0.1:8081:8080", "console 127.0.0.1:8082:8082"]);
    const { SLUICE_HTTP_PORT: http, SLUICE_CONSOLE_PORT: desk, SLUICE_CONTROL_PORT: control } = imageEnvironment;
    expect([http, desk, control]).toEqual(["8080", "8080", "8082"]);
    for (const name of servers) expect(compose.services[name]?.ports).toBeUndefined();
  });

  it("asks each service whether it is ready, at its operations port", () => {
    for (const name of serviceNames) {
      const program = compose.services[name]?.healthcheck?.test?.at(-1);
      expect(program).toContain(`http://127.0.0.1:${imageEnvironment["SLUICE_OPS_PORT"]}/readyz`);
      expect(() => new Script(program ?? "(")).not.toThrow();
    }
  });

  it("builds the image, and mounts a configuration file that is right", () => {
    const { build } = compose.services["provision"] ?? {};
    expect(existsSync(join(dirname(file), build?.context ?? "", build?.dockerfile ?? ""))).toBe(true);
    const { SLUICE_CONFIG: target } = ours[0]?.[1].environment ?? {};
    expect(ours.every(([, { configs = [] }]) => configs.some((one) => one.source === "sluice" && one.target === target))).toBe(true);
    const [, path = ""] = /^\$\{SLUICE_CONFIGURATION:-(.+)\}$/.exec(compose.configs["sluice"]?.file ?? "") ?? [];
    expect(() => readConfigurationFile(join(dirname(file), path), {})).not.toThrow();
  });
});
