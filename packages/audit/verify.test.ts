import { expect, test } from "vitest";
import { auditStartAtMs, createAuditKeys, type LyingRecord, nameProblems, playAudit, verifyRecords } from "./audit.fixture.ts";
import { type AuditEntry, hashEntry } from "./entry.ts";
import { hashSeal, signSeal } from "./seal.ts";

const day = await playAudit();
const { played, keys } = day;

function positionOf(chain: string, sequence: number): number {
  return played.findIndex(
    ({ name, value }) => name === "AuditEntry" && value.chain.startsWith(chain) && value.sequence === BigInt(sequence),
  );
}

function positionOfSeal(sequence: number): number {
  return played.findIndex(({ name, value }) => name === "AuditSeal" && value.sequence === BigInt(sequence));
}

function entryAt(position: number): AuditEntry {
  const record = played[position];
  if (record?.name !== "AuditEntry") throw new Error("no entry");
  return record.value;
}

function entry(value: AuditEntry): LyingRecord {
  return { name: "AuditEntry", value };
}

/** An attacker who may write everything computes the chain again behind what was changed. */
function chainAgain(records: readonly LyingRecord[]): readonly LyingRecord[] {
  const last = new Map<string, AuditEntry>();
  return records.map((record) => {
    if (record.name !== "AuditEntry") return record;
    const before = last.get(record.value.chain);
    const value = {
      ...record.value,
      sequence: (before?.sequence ?? 0n) + 1n,
      previousSha256: before === undefined ? "" : hashEntry(before),
    };
    last.set(value.chain, value);
    return entry(value);
  });
}

const changed = (position: number): readonly LyingRecord[] =>
  played.with(position, entry({ ...entryAt(position), content: '{"caller":"other"}' }));
const without = (position: number): readonly LyingRecord[] => played.toSpliced(position, 1);

test("an audit that nobody touched has no problem: 12 entries of two chains, four of them without a seal", () => {
  const report = verifyRecords(played, keys, { nowMs: auditStartAtMs + 130_000 });
  expect(report).toMatchObject({ entries: 12, chains: 2, seals: 3, unsealed: 4, repeats: 0, problemCount: 0, problems: [] });
  expect(report.last).toMatchObject({ sequence: 3n });
});

test("a changed entry is named, also if its chain was computed again [D10.62]", () => {
  const at = positionOf("ingress", 3);
  expect(nameProblems(verifyRecords(changed(at), keys))).toEqual(["changed ingress 3"]);
  const again = nameProblems(verifyRecords(chainAgain(changed(at)), keys));
  expect(again[0]).toBe("changed ingress 3");
});

test("a missing entry is named, also if its chain was computed again [D10.62]", () => {
  const at = positionOf("console", 2);
  expect(nameProblems(verifyRecords(without(at), keys))).toEqual(["missing console 2"]);
  expect(nameProblems(verifyRecords(chainAgain(without(at)), keys)).length).toBeGreaterThan(0);
});

test("an inserted entry is named, also one with the next number of its chain [D10.62]", () => {
  const at = positionOf("ingress", 2);
  const invented = entry({ ...entryAt(at), chain: "console-0", content: "{}" });
  expect(nameProblems(verifyRecords(played.toSpliced(at, 0, invented), keys))).toContain("inserted console 2");
  const next = entry({ ...entryAt(at), sequence: 3n, previousSha256: hashEntry(entryAt(at)), content: "{}" });
  expect(nameProblems(verifyRecords(played.toSpliced(at + 1, 0, next), keys))).toContain("inserted ingress 3");
});

test("entries in another order are named [D10.62]", () => {
  const [first, second] = [positionOf("ingress", 1), positionOf("ingress", 2)];
  const swapped = played.with(first, played[second]!).with(second, played[first]!);
  expect(nameProblems(verifyRecords(swapped, keys))).toContain("reordered ingress 2");
  expect(new Set(verifyRecords(swapped, keys).problems.map(({ kind }) => kind))).toEqual(new Set(["reordered"]));
  const beside = played.with(first, played[first + 1]!).with(first + 1, played[first]!);
  expect(nameProblems(verifyRecords(beside, keys))).toEqual(["reordered console 1"]);
});

test("entries that no seal signs yet are judged by their chain", () => {
  const [fifth, sixth] = [positionOf("ingress", 5), positionOf("ingress", 6)];
  expect(nameProblems(verifyRecords(changed(fifth), keys))).toEqual(["changed ingress 5"]);
  expect(nameProblems(verifyRecords(without(fifth), keys))).toEqual(["missing ingress 5"]);
  const swapped = played.with(fifth, played[sixth]!).with(sixth, played[fifth]!);
  expect(nameProblems(verifyRecords(swapped, keys))).toEqual(["reordered ingress 5"]);
  const second = entry({ ...entryAt(fifth), content: "{}" });
  expect(nameProblems(verifyRecords(played.toSpliced(sixth, 0, second), keys))).toEqual(["inserted ingress 5"]);
});

test("an end that was cut off shows against a kept seal and in the age of the last one [D10.62]", () => {
  const kept = [verifyRecords(played, keys).last!];
  const cut = played.slice(0, positionOfSeal(3));
  expect(nameProblems(verifyRecords(played, keys, { kept }))).toEqual([]);
  expect(nameProblems(verifyRecords(cut, keys, { kept }))).toEqual(["cut-off seals 3"]);
  expect(nameProblems(verifyRecords(cut, keys, { nowMs: auditStartAtMs + 61_000 }))).toEqual([]);
  expect(nameProblems(verifyRecords(cut, keys, { nowMs: auditStartAtMs + 300_000 }))).toEqual(["cut-off seals 3"]);
  expect(nameProblems(verifyRecords([], keys))).toEqual(["cut-off seals 1"]);
});

test("a begin that was cut off shows in the number of the first seal", () => {
  expect(nameProblems(verifyRecords(played.slice(positionOfSeal(1) + 1), keys))).toContain("missing seals 1");
});

test("a seal that was taken away, changed or moved is named", () => {
  expect(nameProblems(verifyRecords(without(positionOfSeal(2)), keys))).toEqual(["missing seals 2"]);
  const at = positionOfSeal(2);
  const seal = played[at]!;
  if (seal.name !== "AuditSeal") throw new Error("no seal");
  const later = { ...seal, value: { ...seal.value, sealedAtMs: seal.value.sealedAtMs + 1 } };
  expect(nameProblems(verifyRecords(played.with(at, later), keys))).toEqual(["changed seals 2"]);
  const fewer = { ...seal, value: { ...seal.value, leaves: seal.value.leaves.toReversed() } };
  expect(nameProblems(verifyRecords(played.with(at, fewer), keys))).toEqual(["changed seals 2"]);
  expect(nameProblems(verifyRecords([...played, played[positionOfSeal(1)]!], keys))).toEqual(["reordered seals 1"]);
});

test("a seal of a key that is not known proves nothing: who makes all seals again is named", () => {
  const strange = createAuditKeys();
  let previousSha256 = "";
  const forged = played.map((record): LyingRecord => {
    if (record.name !== "AuditSeal") return record;
    const { sequence, sealedAtMs, leaves } = record.value;
    const value = signSeal({ sequence, previousSha256, sealedAtMs }, leaves, strange.keys.signer!);
    previousSha256 = hashSeal(value);
    return { name: "AuditSeal", value };
  });
  expect(nameProblems(verifyRecords(forged, keys))).toEqual(["changed seals 1", "changed seals 2", "changed seals 3", "cut-off seals 1"]);
  expect(nameProblems(verifyRecords(forged, strange.keys))).toEqual([]);
});

test("of two seals of the same number the first counts, and both are no problem", () => {
  const at = positionOfSeal(2);
  const seal = played[at]!;
  if (seal.name !== "AuditSeal") throw new Error("no seal");
  const { sequence, previousSha256, sealedAtMs } = seal.value;
  const rival = signSeal({ sequence, previousSha256, sealedAtMs: sealedAtMs + 20 }, [], keys.signer!);
  expect(nameProblems(verifyRecords(played.toSpliced(at + 1, 0, { name: "AuditSeal", value: rival }), keys))).toEqual([]);
});

test("an entry that was sent twice with the same bytes is a repeat, and no problem", () => {
  const at = positionOf("ingress", 5);
  const report = verifyRecords(played.toSpliced(at + 1, 0, played[at]!), keys);
  expect([report.repeats, report.problems]).toEqual([1, []]);
});
