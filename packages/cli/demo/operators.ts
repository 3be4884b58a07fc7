// The people of the demo day, through the console's control API as the command line uses it: one opens a gate over a credit that keeps it closed; when
// the day is over they go through the reconciliation list, and a second one confirms each resolution.
//
// #1 What they do they do by what they are shown: the credits that a gate waits for, the items of the list.
// #2 Each decision has an id of its own and is sent until it is answered: a console that is away for a moment changes nothing.

import { Fault, sleep, type Time } from "@sluice/runtime";
import type { DemoOperator } from "./demo-configuration.ts";
import { gateKeptBy, type DemoDay, type DemoTimes } from "./demo-day.ts";
import type { Narrator } from "./narrator.ts";
import { short } from "./narrator.ts";

export interface OperatorsPorts {
  readonly time: Time;
  readonly day: DemoDay;
  readonly times: DemoTimes;
  readonly operators: readonly DemoOperator[];
  readonly controlUrl: string;
  readonly narrator: Narrator;
  readonly signal: AbortSignal;
}

const lookAgainMs = 400;
const answerTimeoutMs = 5_000;
const waitMaxMs = 60_000;
const accepted = 202;

/** The gate of one bank stays closed after the declaration; the first operator sees why, and opens it. */
export async function openGateByHand(ports: OperatorsPorts): Promise<readonly string[]> {
  const { narrator, times, operators } = ports;
  const [operator] = operators;
  const gate = await until(ports, async () => {
    const windows = await get(ports, operator, `/windows?scheme=ZA_EFT&from=${times.businessDate}&to=${times.businessDate}`);
    return gatesIn(windows).find(({ bank, credits }) => bank === gateKeptBy && credits.length > 0) ?? null;
  });
  if (gate === null) return [`nobody was shown which credit keeps the gate of ${gateKeptBy} closed`];
  narrator.say("console", `the gate of ${gateKeptBy} is closed: ${gate.reason}`);
  const reason = "The bank booked it and cannot report today; told by telephone.";
  narrator.say(operator?.name ?? "", `opens it over ${gate.credits.map(short).join(", ")}: “${reason}”`);
  const path = `/days/ZA_EFT/${times.businessDate}/gate-opening`;
  return post(ports, operator, { path, id: "demo-gate", body: { reason, bank: gateKeptBy, credits: gate.credits } });
}

/** What was found out is what the day's plan says. The second person confirms what the list shows as proposed. */
export async function resolveItems(ports: OperatorsPorts): Promise<readonly string[]> {
  const { narrator, day, times, operators } = ports;
  const [first, second] = operators;
  const list = await openItems(ports, first);
  narrator.say("console", `the reconciliation list has ${list.length} open items`);
  const problems: string[] = [];
  for (const { uetr, row } of list) {
    const resolution = day.transactions.find((transaction) => transaction.uetr === uetr)?.end.found ?? "NOT_MADE";
    const reason = resolution === "MADE" ? "The bank found it booked." : "The bank never had it.";
    narrator.say(first?.name ?? "", `${short(uetr)}, row ${row ?? "?"}: ${resolution}, “${reason}”`);
    const body = { reason, day: `ZA_EFT:${times.businessDate}`, resolution };
    problems.push(...(await post(ports, first, { path: `/transactions/${uetr}/resolution`, id: `demo-${uetr}`, body })));
  }
  const proposed = await until(ports, async () => {
    const items = await openItems(ports, second);
    return items.every(({ proposal }) => proposal !== null) ? items : null;
  });
  for (const { uetr, proposal } of proposed ?? []) {
    const body = { reason: "Seen and agreed.", confirms: proposal };
    problems.push(...(await post(ports, second, { path: `/transactions/${uetr}/resolution/confirmation`, id: `demo-${uetr}-2`, body })));
  }
  if (list.length > 0) narrator.say(second?.name ?? "", `confirms all ${proposed?.length ?? 0}`);
  return problems;
}

interface ItemShown {
  readonly uetr: string;
  readonly row: number | null;
  /** Id of the action that waits for a second person; null: nobody said anything yet. */
  readonly proposal: string | null;
}

async function openItems(ports: OperatorsPorts, operator: DemoOperator | undefined): Promise<readonly ItemShown[]> {
  const body = await get(ports, operator, `/reconciliation?day=ZA_EFT:${ports.times.businessDate}&open=true&limit=1000`);
  return arrayAt(body, "rows").map((row) => {
    const proposal = textAt(memberAt(memberAt(row, "resolution"), "action"), "id");
    return { uetr: textAt(row, "uetr"), row: numberAt(row, "row"), proposal: proposal === "" ? null : proposal };
  });
}

interface GateShown {
  readonly bank: string;
  readonly reason: string;
  readonly credits: readonly string[];
}

function gatesIn(body: unknown): readonly GateShown[] {
  return arrayAt(body, "rows")
    .flatMap((day) => arrayAt(day, "gates"))
    .map((gate) => ({
      bank: textAt(gate, "bank"),
      reason: textAt(gate, "reason"),
      credits: arrayAt(gate, "credits").map(String),
    }));
}

function memberAt(value: unknown, name: string): unknown {
  return typeof value === "object" && value !== null ? Reflect.get(value, name) : undefined;
}

function arrayAt(value: unknown, name: string): readonly unknown[] {
  const member = memberAt(value, name);
  return Array.isArray(member) ? member : [];
}

function textAt(value: unknown, name: string): string {
  const member = memberAt(value, name);
  return typeof member === "string" ? member : "";
}

function numberAt(value: unknown, name: string): number | null {
  const member = memberAt(value, name);
  return typeof member === "number" ? member : null;
}

/** Null: the time for it is over. */
async function until<T>({ time, signal }: OperatorsPorts, look: () => Promise<T | null>): Promise<T | null> {
  const deadlineMs = time.monotonicMs() + waitMaxMs;
  while (!signal.aborted && time.monotonicMs() < deadlineMs) {
    const found = await look();
    if (found !== null) return found;
    await sleep(time, lookAgainMs, signal);
  }
  return null;
}

interface Asked {
  readonly path: string;
  readonly id: string;
  readonly body: object;
}

/** #2. What is refused is a problem of the demo. */
async function post(ports: OperatorsPorts, operator: DemoOperator | undefined, { path, id, body }: Asked): Promise<readonly string[]> {
  const headers = { "content-type": "application/json", "idempotency-key": id };
  const answer = await until(ports, () => ask(ports, operator, path, { method: "POST", headers, body: JSON.stringify(body) }));
  if (answer?.status === accepted) return [];
  return [`${operator?.name ?? "nobody"}: ${path} was answered ${answer === null ? "nothing" : `${answer.status} ${answer.text}`}`];
}

async function get(ports: OperatorsPorts, operator: DemoOperator | undefined, path: string): Promise<unknown> {
  const answer = await until(ports, () => ask(ports, operator, path, { method: "GET" }));
  if (answer === null) throw new Fault("demo.no-console", `the console did not answer ${path}`, { isRetryable: false });
  if (answer.status !== 200)
    throw new Fault("demo.no-console", `${path} was answered ${answer.status} ${answer.text}`, { isRetryable: false });
  const body: unknown = JSON.parse(answer.text);
  return body;
}

/** Null: not reached, or not now. */
async function ask(
  { controlUrl, time }: OperatorsPorts,
  operator: DemoOperator | undefined,
  path: string,
  { headers = {}, ...request }: { readonly method: string; readonly headers?: Readonly<Record<string, string>>; readonly body?: string },
): Promise<{ readonly status: number; readonly text: string } | null> {
  try {
    const authorization = `Bearer ${operator?.token ?? ""}`;
    const tooLate = new AbortController();
    using _timer = time.after(answerTimeoutMs, () => tooLate.abort());
    const answer = await fetch(`${controlUrl}${path}`, { ...request, headers: { ...headers, authorization }, signal: tooLate.signal });
    return answer.status >= 500 ? null : { status: answer.status, text: await answer.text() };
  } catch {
    return null;
  }
}
