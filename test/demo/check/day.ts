// Compares the demo day with its plan, by the store and the banks' records. This comes in addition to the checker's
// promises.
//
// #1 Every debit and credit was accepted, ended in the planned state, and is on the reconciliation list exactly if
//    planned, under the planned row.
// #2 Its bank received all its events: stage versions 1 to n without a gap, first arrivals in order, with the states of
//    the snapshot.
// #3 The connector received and acknowledged the planned outcome reports.
// #4 A UETR has at most one inbound debit or credit, always with the same bytes and the posted amount, digit for digit;
//    a refused one has none.
// #5 Per bank the sums balance: accepted = completed + rejected + unpaid + reconciled.
// #6 The banks received nothing else.
// #7 An item carries what the operators found, confirmed by a second one; for a credit or an off-us debit the connector
//    received it too.

import type { Transaction } from "@sluice/domain";
import type { RecordedRequest } from "@sluice/testkit";
import type { DemoDay, DemoTransaction } from "../plan/day.ts";

export interface DayEvidence {
  readonly day: DemoDay;
  /** Latest snapshots, by UETR. */
  readonly snapshots: ReadonlyMap<string, Transaction>;
  /** Everything that the simulated parties sent and received, in order per party. */
  readonly requests: readonly RecordedRequest[];
}

/** Operation by which a transaction reaches Sluice, by flow. */
export const operationByFlow = {
  "on-us": "outboundDirectDebit",
  "off-us": "inboundDirectDebit",
  credit: "inboundCreditTransferAuthorization",
} as const;

/** Returns one sentence for each problem; none if the day went as planned, but for the debits that are late. */
export function checkDay(evidence: DayEvidence, isResolved: boolean, late: ReadonlySet<string> = new Set()): readonly string[] {
  const byUetr = Map.groupBy(evidence.requests, ({ entry }) => entry.uetr);
  const problems = evidence.day.transactions.flatMap((debit) => {
    if (late.has(debit.uetr)) return [];
    const requests = byUetr.get(debit.uetr) ?? [];
    const snapshot = evidence.snapshots.get(debit.uetr);
    const found = [
      ...checkEnd(debit, snapshot, requests),
      ...checkEvents(snapshot, requests),
      ...checkInbound(debit, requests),
      ...checkOutcomes(debit, requests, isResolved),
      ...(isResolved ? checkResolved(debit, snapshot) : []),
    ];
    return found.map((text) => `${debit.bank} ${debit.kind} ${debit.uetr}: ${text}`);
  });
  const planned = new Set(evidence.day.transactions.map(({ uetr }) => uetr));
  const strangers = [...byUetr.keys()]
    .filter((uetr) => !planned.has(uetr) && !uetr.includes(":"))
    .map((uetr) => `a bank was sent ${uetr}, which nobody posted`);
  return [...problems, ...strangers, ...checkSums(evidence)];
}

function checkEnd(debit: DemoTransaction, snapshot: Transaction | undefined, requests: readonly RecordedRequest[]): readonly string[] {
  const problems: string[] = [];
  const accepted = requests.filter(
    ({ entry }) => entry.kind === "sent" && entry.operation === operationByFlow[debit.flow] && entry.status === 202,
  );
  if (accepted.length < debit.posts) problems.push(`posted ${debit.posts} times, answered 202 ${accepted.length} times`);
  if (snapshot === undefined) return [...problems, "is not in the store"];
  if (snapshot.state !== debit.end.state) problems.push(`ended ${snapshot.state}, planned ${debit.end.state}`);
  const rows = snapshot.items.filter(({ settledAtMs }) => settledAtMs === null).map(({ row }) => row);
  if (debit.end.row === null && rows.length > 0) problems.push(`is on the reconciliation list (row ${rows.join(", ")})`);
  if (debit.end.row !== null && (rows.length !== 1 || rows[0] !== debit.end.row)) {
    problems.push(
      `should be on the reconciliation list once under row ${debit.end.row}, found ${rows.length === 0 ? "none" : `row ${rows.join(", ")}`}`,
    );
  }
  const repeats = snapshot.observations.last.filter(({ kind }) => kind === "repeat").length;
  if (debit.posts === 2 && repeats === 0) problems.push("was posted twice, but no repeat is recorded");
  return problems;
}

function checkEvents(snapshot: Transaction | undefined, requests: readonly RecordedRequest[]): readonly string[] {
  if (snapshot === undefined) return [];
  const firsts: string[] = [];
  const acknowledged = new Set<string>();
  for (const { entry } of requests) {
    if (entry.kind !== "received" || entry.operation !== "events") continue;
    const named = `${entry.stageVersion} ${entry.state}`;
    if (!firsts.includes(named)) firsts.push(named);
    if (entry.status === 202) acknowledged.add(named);
  }
  const expected = snapshot.transitions.map(({ stageVersion, state }) => `${stageVersion} ${state}`);
  const isComplete = expected.every((named, place) => acknowledged.has(named) && named.startsWith(`${place + 1} `));
  if (isComplete && firsts.join() === expected.join()) return [];
  return [`its bank should have received the events ${expected.join(", ")}, it received ${firsts.join(", ") || "none"}`];
}

function checkInbound(debit: DemoTransaction, requests: readonly RecordedRequest[]): readonly string[] {
  const operation = debit.flow === "credit" ? "inboundCreditTransferAuthorization" : "inboundDirectDebit";
  const inbound = requests.filter(({ entry }) => entry.kind === "received" && entry.operation === operation);
  const isRefused = debit.end.state === "REJECTION_REPORTED" || debit.end.state === "CREDIT_AUTH_REJECTED";
  if (isRefused) return inbound.length === 0 ? [] : ["was refused, but sent to the bank nevertheless"];
  const effects = new Set(inbound.map(({ entry }) => `${entry.kind === "received" ? entry.webhookId : ""} ${entry.bodyHash}`));
  if (effects.size !== 1) return [`should have reached its bank as one message, it came as ${effects.size}`];
  const body = new TextDecoder().decode(inbound[0]?.body);
  return body.includes(`"value":${debit.amount},`) ? [] : [`was posted over ${debit.amount}, but the bank received another amount`];
}

const codeByFinding = { MADE: "ACSC", NOT_MADE: "RJCT" } as const;

/**
 * #3, #7. Outcome reports have identifications that count from 1; the operators' findings come after the planned ones.
 */
function checkOutcomes({ uetr, flow, end }: DemoTransaction, requests: readonly RecordedRequest[], isResolved: boolean): readonly string[] {
  const isFindingReported = isResolved && end.found !== null && flow !== "on-us";
  const codes = [...end.outcomeCodes, ...(isFindingReported && end.found !== null ? [codeByFinding[end.found]] : [])];
  const expected = new Set(codes.map((_, index) => outcomeIdentification(uetr, index)));
  const received = requests.filter(({ entry }) => entry.kind === "received" && entry.webhookId.startsWith(`${uetr.replaceAll("-", "")}O`));
  const others = received.filter(({ entry }) => entry.kind === "received" && !expected.has(entry.webhookId));
  if (others.length > 0) return ["the connector received an outcome report that was not planned"];
  return codes.flatMap((code, index) => {
    const those = received.filter(({ entry }) => entry.kind === "received" && entry.webhookId === outcomeIdentification(uetr, index));
    if (!those.some(({ entry }) => entry.status === 202)) return [`the connector did not acknowledge outcome ${index + 1}`];
    const body = new TextDecoder().decode(those[0]?.body);
    return body.includes(`"code":"${code}"`) ? [] : [`the connector did not receive ${code}`];
  });
}

function outcomeIdentification(uetr: string, index: number): string {
  return `${uetr.replaceAll("-", "")}O${index + 1}`;
}

function checkResolved({ end }: DemoTransaction, snapshot: Transaction | undefined): readonly string[] {
  if (end.found === null) return [];
  const resolution = snapshot?.items.find(({ settledAtMs }) => settledAtMs === null)?.resolution ?? null;
  const kind = resolution?.kind.toUpperCase().replace("-", "_");
  if (resolution?.isFinal !== true) return ["its item is not resolved"];
  return kind === end.found ? [] : [`its item was resolved ${kind}, ${end.found} was planned`];
}

function checkSums({ day, snapshots }: DayEvidence): readonly string[] {
  return day.banks.flatMap(({ id }) => {
    const debits = day.transactions.filter(({ bank }) => bank === id);
    const posted = debits.reduce((sum, { amount }) => sum + tenThousandths(amount), 0n);
    const ended = debits.reduce((sum, { uetr }) => sum + (snapshots.get(uetr)?.amountTenThousandths ?? 0n), 0n);
    return posted === ended
      ? []
      : [`${id}: debits and credits over ${decimalText(posted)} were posted, those in the store are over ${decimalText(ended)}`];
  });
}

/** Converts decimal text with at most four digits after the point. */
function tenThousandths(amount: string): bigint {
  const [whole = "0", fraction = ""] = amount.split(".");
  return BigInt(whole + fraction.padEnd(4, "0"));
}

/** Formats an amount with two digits after the point. */
export function decimalText(tenThousandths: bigint): string {
  const cents = String(tenThousandths / 100n).padStart(3, "0");
  return `${cents.slice(0, -2)}.${cents.slice(-2)}`;
}
