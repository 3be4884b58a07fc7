import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, describe, expect, test } from "vitest";
import { describeMissing, describeUp, membersOfUp, readUpState, requireUpState, type UpState } from "./up-state.ts";

const state: UpState = {
  kafkaBrokers: "127.0.0.1:9092",
  schemaRegistryUrl: "http://127.0.0.1:8081",
  mongoUrl: "mongodb://sluice:s3cret@store.example:27017",
  connections: {},
  database: "sluice",
  configurationFile: "sluice.yaml",
  configurationSha256: "",
  partitionCount: 12,
  ingressUrl: "http://127.0.0.1:8080",
  consoleUrl: "http://127.0.0.1:8081",
  controlUrl: "http://127.0.0.1:8082",
  operations: {},
};

const opened: (() => void)[] = [];
afterEach(() => opened.splice(0).forEach((close) => close()));

test("what is up is described without the password of an address", () => {
  expect(describeUp(state)).toContain("MongoDB          mongodb://store.example:27017/sluice");
  expect(describeUp(state)).not.toContain("s3cret");
});

test("a program reads the same, without the password and the settings of connections", () => {
  const { connections: _, ...reported } = state;
  const members = membersOfUp({ ...state, connections: { KAFKA_SASL_PASSWORD_FILE: "kafka.password" } });
  const mongoUrl = "mongodb://store.example:27017";
  expect(members).toEqual({ schema: "Up", isSecured: false, ...reported, mongoUrl, folder: expect.any(String) as unknown });
});

test("where a provider was started, the description says where and as whom to sign in", () => {
  const signIn = { issuer: "https://127.0.0.1:8083", origin: "https://127.0.0.1:8082", configurationFile: "made.yaml" };
  const described = describeUp({ ...state, authorityFile: "authority.pem", signIn });
  expect(described).toContain("services follow  made.yaml, which up makes from it");
  expect(described).toContain("sign in at       https://127.0.0.1:8082/sign-in");
  expect(described).toContain('Thandi         roles read, act; no password: choose "with a second factor"');
  expect(described).toContain('Sipho          roles read, approve; no password: choose "with a second factor"');
  expect(describeUp(state)).not.toContain("sign in");
  expect(described).not.toContain("profile add");
});

test("where the provider knows a command line, the description has the commands of a sign-in", () => {
  const signIn = {
    issuer: "https://127.0.0.1:8083",
    origin: "https://127.0.0.1:8082",
    configurationFile: "made.yaml",
    commandLine: { clientId: "sluice-cli", audience: "urn:sluice:control", caFile: "authority.pem" },
  };
  expect(describeUp({ ...state, authorityFile: "authority.pem", signIn }).replaceAll(/\s+(\\\n\s+)?/g, " ")).toContain(
    "./sluice profile add up --url https://127.0.0.1:8082 --issuer https://127.0.0.1:8083 " +
      "--client-id sluice-cli --audience urn:sluice:control --ca-file authority.pem ./sluice login up",
  );
});

describe("while a process of up is dead", () => {
  /** A folder of `up` in which this process is the console, and the validator has ended. */
  async function openUpFolder(): Promise<string> {
    const directory = mkdtempSync(join(tmpdir(), "sluice-up-"));
    opened.push(() => rmSync(directory, { recursive: true }));
    const ended = spawn(process.execPath, ["-e", "", directory]);
    await once(ended, "exit");
    const console = spawn(process.execPath, ["-e", "setInterval(() => {}, 1_000)", directory]);
    opened.push(() => void console.kill("SIGKILL"));
    await once(console, "spawn");
    const noted = { kind: "service", mark: directory, ports: [] };
    const processes = [
      { ...noted, name: "console", pid: console.pid },
      { ...noted, name: "validator", pid: ended.pid },
    ];
    writeFileSync(join(directory, "running.json"), JSON.stringify({ owner: null, processes }));
    writeFileSync(join(directory, "up.json"), JSON.stringify(state));
    return directory;
  }

  test("a verb that needs only the console finds it", async () => {
    expect(await readUpState(["console"], await openUpFolder())).toEqual(state);
  });

  test("a verb that needs the dead one says which it is, and how to start it", async () => {
    const directory = await openUpFolder();
    expect(await readUpState(["validator"], directory)).toBeNull();
    await expect(requireUpState(["console", "validator"], directory)).rejects.toThrow(
      "validator is down: ./sluice up starts what is missing, with the configuration that ran",
    );
  });
});

test("where nothing runs, nothing is up", () => {
  expect(describeMissing([], ["console"])).toBe("nothing is up: start with ./sluice up");
  expect(describeMissing([{ kind: "service", name: "console", isRunning: false }], ["console"])).toContain("nothing is up");
});
