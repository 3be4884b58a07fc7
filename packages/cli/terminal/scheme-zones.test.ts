import { expect, test } from "vitest";
import { runExtend } from "../verbs/deciding/day-decisions.ts";
import { runWindows } from "../verbs/reading/windows.ts";
import { buildCall, createFakeConsole } from "./console.fixture.ts";

const me = { schema: "Me", schemes: [{ id: "ZA_EFT", zone: "Africa/Johannesburg" }] };
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

test("a close is extended to a time of the scheme's zone", async () => {
  expect(await extend("16:30", me)).toMatchObject([{ closesAt: "2026-11-20T16:30:00+02:00" }]);
});

test.each(["25:00", "16:30"])("%s is refused where it is no time, or where the zone is not known", async (given) => {
  await expect(extend(given, given === "25:00" ? me : {})).rejects.toThrow("with its offset");
});
