import { createPublicKey } from "node:crypto";
import { expect, test } from "vitest";
import { createAuditKeys, nameProblems, openAudit, verifyRecords } from "./audit.fixture.ts";
import { leavesMax, readAuditKeys, signSeal } from "./seal.ts";
import { sealEveryMs } from "./sealer.ts";

function seals(audit: Awaited<ReturnType<typeof openAudit>>) {
  return audit.records().flatMap(({ name, value }) => (name === "AuditSeal" ? [value] : []));
}

test("the audit is sealed every minute, also where nothing was appended [D10.61]", async () => {
  const audit = await openAudit();
  audit.startSealer();
  await audit.time.advance(3.5 * sealEveryMs);
  expect(seals(audit).map(({ sequence, leaves }) => [sequence, leaves.length])).toEqual([
    [1n, 0],
    [2n, 0],
    [3n, 0],
    [4n, 0],
  ]);
});

test("two consoles that seal side by side make one chain of seals that verifies", async () => {
  const audit = await openAudit();
  const log = audit.open("ingress");
  audit.startSealer();
  audit.startSealer();
  for (let number = 0; number < 300; number += 1) {
    log.note("sign-in", { number });
    await audit.time.advance(1_000);
  }
  expect(verifyRecords(audit.records(), audit.keys)).toMatchObject({ problems: [], entries: 300, unsealed: expect.any(Number) as unknown });
  expect(seals(audit).length).toBeLessThanOrEqual(12);
});

test("a console that starts goes on behind the last seal, also of another console, and leaves out no entry", async () => {
  const audit = await openAudit();
  const log = audit.open("ingress");
  const first = audit.startSealer();
  log.note("sign-in", { number: 1 });
  await audit.time.advance(1.5 * sealEveryMs);
  first.stop();
  log.note("sign-in", { number: 2 });
  await audit.time.advance(10 * sealEveryMs);
  audit.startSealer();
  await audit.time.advance(0.5 * sealEveryMs);
  const report = verifyRecords(audit.records(), audit.keys);
  expect([report.unsealed, nameProblems(report)]).toEqual([0, []]);
});

test("more entries than one seal signs are sealed by several at once", async () => {
  const audit = await openAudit();
  const log = audit.open("ingress");
  for (let sent = 0; sent < 2 * leavesMax + 10; sent += 1) {
    log.note("sign-in", { sent });
    if (sent % 1_000 === 0) await audit.time.advance(1_000);
  }
  await audit.time.advance(5_000);
  audit.startSealer();
  await audit.time.advance(5_000);
  expect(seals(audit).map(({ leaves }) => leaves.length)).toEqual([leavesMax, leavesMax, 10]);
  expect(verifyRecords(audit.records(), audit.keys)).toMatchObject({ unsealed: 0, problems: [] });
}, 30_000);

test("a seal that a stranger appends does not stop the sealing, and is named by a verifier", async () => {
  const audit = await openAudit();
  const log = audit.open("ingress");
  audit.startSealer();
  await audit.time.advance(0.5 * sealEveryMs);
  const strange = createAuditKeys();
  const forged = signSeal({ sequence: 2n, previousSha256: "", sealedAtMs: 0 }, [], strange.keys.signer!);
  const sealer = audit.startSealer(() => strange.keys);
  log.note("sign-in", {});
  await audit.time.advance(2 * sealEveryMs);
  sealer.stop();
  const report = verifyRecords([...audit.records(), { name: "AuditSeal", value: forged }], audit.keys);
  expect(report.seals).toBeGreaterThanOrEqual(3);
  expect(nameProblems(report).every((name) => name.startsWith("changed seals"))).toBe(true);
  expect(nameProblems(report)).toContain("changed seals 2");
});

test("a new key signs on where the former one ended, as long as its public key is in the file", async () => {
  const audit = await openAudit();
  const next = createAuditKeys();
  let known = audit.keys;
  audit.startSealer(() => known);
  await audit.time.advance(1.5 * sealEveryMs);
  const former = createPublicPem(audit.pem);
  known = readAuditKeys(`${next.pem}${former}`);
  await audit.time.advance(2 * sealEveryMs);
  expect(new Set(seals(audit).map(({ keyId }) => keyId)).size).toBe(2);
  expect(nameProblems(verifyRecords(audit.records(), readAuditKeys(`${next.publicPem}${former}`)))).toEqual([]);
});

test("without a key nothing is sealed, and the log says so", async () => {
  const audit = await openAudit();
  audit.startSealer(() => null);
  await audit.time.advance(sealEveryMs);
  expect([seals(audit), audit.lines.at(-1)]).toEqual([[], "audit.not-sealed"]);
});

test.each([
  ["no key is in it", "nothing"],
  ["a key in it cannot be read", "-----BEGIN PRIVATE KEY-----\nMC4\n-----END PRIVATE KEY-----\n"],
  ["more than one private key is in it", `${createAuditKeys().pem}${createAuditKeys().pem}`],
])("a file of keys is refused without its content: %s", (why, pem) => {
  expect(() => readAuditKeys(pem)).toThrow(`the file of audit keys is wrong: ${why}`);
});

function createPublicPem(pem: string): string {
  return createPublicKey(pem).export({ type: "spki", format: "pem" });
}
