import { expect, test } from "vitest";
import type { ControlTerminal, RunControlVerb } from "../../terminal/control-client.ts";
import { runDeadLettersList } from "./list.ts";
import { runDeadLettersSkip } from "./skip.ts";
import { runDeadLettersReplay } from "./replay.ts";
import { runDeadLettersShow } from "./show.ts";

const uetr = "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11";
const reason = "registered now";

type Answered = { readonly status?: number; readonly body: object };
type Console = (method: string, path: string, body: Readonly<Record<string, unknown>> | null, id: string | null) => Answered;

async function runAgainst(
  run: RunControlVerb,
  console: Console,
  options: Readonly<Record<string, string | true>>,
  ...positionals: string[]
) {
  const lines: string[] = [];
  const asked: { readonly method: string; readonly path: string; readonly body: unknown; readonly id: string | null }[] = [];
  const where: ControlTerminal = {
    out: (text) => void lines.push(text),
    write: (text) => void lines.push(text),
    environment: {},
    upControlUrl: () => Promise.resolve("http://127.0.0.1:8082"),
    fetch: (url, { method = "GET", body, headers }) => {
      const { pathname, search } = new URL(url);
      const path = `${pathname}${search}`.replace("/control/v1", "");
      const json = typeof body === "string" ? JSON.parse(body) : null;
      const id = new Headers(headers).get("idempotency-key");
      asked.push({ method, path, body: json, id });
      const answer = console(method, path, json, id);
      return Promise.resolve(Response.json(answer.body, { status: answer.status ?? 200 }));
    },
  };
  const call = {
    positionals,
    raw: [],
    flag: (name: string) => options[name] === true,
    value: (name: string) => {
      const given = options[name];
      return typeof given === "string" ? given : null;
    },
  };
  return { exit: await run(call, where), lines, asked, posts: asked.filter(({ method }) => method === "POST") };
}

const row = (letter: string, over: object = {}) => ({
  letter,
  cursor: `after-${letter}`,
  deadLetteredAt: "2026-11-20T06:00:00.000Z",
  service: "scheduler",
  topic: "sluice.journal.v1",
  partition: 0,
  offset: "7",
  key: uetr,
  type: "DayClosed",
  why: "no value",
  skip: null,
  ...over,
});
const replayed = (rows: readonly object[], appendedAt = "2026-11-20T07:00:00.000Z"): Answered => ({
  status: 202,
  body: { schema: "DeadLettersReplay", appendedAt, rows },
});
const one = { topic: "sluice.journal.v1", partition: 0, offset: "7", type: "DayClosed", isReadable: true, outcome: "replayed", at: null };

test("list and show print where a record was, which operator skipped it, and whether it could be read now", async () => {
  const skip = { operator: "thandi", action: "put-1", isDone: false };
  const list = await runAgainst(runDeadLettersList, () => ({ body: { rows: [row("0:1", { skip })], next: null } }), {
    service: "scheduler",
  });
  expect(list.asked[0]?.path).toBe("/dead-letters?service=scheduler");
  expect(list.lines.join()).toMatch(/0:1.*thandi, requested.*sluice\.journal\.v1.*no value/s);
  const reading = { isReadable: false, as: null, why: "schema 9999 is not known here" };
  const mark = { uetr, quarantined: { since: "2026-11-20T06:00:00.000Z", offset: "7", records: 3 } };
  const shown = await runAgainst(
    runDeadLettersShow,
    () => ({ body: { ...row("0:1"), reading, progress: { position: "8", hasPassed: true }, transaction: mark } }),
    {},
    "0:1",
  );
  expect([shown.exit, shown.asked[0]?.path]).toEqual([0, "/dead-letters/0%3A1"]);
  expect(shown.lines.join("\n")).toMatch(/schema 9999.*is at 8: is past it.*quarantined, 3 dead letters/s);
});

test("put requests the skip of a record under one id, and waits until the partition has skipped it", async () => {
  let looks = 0;
  const options = { service: "dispatcher", partition: "3", offset: "120", reason, id: "put-1" };
  const { exit, posts, lines } = await runAgainst(
    runDeadLettersSkip,
    (method) => {
      if (method === "POST") return { status: 202, body: { letter: "3:4" } };
      looks += 1;
      return { body: { progress: { position: "121", hasPassed: looks > 1 } } };
    },
    options,
  );
  const body = { reason, service: "dispatcher", topic: "sluice.dispatch.v1", partition: 3, offset: "120" };
  expect(posts).toEqual([{ method: "POST", path: "/skip", body, id: "put-1" }]);
  expect([exit, looks, lines.join()]).toEqual([
    0,
    2,
    "sluice.dispatch.v1/3 offset 120: the partition has skipped it (letter 3:4, request put-1)",
  ]);
  await expect(runAgainst(runDeadLettersSkip, () => ({ body: {} }), { ...options, service: "ingress" })).rejects.toThrow("--service");
});

test("a batch is skipped by its first and last offset", async () => {
  const options = {
    service: "scheduler",
    partition: "3",
    offset: "120",
    "last-offset": "139",
    reason,
    id: "put-2",
    "no-wait": true,
  } as const;
  const { posts, lines } = await runAgainst(runDeadLettersSkip, () => ({ status: 202, body: { letter: "3:4" } }), options);
  expect(posts).toMatchObject([{ body: { offset: "120", lastOffset: "139" } }]);
  expect(lines).toEqual(["sluice.journal.v1/3 offset 120 to 139: skip requested (letter 3:4, request put-2)"]);
});

test("replay --together sends what it found as one decision, with the number of records that a dry run said [D9.98]", async () => {
  const found = { rows: [row("0:1"), row("0:2"), row("1:0", { service: "validator" })], next: null };
  const rows = [
    { of: uetr, outcome: "replayed", records: 3, why: null },
    { of: "1:0", outcome: "replayed", records: 1, why: null },
  ];
  const replays = { schema: "DeadLettersReplays", action: "run", records: 4, rows };
  const console: Console = (method) => (method === "GET" ? { body: found } : { status: 202, body: replays });
  const options = { reason, id: "run", together: true } as const;
  const { exit, posts, lines } = await runAgainst(runDeadLettersReplay, console, options);
  const of = [uetr, "1:0"];
  expect(posts).toEqual([
    { method: "POST", path: "/replay", id: "run", body: { reason, of, isDryRun: true } },
    { method: "POST", path: "/replay", id: "run", body: { reason, of, records: 4 } },
  ]);
  expect([exit, lines.at(-1)]).toEqual([0, "4 records replayed as one decision"]);
  const proposed = { schema: "DecisionProposed", id: "run", state: "proposed", expiresAt: "2026-11-21T06:00:00.000Z" };
  const second: Console = (method, _path, body) => {
    if (method === "GET") return { body: found };
    return { status: 202, body: body?.["isDryRun"] === true ? replays : proposed };
  };
  expect((await runAgainst(runDeadLettersReplay, second, options)).lines[0]).toContain("2 replays, 4 records: proposed as run");
});

test("list and show name both persons of a skip [D9.97]", async () => {
  const skip = { operator: "thandi", person: "thandi", confirmedBy: "sipho", action: "p", isDone: true };
  const listed = await runAgainst(runDeadLettersList, () => ({ body: { rows: [row("0:1", { skip })], next: null } }), {});
  expect(listed.lines.join("\n")).toContain("thandi, confirmed by sipho");
  const shown = await runAgainst(runDeadLettersShow, () => ({ body: row("0:1", { skip }) }), {}, "0:1");
  expect(shown.lines[0]).toContain("by thandi (p), confirmed by sipho");
});

test("replay takes each transaction once and other letters one by one, ignores skip requests, and prints each record's outcome", async () => {
  const asking = { skip: { operator: "thandi", action: "p", isDone: false } };
  const other = { service: "dispatcher", topic: "sluice.dispatch.v1" };
  const pages: Readonly<Record<string, object>> = {
    "": { rows: [row("0:1"), row("0:2"), row("0:3", asking)], next: "page-2" },
    "page-2": { rows: [row("1:0", other), row("1:1", { ...other, deadLetteredAt: "2026-11-20T07:00:00.001Z" })], next: null },
  };
  const { exit, posts, lines } = await runAgainst(
    runDeadLettersReplay,
    (method, path) => {
      if (method === "GET") return { body: pages[new URL(`http://x${path}`).searchParams.get("after") ?? ""] ?? {} };
      return replayed(path.startsWith("/transactions") ? [one, { ...one, offset: "8", isReadable: false }] : [one]);
    },
    { reason, id: "run", rate: "40/s", why: "value" },
  );
  expect(posts).toEqual([
    { method: "POST", path: `/transactions/${uetr}/replay`, body: { reason }, id: `run:${uetr}` },
    { method: "POST", path: "/dead-letters/1%3A0/replay", body: { reason }, id: "run:1:0" },
  ]);
  expect(exit).toBe(0);
  expect(lines).toHaveLength(4);
  expect(lines[1]).toContain("unreadable still");
  expect(lines[3]).toBe("3 records replayed, 0 refused");
});

test("a refusal is printed and the run continues; the exit code says that not everything was replayed", async () => {
  const refusal = {
    schema: "ErrorDetail",
    message: "Not possible now",
    detail: "not-quarantined: the transaction is not quarantined: it has no dead letters.",
  };
  const console: Console = (_method, path) => (path.includes(uetr) ? { status: 409, body: refusal } : replayed([one]));
  const { exit, lines } = await runAgainst(runDeadLettersReplay, console, { reason, rate: "40", json: true }, uetr.toUpperCase(), "0:4");
  expect(exit).toBe(1);
  expect(JSON.parse(lines.join("\n"))).toMatchObject({
    replayed: 1,
    refused: 1,
    stopped: null,
    rows: [
      { of: uetr, outcome: "refused", why: expect.stringContaining("not-quarantined") },
      { of: "0:4", outcome: "replayed" },
    ],
  });
});

test("replay --leave names the letters of one transaction that stay for good, and prints them as left [D9.99]", async () => {
  const answer = (): Answered =>
    replayed([
      { ...one, letter: "0:1", isReadable: false, outcome: "left" },
      { ...one, offset: "8" },
    ]);
  const { exit, posts, lines } = await runAgainst(runDeadLettersReplay, answer, { reason, leave: "0:1,journal:9" }, uetr);
  expect(posts).toMatchObject([{ path: `/transactions/${uetr}/replay`, body: { reason, leave: ["0:1", "journal:9"] } }]);
  expect([exit, lines[0], lines.at(-1)]).toEqual([
    0,
    expect.stringMatching(/ left .*offset 7$/),
    "1 records replayed, 1 left for good, 0 refused",
  ]);
  const refused = [["x", uetr], ["0:1"], ["0:1", "0:1"], ["0:1", uetr, uetr]] as const;
  for (const [leave, ...targets] of refused)
    await expect(runAgainst(runDeadLettersReplay, answer, { reason, leave }, ...targets)).rejects.toThrow("--leave");
});

test("a dry run asks for one and appends nothing", async () => {
  const { posts, lines } = await runAgainst(
    runDeadLettersReplay,
    () => ({ body: { rows: [{ ...one, outcome: "would-be-replayed" }] } }),
    { reason, "dry-run": true },
    "0:4",
  );
  expect(posts).toMatchObject([{ body: { reason, isDryRun: true } }]);
  expect(lines.at(-1)).toBe("1 records would be replayed, 0 refused");
});

test("if the console becomes unavailable the run ends and prints the letter after which to continue", { timeout: 60_000 }, async () => {
  let posts = 0;
  const console: Console = (method, path) => {
    if (method === "GET") {
      return path.includes("after=")
        ? { status: 503, body: { message: "Not available now", detail: "away" } }
        : { body: { rows: [row("0:1")], next: "page-2" } };
    }
    posts += 1;
    return replayed([one]);
  };
  const { exit, lines } = await runAgainst(runDeadLettersReplay, console, { reason });
  expect([exit, posts]).toEqual([1, 1]);
  expect(lines.at(-1)).toMatch(/^stopped: .*away; continue with --after after-0:1$/);
});

test("an invalid rate or letter, or a missing reason, is refused before anything is sent", async () => {
  const never: Console = () => {
    throw new Error("nothing is asked");
  };
  await expect(runAgainst(runDeadLettersReplay, never, { reason, rate: "0" }, "0:1")).rejects.toThrow("--rate");
  await expect(runAgainst(runDeadLettersReplay, never, { reason }, "letter")).rejects.toThrow("neither a UETR");
  await expect(runAgainst(runDeadLettersReplay, never, {}, "0:1")).rejects.toThrow("--reason");
});

test("a skip and a replay that need a second person are printed as proposals [D9 second-person]", async () => {
  const proposed = {
    status: 202,
    body: { schema: "DecisionProposed", id: "p-1", state: "proposed", expiresAt: "2026-11-21T06:00:00.000Z" },
  };
  const place = { service: "scheduler", partition: "3", offset: "118", reason };
  const skip = await runAgainst(runDeadLettersSkip, () => proposed, place);
  expect([skip.exit, skip.asked.length, skip.lines.join()]).toEqual([0, 1, expect.stringContaining("proposed as p-1")]);
  const replay = await runAgainst(runDeadLettersReplay, () => proposed, { reason }, uetr);
  expect([replay.exit, replay.lines]).toEqual([0, [expect.stringContaining("proposed as p-1"), expect.stringContaining("1 proposed")]]);
});
