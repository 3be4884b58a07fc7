// The credits-final gate of a business day: who may declare, what the partitions answer, and when the gate of a bank
// opens.
//
// #1 The plan says who declares: the clock (at the first opening), a connector (for all banks) or each bank (for
//    itself). An operator may declare whatever the plan says, for all banks or for one. Each scope is declared once;
//    what is declared for all is declared for each bank. A declaration cannot be withdrawn.
// #2 No gate opens by a declaration before every partition has answered it (I8).
// #3 The gate of a bank that partitions named opens when each of them has called the bank clear. Once a partition has
//    called it clear, it stays so, also if that is read before the partition's answer: the content of an answer is
//    older.
// #4 In a declaration for all banks the first GateOpened excepts the banks still named. Each of those gets its own
//    GateOpened later, unless another declaration or an operator (`gate-opening.ts`) has opened its gate. So the gate
//    of a named bank opens once.
// #5 After the reconciliation close nothing here changes the day.
// #6 A partition names `unknownBank` for a credit that nobody has read. While one does, no gate opens by a declaration:
//    only an operator opens one.

import { unknownBank } from "./awaited-credit.ts";
import { type BankPartitions, banksNamedMax, type Day, type Declaration, declarationsMax } from "./day.ts";
import { countMarkers, markerBase, addMarker } from "./day-markers.ts";
import type { DayResult } from "./day-result.ts";
import type { CreditsFinalRequested, DayPlanned, PartitionBankClear, PartitionCredits, Marker, RecordPosition } from "../fact.ts";

export function onCreditsFinalRequested(day: Day, fact: CreditsFinalRequested, place: RecordPosition): DayResult {
  const { creditsFinal, windows } = day.plan;
  if (windows.length === 0) return { decision: "refused", reason: "no-such-window", day };
  if (day.reconciledAtMs !== null) return { decision: "refused", reason: "day-over", day };
  const declares = fact.bank === null ? "connector" : "bank";
  if (fact.action === null && creditsFinal !== declares) return { decision: "refused", reason: "other-declares", day };
  if (areCreditsDeclared(day, fact.bank)) return { decision: "ignored", reason: "already-declared", day };
  if (day.declarations.length >= declarationsMax) return { decision: "refused", reason: "too-many-declarations", day };
  return {
    decision: "applied",
    reason: null,
    day: addDeclaration(day, fact.bank, fact.action === null ? creditsFinal : "operator", place),
  };
}

/** True if credits are declared final for all banks or at least for this one; null asks for all banks. */
export function areCreditsDeclared(day: Day, bank: string | null): boolean {
  return day.declarations.some((declaration) => declaration.bank === null || declaration.bank === bank);
}

/** `bank` is the one bank of the declaration; null: all banks. */
export function addDeclaration(
  day: Day,
  bank: string | null,
  declaredBy: DayPlanned["creditsFinal"] | "operator",
  place: RecordPosition,
): Day {
  const number = countMarkers(day, "CreditsDeclared") + 1;
  const marker: Marker = { ...markerBase(day, "CreditsDeclared", number), kind: "CreditsDeclared", number, bank, declaredBy };
  const partitionsAwaited = Array.from({ length: day.plan.partitionCount }, (_, partition) => partition);
  const declaration: Declaration = { id: marker.id, bank, partitionsAwaited, unresolved: [], clearEarly: [] };
  return addMarker({ ...day, declarations: [...day.declarations, declaration] }, place, marker);
}

export function onPartitionCredits(day: Day, fact: PartitionCredits, place: RecordPosition): DayResult {
  const before = day.declarations.find(({ id }) => id === fact.declaration);
  if (before === undefined) return { decision: "refused", reason: "not-declared", day };
  if (fact.partition < 0 || fact.partition >= day.plan.partitionCount) return { decision: "refused", reason: "no-such-partition", day };
  if (day.reconciledAtMs !== null) return { decision: "ignored", reason: "day-over", day };
  if (!before.partitionsAwaited.includes(fact.partition)) return { decision: "ignored", reason: "partition-counted", day };
  const named = [...new Set(fact.banksUnresolved)].filter(
    (bank) => isInScope(before, bank) && !has(before.clearEarly, bank, fact.partition),
  );
  const unresolved = named.reduce((banks, bank) => addPartition(banks, bank, fact.partition), before.unresolved);
  if (unresolved.length > banksNamedMax) return { decision: "refused", reason: "too-many-banks", day };
  const after: Declaration = {
    ...before,
    partitionsAwaited: before.partitionsAwaited.filter((partition) => partition !== fact.partition),
    unresolved,
    clearEarly: removePartition(before.clearEarly, fact.partition),
  };
  const counted = replaceDeclaration(day, after);
  const isBlocked = after.partitionsAwaited.length > 0 || isUnknownNamed(after);
  if (isBlocked) return { decision: "applied", reason: null, day: counted };
  return { decision: "applied", reason: null, day: openFirst(counted, after, place) };
}

export function onPartitionBankClear(day: Day, fact: PartitionBankClear, place: RecordPosition): DayResult {
  const before = day.declarations.find(({ id }) => id === fact.declaration);
  if (before === undefined) return { decision: "refused", reason: "not-declared", day };
  if (fact.partition < 0 || fact.partition >= day.plan.partitionCount) return { decision: "refused", reason: "no-such-partition", day };
  if (day.reconciledAtMs !== null) return { decision: "ignored", reason: "day-over", day };
  if (before.partitionsAwaited.includes(fact.partition)) return clearEarly(day, before, fact);
  if (!has(before.unresolved, fact.bank, fact.partition)) return { decision: "ignored", reason: "bank-clear", day };
  const after: Declaration = { ...before, unresolved: removePartition(before.unresolved, fact.partition, fact.bank) };
  const cleared = replaceDeclaration(day, after);
  if (isUnknownNamed(after)) return { decision: "applied", reason: null, day: cleared };
  if (isUnknownNamed(before)) {
    const isAnswered = after.partitionsAwaited.length === 0;
    return { decision: "applied", reason: null, day: isAnswered ? openFirst(cleared, after, place) : cleared };
  }
  const isClear = after.partitionsAwaited.length === 0 && !after.unresolved.some(({ bank }) => bank === fact.bank);
  const opens = isClear && !isGateOpenOn(day, fact.bank);
  return { decision: "applied", reason: null, day: opens ? addGateOpening(cleared, [fact.bank], [], place) : cleared };
}

function clearEarly(day: Day, before: Declaration, fact: PartitionBankClear): DayResult {
  if (!isInScope(before, fact.bank) || has(before.clearEarly, fact.bank, fact.partition)) {
    return { decision: "ignored", reason: "bank-clear", day };
  }
  const banks = addPartition(before.clearEarly, fact.bank, fact.partition);
  if (banks.length > banksNamedMax) return { decision: "refused", reason: "too-many-banks", day };
  return { decision: "applied", reason: null, day: replaceDeclaration(day, { ...before, clearEarly: banks }) };
}

/** #6 */
function isUnknownNamed({ unresolved }: Declaration): boolean {
  return unresolved.some(({ bank }) => bank === unknownBank);
}

/**
 * Every partition has answered: opens the gate of all banks but those still named, or of the declaration's one bank.
 */
function openFirst(day: Day, declaration: Declaration, place: RecordPosition): Day {
  if (declaration.bank === null) {
    const except = declaration.unresolved.map(({ bank }) => bank);
    return addGateOpening(day, null, except, place);
  }
  const opens = declaration.unresolved.length === 0 && !isGateOpenOn(day, declaration.bank);
  return opens ? addGateOpening(day, [declaration.bank], [], place) : day;
}

export function isGateOpenOn(day: Day, bank: string): boolean {
  return day.markers.some(({ marker }) => {
    if (marker.kind !== "GateOpened") return false;
    return marker.banks === null ? !marker.except.includes(bank) : marker.banks.includes(bank);
  });
}

/** Treats the bank as clear in all partitions, whatever they still answer. */
export function clearBank(declaration: Declaration, bank: string): Declaration {
  return { ...declaration, unresolved: declaration.unresolved.filter((one) => one.bank !== bank) };
}

export function addGateOpening(day: Day, banks: readonly string[] | null, except: readonly string[], place: RecordPosition): Day {
  const number = countMarkers(day, "GateOpened") + 1;
  const marker: Marker = { ...markerBase(day, "GateOpened", number), kind: "GateOpened", number, banks, except };
  return addMarker({ ...day, isGateOpen: true }, place, marker);
}

function isInScope(declaration: Declaration, bank: string): boolean {
  return declaration.bank === null || declaration.bank === bank || bank === unknownBank;
}

function replaceDeclaration(day: Day, after: Declaration): Day {
  return { ...day, declarations: day.declarations.map((declaration) => (declaration.id === after.id ? after : declaration)) };
}

function has(banks: readonly BankPartitions[], bank: string, partition: number): boolean {
  return banks.some((one) => one.bank === bank && one.partitions.includes(partition));
}

/** Adds a partition of a bank. Sorted by bank and partition, so that the same facts give the same document. */
function addPartition(banks: readonly BankPartitions[], bank: string, partition: number): readonly BankPartitions[] {
  const partitions = banks.find((one) => one.bank === bank)?.partitions ?? [];
  const changed: BankPartitions = { bank, partitions: [...new Set([...partitions, partition])].toSorted((a, b) => a - b) };
  return [...banks.filter((one) => one.bank !== bank), changed].toSorted((a, b) => (a.bank < b.bank ? -1 : 1));
}

/** Removes a partition from one bank or from all; a bank without partitions is dropped. */
function removePartition(banks: readonly BankPartitions[], partition: number, bank: string | null = null): readonly BankPartitions[] {
  return banks
    .map((one) =>
      bank === null || one.bank === bank ? { ...one, partitions: one.partitions.filter((other) => other !== partition) } : one,
    )
    .filter(({ partitions }) => partitions.length > 0);
}
