import { createHash } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineTime } from "@sluice/kernel";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type CallerSettings,
  type Configuration,
  type ConfiguredOperator,
  listCallers,
  listRestartChanges,
  readConfiguration,
  updateCallers,
  watchConfiguration,
} from "./index.ts";

const sha = (token: string): string => createHash("sha256").update(token).digest("hex");

interface FileOptions {
  readonly tokens?: readonly string[];
  readonly rate?: number;
  readonly baseUrl?: string;
  readonly second?: boolean;
  readonly reconciliation?: string;
  /** Roles of the one operator. */
  readonly roles?: string;
}

function fileText({
  tokens = ["one"],
  rate = 500,
  baseUrl = "https://first.example",
  second = true,
  reconciliation,
  roles,
}: FileOptions = {}): string {
  const hashes = tokens.map((token) => `"${sha(token)}"`).join(", ");
  const others = second
    ? `  - { id: second, name: Second, agents: [{ memberId: "2" }], tokenSha256: ["${sha("two")}"], baseUrl: "https://second.example" }\n`
    : "";
  return `${reconciliation === undefined ? "" : `schemes: [{ reconciliation: "${reconciliation}" }]\n`}banks:
  - { id: first, name: First, agents: [{ memberId: "1" }], tokenSha256: [${hashes}], requestsPerSecond: ${rate}, baseUrl: "${baseUrl}" }
${others}connectors:
  - { id: clearing, name: Clearing, schemes: [ZA_EFT], tokenSha256: ["${sha("three")}"], baseUrl: "https://clearing.example" }
${roles === undefined ? "" : `operators: [{ id: thandi, name: Thandi, tokenSha256: ["${sha("four")}"], roles: [${roles}] }]\n`}`;
}

function configured(options?: FileOptions): Configuration {
  const reading = readConfiguration(fileText(options), {});
  if (!reading.ok) throw new Error(JSON.stringify(reading.problems));
  return reading.configuration;
}

describe("the changes that a running service takes over", () => {
  it("are the credentials and limits of its callers", () => {
    const next = configured({ tokens: ["one", "one-next"], rate: 7 });
    expect(updateCallers(configured(), next)).toEqual(listCallers(next));
    expect(listCallers(next)[0]).toEqual({
      id: "first",
      kind: "bank",
      tokenSha256: [sha("one"), sha("one-next")],
      requestsPerSecond: 7,
      inboundConnections: 64,
    });
    expect(listRestartChanges(configured(), next)).toEqual([]);
  });

  it("are no others: changes that wait for a restart are named", () => {
    const next = configured({ baseUrl: "https://other.example", second: false, reconciliation: "18:00" });
    expect(listRestartChanges(configured(), next)).toEqual(["/banks/first", "/banks/second", "/schemes"]);
    expect(listRestartChanges(next, configured())).toEqual(["/banks/first", "/banks/second", "/schemes"]);
  });

  it("lock out callers that are no longer in the file, and admit none that were unknown at the start", () => {
    const [more, less] = [configured(), configured({ second: false })];
    expect(updateCallers(more, less).find(({ id }) => id === "second")?.tokenSha256).toEqual([]);
    expect(updateCallers(less, more).map(({ id }) => id)).toEqual(["first", "clearing"]);
  });
});

const opened: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const stack of opened.splice(0)) await stack.disposeAsync();
});

async function givenWatch() {
  const stack = new AsyncDisposableStack();
  opened.push(stack);
  const folder = await mkdtemp(join(tmpdir(), "sluice-watch-"));
  stack.defer(() => rm(folder, { recursive: true }));
  const path = join(folder, "sluice.yaml");
  await writeFile(path, fileText());
  const said: {
    callers?: readonly CallerSettings[];
    waiting?: readonly string[];
    operators?: readonly ConfiguredOperator[];
    problems?: readonly string[];
  }[] = [];
  const watch = watchConfiguration({
    time: machineTime,
    path,
    environment: {},
    running: configured(),
    pollMs: 5,
    changed: (callers, waiting, operators) => void said.push({ callers, waiting, operators }),
    broken: (problems) => void said.push({ problems }),
  });
  stack.defer(() => watch.stop());
  async function write(text: string): Promise<void> {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  }
  const heard = (count: number) => vi.waitFor(() => expect(said).toHaveLength(count));
  return { path, said, write, heard };
}

describe("a configuration file that is watched", () => {
  it("reports new credentials once, however often or in whatever form they are written again", async () => {
    const { said, write, heard } = await givenWatch();
    await write(fileText({ tokens: ["one", "one-next"] }));
    await heard(1);
    await write(`# a comment\n${fileText({ tokens: ["one", "one-next"] })}`);
    await write(fileText({ tokens: ["one-next"] }));
    await heard(2);
    expect(said.map(({ callers, waiting }) => [callers?.[0]?.tokenSha256.length, waiting])).toEqual([
      [2, []],
      [1, []],
    ]);
  });

  it("reports the operators of the file: a new one, another role, and one that was removed", async () => {
    const { said, write, heard } = await givenWatch();
    await write(fileText({ roles: "read" }));
    await heard(1);
    await write(fileText({ roles: "read, approve" }));
    await heard(2);
    await write(fileText());
    await heard(3);
    expect(said.map(({ operators, waiting }) => [operators?.map(({ roles }) => roles), waiting])).toEqual([
      [[["read"]], []],
      [[["read", "approve"]], []],
      [[], []],
    ]);
  });

  it("keeps the old callers while it is broken, is reported once, and takes effect again once repaired", async () => {
    const { said, write, heard, path } = await givenWatch();
    await write("banks: [");
    await heard(1);
    await write("banks: []\nsecret: shouted");
    await heard(2);
    await rm(path);
    await heard(3);
    await write(`#${" ".repeat(5 * 1024 * 1024)}\n${fileText()}`);
    await heard(4);
    await write(fileText({ rate: 9 }));
    await heard(5);
    expect(said.map(({ problems }) => problems?.length ?? 0)).toEqual([1, expect.any(Number), 1, 1, 0]);
    expect(said[0]?.problems?.[0]).toContain("not YAML");
    expect(said[2]?.problems).toEqual(["cannot be read"]);
    expect(said[3]?.problems?.[0]).toContain("longer than");
    expect(JSON.stringify(said.slice(0, 4))).not.toContain("shouted");
    expect(said[4]?.callers?.[0]?.requestsPerSecond).toBe(9);
  });

  it("takes a token away whatever else is wrong in the file, and adds none", async () => {
    const { said, write, heard } = await givenWatch();
    await write(fileText({ tokens: ["one", "one-next"], roles: "read, approve" }));
    await heard(1);
    const wrong = fileText({ tokens: ["one-next", "foreign"], roles: "read, act" }).replace("https://second.example", "nowhere");
    await write(wrong);
    await heard(3);
    expect(said[1]?.callers?.map(({ tokenSha256 }) => tokenSha256)).toEqual([[sha("one-next")], [sha("two")], [sha("three")]]);
    expect(said[1]?.operators?.map(({ roles }) => roles)).toEqual([["read"]]);
    expect(said[2]?.problems?.length).toBeGreaterThan(0);
    await write(wrong.replace(/operators:.*/, `operators: [{ id: other }]`).replace(sha("one-next"), `\${NOWHERE}`));
    await heard(5);
    expect(said[3]?.callers?.[0]?.tokenSha256).toEqual([sha("one-next")]);
    expect(said[3]?.operators?.map(({ tokenSha256 }) => tokenSha256)).toEqual([[]]);
  });
});
