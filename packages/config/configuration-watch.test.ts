import { createHash } from "node:crypto";
import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineTime } from "@sluice/kernel";
import { afterEach, describe, expect, it, vi } from "vitest";
import {
  type Configuration,
  createLiveConfiguration,
  findBank,
  keepUnchanged,
  listCallers,
  listRestartChanges,
  readConfiguration,
  watchConfiguration,
} from "./index.ts";

const sha = (token: string): string => createHash("sha256").update(token).digest("hex");

interface FileOptions {
  readonly tokens?: readonly string[];
  readonly rate?: number;
  readonly baseUrl?: string;
  readonly second?: boolean;
  readonly reconciliation?: string;
  readonly rulesFolder?: string;
  readonly partitionCount?: number;
  /** Roles of the one operator. */
  readonly roles?: string;
}

function fileText({
  tokens = ["one"],
  rate = 500,
  baseUrl = "https://first.example",
  second = true,
  reconciliation,
  rulesFolder,
  partitionCount,
  roles,
}: FileOptions = {}): string {
  const hashes = tokens.map((token) => `"${sha(token)}"`).join(", ");
  const others = second
    ? `  - { id: second, name: Second, agents: [{ memberId: "2" }], tokenSha256: ["${sha("two")}"], baseUrl: "https://second.example" }\n`
    : "";
  return `${reconciliation === undefined ? "" : `schemes: [{ reconciliation: "${reconciliation}" }]\n`}${rulesFolder === undefined ? "" : `rulesFolder: ${rulesFolder}\n`}${partitionCount === undefined ? "" : `partitionCount: ${partitionCount}\n`}banks:
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

describe("the next configuration of a running service", () => {
  it("I14: has the same objects for parties that did not change, so that a change of one bank is no change of another", () => {
    const running = configured();
    const next = keepUnchanged(running, configured({ baseUrl: "https://other.example" }));
    expect(next.banks[0]).not.toBe(running.banks[0]);
    expect(next.banks[0]?.baseUrl).toBe("https://other.example");
    expect([next.banks[1], next.connectors[0]]).toEqual([running.banks[1], running.connectors[0]]);
    expect(next.banks[1]).toBe(running.banks[1]);
    expect(next.connectors[0]).toBe(running.connectors[0]);
  });

  it("needs a restart where schemes, the folder of rules or the number of partitions differ, and nowhere else", () => {
    const next = configured({ tokens: ["next"], rate: 7, baseUrl: "https://other.example", second: false, roles: "read" });
    expect(listRestartChanges(configured(), next)).toEqual([]);
    expect(listRestartChanges(configured(), configured({ reconciliation: "18:00" }))).toEqual(["/schemes"]);
    expect(listRestartChanges(configured(), configured({ rulesFolder: "rules" }))).toEqual(["/rulesFolder"]);
    expect(listRestartChanges(configured(), configured({ partitionCount: 24 }))).toEqual(["/partitionCount"]);
  });

  it("is seen by every part that holds the live configuration, also by look-ups", () => {
    const live = createLiveConfiguration(configured({ second: false }));
    const part = { configuration: live.view };
    expect([findBank(part.configuration, "second"), listCallers(live.view).length]).toEqual([undefined, 2]);
    live.replace(configured());
    expect([findBank(part.configuration, "second")?.id, listCallers(live.view).length]).toEqual(["second", 3]);
    expect({ ...live.view }).toEqual(configured());
  });
});

const opened: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const stack of opened.splice(0)) await stack.disposeAsync();
});

type Said = Configuration | readonly string[] | null;

async function givenWatch() {
  const stack = new AsyncDisposableStack();
  opened.push(stack);
  const folder = await mkdtemp(join(tmpdir(), "sluice-watch-"));
  stack.defer(() => rm(folder, { recursive: true }));
  const path = join(folder, "sluice.yaml");
  await writeFile(path, fileText());
  const said: Said[] = [];
  const watch = watchConfiguration({
    time: machineTime,
    path,
    environment: {},
    running: configured(),
    pollMs: 5,
    replaced: (next) => void said.push(next),
    refused: (problems) => void said.push(problems),
  });
  stack.defer(() => watch.stop());
  async function write(text: string): Promise<void> {
    await writeFile(`${path}.new`, text);
    await rename(`${path}.new`, path);
  }
  const heard = (count: number) => vi.waitFor(() => expect(said).toHaveLength(count));
  return { path, said, write, heard };
}

function replacements(said: readonly Said[]): readonly Configuration[] {
  return said.flatMap((one) => (one !== null && "banks" in one ? [one] : []));
}

describe("a configuration file that is watched", () => {
  it("is taken over as a whole: tokens, limits, addresses, new banks and operators", async () => {
    const { said, write, heard } = await givenWatch();
    await write(fileText({ tokens: ["one", "one-next"], rate: 7, second: false }));
    await heard(1);
    await write(fileText({ baseUrl: "https://other.example", roles: "read, approve" }));
    await heard(2);
    const [first, second] = replacements(said);
    expect([first?.banks.map(({ id }) => id), first?.banks[0]?.tokens.length, first?.banks[0]?.requestsPerSecond]).toEqual([
      ["first"],
      2,
      7,
    ]);
    expect([second?.banks.map(({ baseUrl }) => baseUrl), second?.operators[0]?.roles]).toEqual([
      ["https://other.example", "https://second.example"],
      ["read", "approve"],
    ]);
    expect(first?.hash).not.toBe(second?.hash);
    expect(second?.connectors[0]).toBe(first?.connectors[0]);
  });

  it("that changes what needs a restart is refused as a whole, named, and in force nowhere but for what it takes away", async () => {
    const { said, write, heard } = await givenWatch();
    await write(fileText({ reconciliation: "18:00", tokens: ["next"] }));
    await heard(2);
    expect(said[0]).toEqual(["/schemes: changes only with a restart"]);
    expect(replacements(said)[0]?.banks[0]?.tokens).toEqual([]);
    expect(replacements(said)[0]?.schemes).toEqual(configured().schemes);
    await write(fileText());
    await heard(4);
    expect(said[2]).toBeNull();
    expect(replacements(said)[1]?.banks).toEqual(configured().banks);
  });

  it("changes nothing while it is broken, is reported once, and takes effect again once repaired", async () => {
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
    await heard(6);
    expect(said.slice(0, 4).map((one) => Array.isArray(one))).toEqual([true, true, true, true]);
    expect(said[0]).toEqual([expect.stringContaining("not YAML")]);
    expect(said[2]).toEqual(["cannot be read"]);
    expect(said[3]).toEqual([expect.stringContaining("longer than")]);
    expect(JSON.stringify(said.slice(0, 4))).not.toContain("shouted");
    expect([said[4], replacements(said)[0]?.banks[0]?.requestsPerSecond]).toEqual([null, 9]);
  });

  it("takes the roles of an operator away whom a file that is wrong binds to a bank", async () => {
    const { said, write, heard } = await givenWatch();
    await write(fileText({ roles: "read, approve" }));
    await heard(1);
    const wrong = fileText({ roles: "read" }).replace("roles: [read]", "roles: [read], bank: first");
    await write(wrong.replace("https://second.example", "nowhere"));
    await heard(3);
    expect(Array.isArray(said[1])).toBe(true);
    expect(replacements(said)[1]?.operators.map(({ roles }) => roles)).toEqual([[]]);
  });

  it("takes a token away whatever else is wrong in the file, adds none, and gives it back with the file that was in force", async () => {
    const { said, write, heard } = await givenWatch();
    const right = fileText({ tokens: ["one", "one-next"], roles: "read, approve" });
    await write(right);
    await heard(1);
    const tokensOf = (index: number) => replacements(said)[index]?.banks.map(({ tokens }) => tokens.map(({ sha256 }) => sha256));
    const wrong = fileText({ tokens: ["one-next", "foreign"], roles: "read, act" }).replace("https://second.example", "nowhere");
    await write(wrong);
    await heard(3);
    expect(Array.isArray(said[1])).toBe(true);
    expect(tokensOf(1)?.[0]).toEqual([sha("one-next")]);
    expect(tokensOf(1)?.slice(1)).toEqual(tokensOf(0)?.slice(1));
    expect(replacements(said)[1]?.operators.map(({ roles }) => roles)).toEqual([["read"]]);
    await write(wrong.replace(/operators:.*/, `operators: [{ id: other }]`).replace(sha("one-next"), `\${NOWHERE}`));
    await heard(5);
    expect(tokensOf(2)?.[0]).toEqual([sha("one-next")]);
    expect(replacements(said)[2]?.operators.map(({ tokens }) => tokens)).toEqual([[]]);
    await write(right);
    await heard(7);
    expect(said[5]).toBeNull();
    expect(tokensOf(3)).toEqual(tokensOf(0));
  });

  it("ends a token earlier if a refused file says so, and never later [D10.27]", async () => {
    const { said, write, heard } = await givenWatch();
    const dated = (notAfter: string) =>
      fileText().replace("tokenSha256: [", `tokens: [{ id: dated, sha256: "${sha("dated")}", notAfter: "${notAfter}" }], tokenSha256: [`);
    const endOf = (index: number) => replacements(said)[index]?.banks[0]?.tokens.find(({ id }) => id === "dated")?.notAfterMs;
    await write(dated("2027-06-30T22:00:00Z"));
    await heard(1);
    await write(`${dated("2027-01-31T22:00:00Z")}unknown: 1\n`);
    await heard(3);
    await write(`${dated("2028-01-31T22:00:00Z")}unknown: 2\n`);
    await heard(4);
    expect([endOf(0), endOf(1), endOf(2)]).toEqual([Date.UTC(2027, 5, 30, 22), Date.UTC(2027, 0, 31, 22), undefined]);
  });
});
