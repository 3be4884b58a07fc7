// The clock over HTTP, on the control API's port. Only the mode `all` has it.
//
//   GET  /clock               { now, windows }
//   POST /clock/advance       { ms } moves the clock ahead, and answers as GET does once it shows the new time
//   POST /clock/open-window   moves the clock to the next opening, and answers once the window is open
//
// #1 It asks for no token: the process keeps nothing but what a test gave it.
// #2 A window that is open already is enough for `open-window`: the clock does not move.

import { Fault } from "@sluice/kernel";
import { problemResponse } from "@sluice/service";
import type { Store } from "@sluice/store";
import type { SteeredTime } from "./steered-time.ts";

export interface ClockApiPorts {
  readonly time: SteeredTime;
  readonly days: Pick<Store["days"], "open">;
}

interface ClockWindow {
  readonly day: string;
  readonly number: number;
  readonly opensAtMs: number;
  readonly closesAtMs: number;
  readonly isOpen: boolean;
}

/** Milliseconds of one move: four weeks. */
const advanceMaxMs = 28 * 24 * 3_600_000;
const bodyCharactersMax = 1_000;
/** Milliseconds of the clock until an opening has become a fact, and between two looks. */
const openingMaxMs = 60_000;
const lookMs = 50;

export function isClockPath({ url }: Request): boolean {
  return /^\/clock(\/|$)/.test(new URL(url).pathname);
}

export function createClockApi(ports: ClockApiPorts): { fetch(request: Request): Promise<Response> } {
  return {
    async fetch(request) {
      const name = `${request.method} ${new URL(request.url).pathname}`;
      try {
        if (name === "GET /clock") return await show(ports);
        if (name === "POST /clock/advance") return await advance(ports, await request.text());
        if (name === "POST /clock/open-window") return await openWindow(ports);
      } catch (error) {
        if (error instanceof Fault) return conflict(error);
        throw error;
      }
      return problemResponse(404, "Not found", "Here are GET /clock, POST /clock/advance and POST /clock/open-window.");
    },
  };
}

async function show(ports: ClockApiPorts): Promise<Response> {
  const windows = (await listWindows(ports)).map(({ opensAtMs, closesAtMs, ...window }) => ({
    ...window,
    opens: new Date(opensAtMs).toISOString(),
    closes: new Date(closesAtMs).toISOString(),
  }));
  return Response.json({ now: new Date(ports.time.nowMs()).toISOString(), windows });
}

async function advance(ports: ClockApiPorts, body: string): Promise<Response> {
  const ms = body.length > bodyCharactersMax ? null : readMs(body);
  if (ms === null) return problemResponse(400, "Invalid request", `ms: a number of milliseconds from 0 to ${advanceMaxMs}.`);
  await ports.time.advance(ms);
  return await show(ports);
}

function readMs(body: string): number | null {
  try {
    const given: unknown = JSON.parse(body);
    const ms: unknown = typeof given === "object" && given !== null && "ms" in given ? given.ms : null;
    return typeof ms === "number" && ms >= 0 && ms <= advanceMaxMs ? ms : null;
  } catch {
    return null;
  }
}

async function openWindow(ports: ClockApiPorts): Promise<Response> {
  const windows = await listWindows(ports);
  if (windows.some(({ isOpen }) => isOpen)) return await show(ports);
  const next = windows.filter(({ closesAtMs }) => closesAtMs > ports.time.nowMs()).toSorted((a, b) => a.opensAtMs - b.opensAtMs)[0];
  if (next === undefined) return problemResponse(409, "No window", "No window is planned that has not closed.");
  await ports.time.advance(Math.max(0, next.opensAtMs - ports.time.nowMs()));
  for (let waitedMs = 0; waitedMs < openingMaxMs; waitedMs += lookMs) {
    const found = (await listWindows(ports)).find(({ day, number }) => day === next.day && number === next.number);
    if (found?.isOpen === true) return await show(ports);
    await ports.time.advance(lookMs);
  }
  return problemResponse(409, "No window", `The window ${next.day} ${next.number} did not open.`);
}

/** Lists the windows of the days that are planned and not reconciled. */
async function listWindows({ days }: ClockApiPorts): Promise<readonly ClockWindow[]> {
  return (await days.open()).flatMap(({ key, plan, opened, closed }) =>
    plan.windows.map(({ number, opensAtMs, closesAtMs }) => ({
      day: key,
      number,
      opensAtMs,
      closesAtMs,
      isOpen: opened.includes(number) && !closed.includes(number),
    })),
  );
}

function conflict(fault: Fault): Response {
  return problemResponse(409, "The clock did not move as far", fault.message);
}
