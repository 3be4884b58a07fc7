import { createHash } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Configuration, listCallers, readConfigurationFile } from "@sluice/config";
import { createCallers, createMetrics } from "@sluice/service";
import { type LogFields, type Logger, machineTime, silentLogger } from "@sluice/kernel";
import { showAuthorization } from "@sluice/testkit";
import { expect, test, vi } from "vitest";
import { followConfiguration } from "./follow-configuration.ts";

const fileText = (ids: readonly string[], more = ""): string =>
  `banks:\n${ids.map((id, index) => `  - { id: ${id}, name: ${id}, agents: [{ memberId: "${index}" }], tokenSha256: ["${String(index).repeat(64)}"], baseUrl: "https://${id}.example" }\n`).join("")}${more}`;

async function setUp(stack: AsyncDisposableStack) {
  const folder = await mkdtemp(join(tmpdir(), "sluice-follow-"));
  stack.defer(() => rm(folder, { recursive: true }));
  const path = join(folder, "sluice.yaml");
  await writeFile(path, fileText(["first"]));
  const running = readConfigurationFile(path, {});
  const lines: (readonly [string, LogFields])[] = [];
  const note = (event: string, fields: LogFields = {}): void => void lines.push([event, fields]);
  const logger: Logger = { ...silentLogger, info: note, error: (event, fields) => note(event, fields as LogFields) };
  const metrics = createMetrics({ withProcess: false });
  const replaced: Configuration[] = [];
  const replace = (next: Configuration): void => void replaced.push(next);
  const following = followConfiguration({ time: machineTime, path, environment: {}, running, pollMs: 5, logger, metrics, replace });
  stack.defer(() => following.stop());
  async function write(text: string): Promise<void> {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  }
  return { running, lines, replaced, write, text: () => metrics.text() };
}

test("a changed file is taken over, logged, and shown with its version and hash", async () => {
  await using stack = new AsyncDisposableStack();
  const { running, lines, replaced, write, text } = await setUp(stack);
  expect(await text()).toContain(`sluice_configuration_version{version="${running.hash}",hash="${running.hash}"} 1`);
  await write(`version: "two"\n${fileText(["first", "second"])}`);
  await vi.waitFor(() => expect(replaced).toHaveLength(1));
  const hash = replaced[0]?.hash ?? "";
  expect([hash === running.hash, replaced[0]?.banks.length]).toEqual([false, 2]);
  expect(lines).toEqual([["configuration.replaced", { version: "two", hash, banks: 2, connectors: 0 }]]);
  const shown = await text();
  expect(shown).toContain(`sluice_configuration_version{version="two",hash="${hash}"} 1`);
  expect(shown).not.toContain(running.hash);
  expect(Number(/sluice_configuration_since_seconds (\d+)/.exec(shown)?.[1])).toBeGreaterThan(0);
  expect(shown).toContain("sluice_configuration_refused 0");
});

test("processes differ in the content that they show where a variable of the environment has another value, and not for a secret", async () => {
  await using stack = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sluice-follow-"));
  stack.defer(() => rm(folder, { recursive: true }));
  const path = join(folder, "sluice.yaml");
  const party = 'name: one, agents: [{ memberId: "1" }], baseUrl: "${ONE_URL}", bearerToken: "${ONE_TOKEN}"';
  await writeFile(path, `banks: [{ id: one, tokenSha256: ["${"0".repeat(64)}"], ${party} }]\n`);
  async function show(environment: Readonly<Record<string, string>>): Promise<string> {
    const metrics = createMetrics({ withProcess: false });
    const replace = (): void => {};
    const running = readConfigurationFile(path, environment);
    const following = followConfiguration({ time: machineTime, path, environment, running, logger: silentLogger, metrics, replace });
    await following.stop();
    return /sluice_configuration_info\{content="([0-9a-f]{12})"\} 1/.exec(await metrics.text())?.[1] ?? "nothing";
  }
  const first = await show({ ONE_URL: "https://one.example", ONE_TOKEN: "former-token" });
  expect(first).toMatch(/^[0-9a-f]{12}$/);
  expect(await show({ ONE_URL: "https://one.example", ONE_TOKEN: "another-token" })).toBe(first);
  expect(await show({ ONE_URL: "https://two.example", ONE_TOKEN: "former-token" })).not.toBe(first);
});

test("a change of a comment changes the hash of the file, and not the content that a process shows", async () => {
  await using stack = new AsyncDisposableStack();
  const { replaced, write, text } = await setUp(stack);
  const shown = async (): Promise<string> => /sluice_configuration_info\{.*/.exec(await text())?.[0] ?? "nothing";
  const before = await shown();
  await write(`${fileText(["first"])}# a comment\n`);
  await vi.waitFor(() => expect(replaced).toHaveLength(1));
  expect([await shown(), before.length > 30]).toEqual([before, true]);
  await write(fileText(["first", "second"]));
  await vi.waitFor(() => expect(replaced).toHaveLength(2));
  expect(await shown()).not.toBe(before);
});

test("I14: a file that is wrong, or changes what needs a restart, is refused as a whole until it is right again [D10.26]", async () => {
  await using stack = new AsyncDisposableStack();
  const { running, lines, replaced, write, text } = await setUp(stack);
  await write("banks: [");
  await vi.waitFor(() => expect(lines).toHaveLength(1));
  await write(fileText(["first", "second"], 'schemes: [{ reconciliation: "18:00" }]\n'));
  await vi.waitFor(() => expect(lines).toHaveLength(2));
  const inForce = { versionInForce: running.version, hashInForce: running.hash };
  expect(lines[0]).toEqual(["configuration.refused", { problems: expect.stringContaining("not YAML"), count: 1, ...inForce }]);
  expect(lines[1]).toEqual(["configuration.refused", { problems: "/schemes: changes only with a restart", count: 1, ...inForce }]);
  expect([replaced, (await text()).includes("sluice_configuration_refused 1")]).toEqual([[], true]);
  await write(fileText(["first"]));
  await vi.waitFor(async () => expect(await text()).toContain("sluice_configuration_refused 0"));
  expect(replaced).toEqual([]);
});

test("a token that a refused file no longer names is invalid at once, and a new one only once the file is right [D10.27]", async () => {
  await using stack = new AsyncDisposableStack();
  const { lines, replaced, write } = await setUp(stack);
  const named = (token: string): string => fileText(["first"]).replace("0".repeat(64), createHash("sha256").update(token).digest("hex"));
  const known = async (): Promise<readonly boolean[]> => {
    const callers = createCallers(
      replaced.flatMap((one, index) => (index === replaced.length - 1 ? listCallers(one) : [])),
      () => 0,
    );
    return await Promise.all(["former", "next"].map(async (token) => (await callers.identify(showAuthorization(`Bearer ${token}`))).ok));
  };
  await write(named("former"));
  await vi.waitFor(() => expect(replaced).toHaveLength(1));
  await write(`${named("next")}unknownMember: 1\n`);
  await vi.waitFor(() => expect(replaced).toHaveLength(2));
  expect(lines.map(([event]) => event)).toEqual(["configuration.replaced", "configuration.refused", "configuration.replaced"]);
  expect(await known()).toEqual([false, false]);
  await write(named("next"));
  await vi.waitFor(() => expect(replaced).toHaveLength(3));
  expect(await known()).toEqual([false, true]);
});
