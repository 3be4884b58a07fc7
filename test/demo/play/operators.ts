// Plays the operators of the demo day through the console's control API, as the command line uses it. On a secured day
// they sign in at a provider, and decide by the console's pages. One opens a gate over a credit that keeps it closed.
// After the close one resolves the reconciliation list, and a second one confirms each resolution.
//
// #1 They decide only by what the console shows: the credits that a gate waits for, and the items of the list.

import {
  getArray,
  fetchFromConsole,
  getMember,
  getNumber,
  postDecision,
  getText,
  pollConsole,
  type ConsoleClientPorts,
} from "./console-client.ts";
import type { DemoOperator } from "../environment/configuration.ts";
import { closedGateBankId, type DemoDay, type DemoTimes } from "../plan/day.ts";
import { type Narrator, shortUetr } from "../narrator.ts";

export interface OperatorsPorts extends ConsoleClientPorts {
  readonly day: DemoDay;
  readonly times: DemoTimes;
  readonly narrator: Narrator;
}

/** The gate of one bank stays closed after the declaration. The first operator reads why and opens it. */
export async function openGateAsOperator(ports: OperatorsPorts): Promise<readonly string[]> {
  const { narrator, times, operators } = ports;
  const [operator] = operators;
  const gate = await pollConsole(ports, async () => {
    const windows = await fetchFromConsole(ports, operator, `/windows?scheme=ZA_EFT&from=${times.businessDate}&to=${times.businessDate}`);
    return parseGates(windows).find(({ bank, credits }) => bank === closedGateBankId && credits.length > 0) ?? null;
  });
  if (gate === null) return [`the console never showed which credit keeps the gate of ${closedGateBankId} closed`];
  narrator.say("console", `the gate of ${closedGateBankId} is closed: ${gate.reason}`);
  const reason = "The bank booked it and cannot report today; reported by telephone.";
  narrator.say(operator?.name ?? "", `opens it over ${gate.credits.map(shortUetr).join(", ")}: “${reason}”`);
  const path = `/days/ZA_EFT/${times.businessDate}/gate-opening`;
  const page = `/decide/openGate?scheme=ZA_EFT&date=${times.businessDate}&bank=${closedGateBankId}`;
  const body = { reason, bank: closedGateBankId, credits: gate.credits };
  return postDecision(ports, operator, { path, id: "demo-gate", body, form: { page, fields: {} } });
}

/** What the rows of this day's list mean. */
const rowTexts: Readonly<Record<number, string>> = { 7: "never answered", 9: "acknowledged, but never reported" };

/**
 * The findings come from the day's plan; an item that it has none for is left open. The second operator confirms what
 * the list shows as proposed.
 */
export async function resolveItems(ports: OperatorsPorts): Promise<readonly string[]> {
  const { narrator, day, times, operators } = ports;
  const [first, second] = operators;
  const all = await openItems(ports, first);
  const list = all.filter(({ uetr }) => day.transactions.find((transaction) => transaction.uetr === uetr)?.end.found !== null);
  narrator.say("console", `the reconciliation list has ${all.length} open items`);
  const problems: string[] = [];
  const dayShown = `ZA_EFT:${times.businessDate}`;
  for (const { uetr, row } of list) {
    const resolution = day.transactions.find((transaction) => transaction.uetr === uetr)?.end.found ?? "NOT_MADE";
    const reason = resolution === "MADE" ? "The bank found it booked." : "The bank never had it.";
    narrator.say(first?.name ?? "", `${shortUetr(uetr)}, ${rowTexts[row ?? 0] ?? `row ${row}`}: “${reason}”`);
    const body = { reason, day: dayShown, resolution };
    const form = { page: `/decide/resolveItem?uetr=${uetr}&day=${dayShown}`, fields: { resolution } };
    problems.push(...(await postDecision(ports, first, { path: `/transactions/${uetr}/resolution`, id: `demo-${uetr}`, body, form })));
  }
  const proposed = await pollConsole(ports, async () => {
    const items = (await openItems(ports, second)).filter(({ uetr }) => list.some((one) => one.uetr === uetr));
    return items.every(({ proposal }) => proposal !== null) ? items : null;
  });
  for (const { uetr, proposal } of proposed ?? []) {
    const body = { reason: "Seen and agreed.", ...proposal };
    const form = { page: `/decide/confirmResolution?uetr=${uetr}&day=${dayShown}`, fields: {} };
    const path = `/transactions/${uetr}/resolution/confirmation`;
    problems.push(...(await postDecision(ports, second, { path, id: `demo-${uetr}-2`, body, form })));
  }
  if (list.length > 0) narrator.say(second?.name ?? "", `confirms ${list.length === all.length ? "all " : ""}${proposed?.length ?? 0}`);
  if (list.length < all.length) narrator.say("console", `${all.length - list.length} items stay open, for you`);
  return problems;
}

interface ItemShown {
  readonly uetr: string;
  readonly row: number | null;
  /** What waits for a second person; null before the first decision. */
  readonly proposal: { readonly offset: string; readonly contentSha256: string } | null;
}

async function openItems(ports: OperatorsPorts, operator: DemoOperator | undefined): Promise<readonly ItemShown[]> {
  const body = await fetchFromConsole(ports, operator, `/reconciliation?day=ZA_EFT:${ports.times.businessDate}&open=true&limit=1000`);
  return getArray(body, "rows").map((row) => {
    const resolution = getMember(row, "resolution");
    const [offset, contentSha256] = [getText(resolution, "offset"), getText(resolution, "contentSha256")];
    return { uetr: getText(row, "uetr"), row: getNumber(row, "row"), proposal: offset === "" ? null : { offset, contentSha256 } };
  });
}

interface GateShown {
  readonly bank: string;
  readonly reason: string;
  readonly credits: readonly string[];
}

function parseGates(body: unknown): readonly GateShown[] {
  return getArray(body, "rows")
    .flatMap((day) => getArray(day, "gates"))
    .map((gate) => ({
      bank: getText(gate, "bank"),
      reason: getText(gate, "reason"),
      credits: getArray(gate, "credits").map(String),
    }));
}
