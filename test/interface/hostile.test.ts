// Sends hostile requests to a real port. Each gets a documented 4xx with an ErrorDetail, nothing is stored, and ingress
// continues.

import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { startListeningIngress, type ListeningIngress } from "./listening-ingress.fixture.ts";
import { limitCases, hostileBodies } from "./hostile-bodies.ts";
import { hostileRequest, type HostileCase } from "./hostile-case.ts";
import { hostileFraming } from "./hostile-framing.ts";
import { hostileHeads } from "./hostile-heads.ts";
import { exchangeBytes, type RawAnswer, type RawEnd } from "./raw-http.ts";

const documented = new Set([400, 401, 403, 404, 405, 408, 411, 413, 415, 422, 429, 431]);
const cases: readonly HostileCase[] = [...hostileBodies, ...hostileHeads, ...hostileFraming];
const atOnce = 24;
const heapGrowthMaxBytes = 24 * 1024 * 1024;

let given: ListeningIngress;
beforeAll(async () => {
  given = await startListeningIngress({ limits: { headersTimeoutMs: 1_000, requestTimeoutMs: 1_500 } });
});
afterAll(async () => {
  await given[Symbol.asyncDispose]();
});

/** Describes what is wrong with an answer; null if nothing is. */
function findFault({ status, headers, body }: RawAnswer, expected: number): string | null {
  if (status !== expected) return `answered ${status} instead of ${expected}: ${body.slice(0, 200)}`;
  if (!documented.has(status)) return `${status} is not documented`;
  if (headers.get("content-type") !== "application/json") return `content-type ${headers.get("content-type")}`;
  if (headers.get("content-length") !== String(Buffer.byteLength(body))) return "no length, or a wrong one";
  if (!/^\{"schema":"ErrorDetail","message":"[^"]+","detail":".+"\}$/s.test(body)) return `not an ErrorDetail: ${body.slice(0, 200)}`;
  if (/62001872440|Karoo|Mokoena|sample-token/.test(body)) return "repeats what it was sent";
  return null;
}

function findFaults({ id, expected, detail }: HostileCase, end: RawEnd): string[] {
  const found = end.answers.flatMap((answer, index) => findFault(answer, expected[index] ?? Number.NaN) ?? []);
  if (end.answers.length !== expected.length) found.push(`${end.answers.length} answers instead of ${expected.length} (${end.how})`);
  if (detail !== undefined && !(end.answers[0]?.body ?? "").includes(detail)) found.push(`no "${detail}" in ${end.answers[0]?.body}`);
  return found.map((text) => `${id}: ${text}`);
}

async function exchangeAll(some: readonly HostileCase[]): Promise<string[]> {
  const left = some.values();
  const found: string[] = [];
  const one = async (): Promise<void> => {
    for (const hostile of left) found.push(...findFaults(hostile, await exchangeBytes(given.port, hostile)));
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  return found;
}

/** Counts the bytes of the heap and of buffers that are still referenced. */
function retainedBytes(): number {
  setFlagsFromString("--expose-gc");
  const collect: () => void = runInNewContext("gc");
  collect();
  collect();
  const { heapUsed, external } = process.memoryUsage();
  return heapUsed + external;
}

describe("hostile input", () => {
  it("has at least 300 cases, each with a unique name", () => {
    expect(cases.length).toBeGreaterThanOrEqual(300);
    const ids = cases.map(({ id }) => id);
    expect(ids.filter((id, index) => ids.indexOf(id) !== index)).toEqual([]);
    expect(cases.every(({ expected }) => expected.every((status) => documented.has(status)))).toBe(true);
  });

  it.each([
    ["bodies", hostileBodies],
    ["heads", hostileHeads],
    ["framing", hostileFraming],
  ] as const)("%s: each case is answered with its documented 4xx, none with a 5xx, and none is stored [D3 codes]", async (_, some) => {
    const before = given.journal().length;
    expect(await exchangeAll(some)).toEqual([]);
    expect(given.journal()).toHaveLength(before);
  });

  it.each(limitCases)("$id: $most is accepted, one more is refused [D5 bounds]", async ({ body, most }) => {
    const [good, bad] = await Promise.all(
      [most, most + 1].map((size) => exchangeBytes(given.port, { bytes: hostileRequest({ body: body(size) }) })),
    );
    expect(good?.answers).toMatchObject([{ status: 202, body: "" }]);
    expect([400, 413, 422]).toContain(bad?.answers[0]?.status);
    expect(bad?.answers[0]?.body).toContain('"schema":"ErrorDetail"');
  });

  it("does not grow memory when all cases are repeated (I15)", async () => {
    const quick = cases.filter(({ expected }) => !expected.includes(408));
    await exchangeAll(quick);
    const before = retainedBytes();
    for (let round = 0; round < 3; round += 1) await exchangeAll(quick);
    const grown = retainedBytes() - before;
    process.stdout.write(`${3 * quick.length} hostile requests later ${Math.round(grown / 1024)} KiB more are retained\n`);
    expect(grown).toBeLessThan(heapGrowthMaxBytes);
    const answer = await exchangeBytes(given.port, { bytes: hostileRequest() });
    expect(answer.answers).toMatchObject([{ status: 202 }]);
  });
});
