import { createHash } from "node:crypto";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { runCalendarDiff } from "./calendar-diff.ts";
import { countHeld, type HeldOnDate } from "./calendar-held.ts";
import { runCalendarShow } from "./calendar-show.ts";
import { runCommandLine } from "../../terminal/command-line.ts";
import { createIndex, verbs } from "../../verbs.fixture.ts";

const runs = { "calendar show": runCalendarShow, "calendar diff": runCalendarDiff };
const isRun = (name: string): name is keyof typeof runs => name in runs;

const hash = createHash("sha256").update("only").digest("hex");
const bank = `banks:
  - { id: first, name: First, agents: [{ memberId: "1" }], tokenSha256: ["${hash}"], baseUrl: "https://first.invalid" }
`;
const page = readFileSync(new URL("../../../../docs/calendars.md", import.meta.url), "utf8");
const [, newPart = ""] = /```yaml\n([\s\S]*?)```/.exec(page) ?? [];

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "sluice-calendar-"));
  const files = {
    "old.yaml": bank,
    "new.yaml": newPart + bank,
    "berlin.yaml": `calendars: { de: { version: de/1, zone: Europe/Berlin, workingDays: [1, 2, 3, 4, 5, 6, 7] } }
schemes:
  - { calendar: de, processing: [{ opens: "02:00", closes: "03:00" }, { opens: "22:00", closes: "+1d 02:00:30" }], reconciliation: "+1d 04:00" }
  - { id: ZA_RTC }
${bank}`,
    "ended.yaml": `calendars: { de: { version: de/1, zone: UTC, workingDays: [1, 2, 3, 4, 5], validTo: "2026-12-30" } }\nschemes: [{ calendar: de }]\n${bank}`,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Runs the real command line with recorded output, and with a given answer to what is up. */
async function run(words: readonly string[], held: readonly HeldOnDate[] | null = null) {
  const said = { out: "", err: "" };
  const output = { out: (text: string) => (said.out += `${text}\n`), err: (text: string) => (said.err += `${text}\n`) };
  const where = {
    ...output,
    today: () => "2026-11-21",
    now: () => "2026-11-21T10:00:00Z",
    environment: {},
    upFile: () => Promise.resolve(join(folder, "berlin.yaml")),
    heldDebits: () => Promise.resolve(held),
  };
  const table = verbs.flatMap((verb) => {
    const { name } = verb;
    return isRun(name) ? [{ ...verb, run: (call: Parameters<typeof runCalendarShow>[0]) => runs[name](call, where) }] : [];
  });
  const inFolder = words.map((word) => (word.endsWith(".yaml") ? join(folder, word) : word));
  return { code: await runCommandLine(inFolder, createIndex(table), output), ...said };
}

const shown = async (...words: string[]) => (await run(["calendar", "show", ...words])).out.trimEnd().split("\n");
const buildHeldCount = (businessDate: string, ...counts: readonly number[]): HeldOnDate => ({
  scheme: "ZA_EFT",
  businessDate,
  banks: counts.map((count, index) => ({ bank: ["first", "second"][index] ?? "", count })),
});

const examples = [...page.matchAll(/```console\n\$ (.*)\n([\s\S]*?)```/g)].map(
  ([, command = "", answer = ""]) => [command, answer] as const,
);

describe("the page for operators", () => {
  test("has examples of every verb", () => {
    expect(new Set(examples.map(([command]) => command.split(" ").slice(1, 3).join(" ")))).toEqual(new Set(Object.keys(runs)));
  });

  test.each(examples)("the example prints what the page shows: %s", async (command, answer) => {
    const { out, err, code } = await run(command.split(" ").slice(1), [buildHeldCount("2026-12-28", 120), buildHeldCount("2026-12-29", 3)]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toBe(answer);
  });
});

describe("calendar show", () => {
  test("shows several windows, also over midnight, and those that a missing hour removes", async () => {
    const ends = (cutOff: string): string => `cut-off ${cutOff}; reconciliation +1d 04:00 (+1d 02:00 UTC)`;
    expect(await shown("--from", "2027-03-27", "--to", "2027-03-28")).toEqual([
      "ZA_EFT, calendar de/1, Europe/Berlin: local time (UTC)",
      `2027-03-27 Sat  1: 02:00-03:00 (01:00-02:00 UTC), 2: 22:00-+1d 03:00:30 (21:00-+1d 01:00:30 UTC); ${ends("+1d 01:45:30 (+1d 00:45:30 UTC)")}`,
      `2027-03-28 Sun  2: 22:00-+1d 02:00:30 (20:00-+1d 00:00:30 UTC), 1: no time, the hour is missing; ${ends("+1d 01:45:30 (23:45:30 UTC)")}`,
    ]);
  });

  test("from today on shows what is open now and what comes next", async () => {
    const [, now] = await shown("--to", "2026-11-21", "--config", "old.yaml");
    expect(now).toBe(
      "now, 2026-11-21 12:00 (10:00 UTC): window 1 of 2026-11-21 is open until 2026-11-21 16:00 (14:00 UTC); the next opens 2026-11-23 08:00 (06:00 UTC); " +
        "the next reconciliation close is 2026-11-21 17:30 (15:30 UTC)",
    );
    const { out } = await run(["calendar", "show", "--json", "--config", "ended.yaml"]);
    expect(JSON.parse(out)).toMatchObject({ now: { open: [], opening: { businessDate: "2026-11-23", utc: "2026-11-23T08:00:00Z" } } });
    expect((await shown("--from", "2026-11-21", "--to", "2026-11-21")).join()).not.toContain("now,");
  });

  test("for a scheme of credits only shows which dates are business dates", async () => {
    expect(await shown("--scheme", "ZA_RTC", "--from", "2026-12-25", "--to", "2026-12-25")).toEqual([
      "ZA_RTC, calendar za-every-day/1, Africa/Johannesburg: local time (UTC)",
      "2026-12-25 Fri  works, credits only",
    ]);
  });

  test("shows the last dates of a calendar, and that later dates are outside of it", async () => {
    const lines = await shown("--from", "2026-12-30", "--to", "2026-12-31", "--config", "ended.yaml");
    expect(lines[1]).toContain("08:00-16:00");
    expect(lines[2]).toBe("2026-12-31 Thu  closed: outside the calendar's dates of validity");
  });

  test("begins today and ends thirty days later, in JSON with every instant", async () => {
    const { out } = await run(["calendar", "show", "--json", "--config", "old.yaml"]);
    const answer: { readonly from: string; readonly to: string; readonly days: readonly unknown[] } = JSON.parse(out);
    expect(answer).toMatchObject({ scheme: "ZA_EFT", calendar: "za/2", zone: "Africa/Johannesburg", from: "2026-11-21", to: "2026-12-21" });
    expect(answer.days).toHaveLength(31);
    expect(answer.days.slice(0, 2)).toEqual([
      {
        date: "2026-11-21",
        calendarVersion: "za/2",
        closed: null,
        windows: [
          {
            number: 1,
            opens: { local: "2026-11-21T08:00:00+02:00", utc: "2026-11-21T06:00:00Z" },
            closes: { local: "2026-11-21T16:00:00+02:00", utc: "2026-11-21T14:00:00Z" },
          },
        ],
        voidWindows: [],
        cutOff: { local: "2026-11-21T15:45:00+02:00", utc: "2026-11-21T13:45:00Z" },
        reconciliation: { local: "2026-11-21T17:30:00+02:00", utc: "2026-11-21T15:30:00Z" },
      },
      expect.objectContaining({ date: "2026-11-22", closed: { kind: "weekday" }, windows: [] }),
    ]);
  });

  test.each([
    [["--from", "2026-02-30"], "--from is a date, YYYY-MM-DD"],
    [["--from", "2026-02-02", "--to", "2026-02-01"], "--to is before --from"],
    [["--from", "2026-01-01", "--to", "2028-01-11"], "at most 740 dates"],
    [["--scheme", "ZA_RPP"], "no scheme ZA_RPP"],
  ])("refuses %j in one line", async (words, why) => {
    const { code, err, out } = await run(["calendar", "show", ...words]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toContain(why);
  });
});

describe("calendar diff", () => {
  const diff = async (words: string, held: readonly HeldOnDate[] | null) =>
    (await run(["calendar", "diff", ...words.split(" ")], held)).out;

  test("of a file with itself shows that nothing changes, and says if nothing is up", async () => {
    expect(await diff("old.yaml old.yaml --to 2026-12-31", null)).toBe(
      "ZA_EFT: nothing changes from 2026-11-21 to 2026-12-31\nheld debits: nothing is up, so none were counted\n",
    );
    expect(await diff("old.yaml old.yaml --to 2026-12-31", [buildHeldCount("2026-12-28", 1)])).toContain("none is on a date that changes");
  });

  test("counts held debits by bank, even on dates that are not shown, and shows where they move", async () => {
    const held = [buildHeldCount("2026-12-28", 120, 4), buildHeldCount("2027-10-01", 7)];
    const answer: { readonly schema: string; readonly held: readonly unknown[] } = JSON.parse(
      await diff("old.yaml new.yaml --to 2026-11-30 --json", held),
    );
    expect(answer.schema).toBe("CalendarDifference");
    expect(answer.held).toEqual([
      { ...held[0], change: "removed", goTo: "2026-12-29" },
      { ...held[1], change: "times", goTo: null },
    ]);
  });

  test("reports debits after a calendar's end, which have no date to move to, and a scheme that is in one file only", async () => {
    const text = await diff("berlin.yaml ended.yaml --to 2026-12-31", [buildHeldCount("2026-12-31", 2)]);
    expect(text).toContain("ZA_EFT 2026-12-31 Thu  first 2; there is no date for them");
    expect(text).toContain("ZA_RTC: only in the old file");
  });
});

test("held debits, and no others, are counted over all partitions and pages, by scheme, date and bank", async () => {
  const row = (uetr: string, bankId: string, over: object = {}) => ({
    uetr,
    state: "HELD",
    scheme: "ZA_EFT",
    businessDate: "2026-12-28",
    bank: bankId,
    ...over,
  });
  const many = Array.from({ length: 10_001 }, (_, index) => row(`a${String(index).padStart(6, "0")}`, "first"));
  const partitions = [
    many,
    [row("b", "second"), row("c", "second", { state: "DELIVERED" }), row("d", "first", { businessDate: "2026-12-29" })],
  ];
  const open = (partition: number, after: string | null, limit: number) =>
    Promise.resolve((partitions[partition] ?? []).filter(({ uetr }) => after === null || uetr > after).slice(0, limit));
  expect(await countHeld({ open } as unknown as Parameters<typeof countHeld>[0], 2)).toEqual([
    buildHeldCount("2026-12-28", 10_001, 1),
    buildHeldCount("2026-12-29", 1),
  ]);
});
