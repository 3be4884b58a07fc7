import { mkdtemp, readFile, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { buildCall, createFakeConsole } from "./console.fixture.ts";
import type { RunControlVerb } from "./control-client.ts";
import { cutLines, showPaged } from "./pager.ts";
import { shown, toLocalTimes } from "./shown.ts";

const zone = "Africa/Johannesburg";
const saysWhen: RunControlVerb = (_call, where) => {
  where.out("held since 2026-11-20 06:00:05Z  next");
  return Promise.resolve(0);
};
const me = (...zones: readonly string[]) => ({ schemes: zones.map((one, index) => ({ id: `S${index}`, zone: one })) });

async function show(answer: object, flags: Readonly<Record<string, true>> = {}, isTerminal = true): Promise<string> {
  const { where, text } = createFakeConsole([{ ...answer }]);
  expect(await shown(saysWhen)(buildCall(flags), { ...where, isTerminal })).toBe(0);
  return text();
}

test("a person sees instants in the zone of the schemes, in line with what follows, and which zone it is", async () => {
  expect(await show(me(zone, zone))).toBe(`held since 2026-11-20 08:00:05   next\ntimes are those of ${zone}\n`);
});

test.each([
  ["the schemes have several zones", me(zone, "Europe/London"), {}, true],
  ["the console does not say", {}, {}, true],
  ["a program reads the output", me(zone), {}, false],
  ["--json is given", me(zone), { json: true }, true],
] as const)("instants stay in UTC where %s", async (_where, answer, flags, isTerminal) => {
  expect(await show(answer, flags, isTerminal)).toBe("held since 2026-11-20 06:00:05Z  next\n");
});

test("milliseconds are kept, the date follows the zone, and what is no instant stays", () => {
  expect(toLocalTimes("2026-11-20T23:30:00.123Z", zone)).toBe("2026-11-21T01:30:00.123 ");
  expect(toLocalTimes("2026-11-20 ZA_EFT:2026-11-20 10:00", zone)).toBe("2026-11-20 ZA_EFT:2026-11-20 10:00");
});

test("lines are cut at the terminal's width", () => {
  expect(cutLines("12345\n123456", 5)).toBe("12345\n1234…");
});

test("a long or wide text goes through the pager, one that fits does not", async () => {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sluice-pager-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const seen = join(folder, "seen");
  const written: string[] = [];
  const screen = { columns: 10, rows: 4, write: (text: string) => void written.push(text) };
  const environment = { PATH: process.env["PATH"], PAGER: `sed s/^/p:/ >'${seen}'` };
  await showPaged("short", screen, environment);
  expect(written).toEqual(["short\n"]);
  await showPaged("a line that is wide", screen, environment);
  expect([await readFile(seen, "utf8"), written]).toEqual(["p:a line that is wide\n", ["short\n"]]);
  await showPaged("1\n2\n3\n4", screen, environment);
  expect(await readFile(seen, "utf8")).toBe("p:1\np:2\np:3\np:4\n");
});

test.each(["", "cat", "no-such-pager"])("without a pager, as with PAGER=%s, lines are cut", async (pager) => {
  const written: string[] = [];
  const screen = { columns: 10, rows: 4, write: (text: string) => void written.push(text) };
  await showPaged("a line that is wide", screen, { PATH: process.env["PATH"], PAGER: pager });
  expect(written).toEqual(["a line th…\n"]);
});
