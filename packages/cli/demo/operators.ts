// The people of the demo day, through the console's control API as the command line uses it: one opens a gate over a credit that keeps it closed; when
// the day is over they go through the reconciliation list, and a second one confirms each resolution.
//
// What they do they do by what they are shown: the credits that a gate waits for, the items of the list.

import { arrayAt, get, memberAt, numberAt, post, textAt, until, type ConsolePorts } from "./console-calls.ts";
import type { DemoOperator } from "./demo-configuration.ts";
import { gateKeptBy, type DemoDay, type DemoTimes } from "./demo-day.ts";
import type { Narrator } from "./narrator.ts";
import { short } from "./narrator.ts";

export interface OperatorsPorts extends ConsolePorts {
  readonly day: DemoDay;
  readonly times: DemoTimes;
  readonly narrator: Narrator;
}

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
