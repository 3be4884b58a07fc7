import { expect, test } from "vitest";
import { runExtend } from "../verbs/deciding/day-decisions.ts";
import { runWindows } from "../verbs/reading/windows.ts";
import { buildCall, createFakeConsole } from "./console.fixture.ts";

const me = { schema: "Me", asOf: "2026-11-20T10:46:30.250Z", schemes: [{ id: "ZA_EFT", zone: "Africa/Johannesburg" }] };
const accepted = { schema: "ActionAccepted", action: "a-1", key: "k", partition: 0, offset: "1" };

function planned(date: string) {
  const window = { number: 1, state: "planned", opens: `${date}T06:00:00.000Z`, closes: `${date}T14:00:00.000Z` };
  const gates = [{ bank: "first", isOpen: false, reason: "credits not declared" }];
  return { day: `ZA_EFT:${date}`, windows: [window], reconciliation: { closes: `${date}T15:30:00.000Z` }, gates, putBacks: [] };
}

async function extend(closesAt: string, zones: object) {
  const console = createFakeConsole([{ ...zones }, accepted, { schema: "Action", result: "applied", why: null }]);
  const sent: unknown[] = [];
  const where = {
    ...console.where,
    fetch: (url: string, request: RequestInit) => {
      if (typeof request.body === "string") sent.push(JSON.parse(request.body));
      return console.where.fetch(url, request);
    },
  };
  await runExtend(buildCall({ window: "1", "closes-at": closesAt, reason: "late" }, "ZA_EFT:2026-11-20"), where);
  return sent;
}

test("windows says the times of the scheme's zone, and does not repeat the gates of the days ahead", async () => {
  const console = createFakeConsole([{ rows: [planned("2026-11-20"), planned("2026-11-21")] }, me]);
  await runWindows(buildCall(), console.where);
  const lines = console.text().split("\n");
  expect(lines[0]).toBe("ZA_EFT:2026-11-20  08:00 to 16:00, reconciliation 17:30 (Africa/Johannesburg)");
  expect(lines.filter((line) => line.includes("gate"))).toEqual([
    "  gate of first  closed: credits not declared",
    "  gates as on the day before",
  ]);
});

test("each line of a day has the scheme's local time and UTC, and says where either is on another date", async () => {
  const [window] = planned("2026-11-20").windows;
  const late = {
    ...window,
    state: "closed",
    openedAt: "2026-11-20T06:00:05.000Z",
    closes: "2026-11-20T22:30:00.000Z",
    closedAt: "2026-11-21T00:00:00Z",
  };
  const putBacks = [{ window: 1, closes: "2026-11-20T22:30:00.000Z", operator: "me", confirmedBy: null, reason: "late file" }];
  const console = createFakeConsole([{ rows: [{ ...planned("2026-11-20"), windows: [late], putBacks }] }, me]);
  await runWindows(buildCall(), console.where);
  const text = console.text();
  expect(text).toContain(
    "  window 1  08:00 (06:00 UTC), opened 08:00:05 (06:00:05 UTC), to +1d 00:30 (22:30 UTC), closed +1d 02:00 (+1d 00:00 UTC)  closed\n",
  );
  expect(text).toContain("  reconciliation  closes 17:30 (15:30 UTC), closes in 4h 43m\n");
  expect(text).toContain("  extended  window 1 to +1d 00:30 (22:30 UTC) by me: late file\n");
});

test("windows says how long until each opens and closes, and what is held for each bank", async () => {
  const today = planned("2026-11-20");
  const open = { ...today, windows: today.windows.map((window) => ({ ...window, state: "open" })) };
  const held = { day: "ZA_EFT:2026-11-20", bank: "first", currency: "ZAR" };
  const rows = [
    { ...held, count: 4, sum: "5002.00" },
    { ...held, bank: "second", count: 1, sum: "1.00" },
  ];
  const console = createFakeConsole([{ rows: [open, planned("2026-11-21"), planned("2026-11-23")] }, me, { rows }]);
  await runWindows(buildCall(), console.where);
  const lines = console
    .text()
    .split("\n")
    .filter((line) => !line.includes("gate"));
  expect(lines).toEqual([
    expect.stringMatching(/^ZA_EFT:2026-11-20/),
    expect.stringMatching(/16:00 \(14:00 UTC\) {2}open, closes in 3h 13m$/),
    expect.stringMatching(/reconciliation .*, closes in 4h 43m$/),
    "  held for first  4 debits, 5002.00 ZAR",
    "  held for second  1 debit, 1.00 ZAR",
    expect.stringMatching(/^ZA_EFT:2026-11-21/),
    expect.stringMatching(/planned, opens in 19h 13m$/),
    expect.stringMatching(/reconciliation {2}closes 17:30 \(15:30 UTC\)$/),
    expect.stringMatching(/^ZA_EFT:2026-11-23/),
    expect.stringMatching(/planned$/),
    expect.stringMatching(/reconciliation {2}closes 17:30 \(15:30 UTC\)$/),
    "",
  ]);
});

test("windows says that a window should have opened, and that it does not know what is held", async () => {
  const console = createFakeConsole([{ rows: [planned("2026-11-20")] }, me, { status: 503, body: {} }]);
  await runWindows(buildCall(), console.where);
  expect(console.text()).toContain("planned, was to open 4h 46m ago");
  expect(console.text()).toContain("held  not known");
});

test("a close is extended to a time of the scheme's zone", async () => {
  expect(await extend("16:30", me)).toMatchObject([{ closesAt: "2026-11-20T16:30:00+02:00" }]);
});

test.each(["25:00", "16:30"])("%s is refused where it is no time, or where the zone is not known", async (given) => {
  await expect(extend(given, given === "25:00" ? me : {})).rejects.toThrow("with its offset");
});
