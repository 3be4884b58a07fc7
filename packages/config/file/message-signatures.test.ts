import { generateKeyPairSync, type KeyObject } from "node:crypto";
import { expect, test } from "vitest";
import { readConfiguration } from "../index.ts";
import { takeAway } from "../revocations.ts";

const spki = (key: KeyObject): string => key.export({ format: "der", type: "spki" }).toString("base64");
const keys = {
  ed25519: spki(generateKeyPairSync("ed25519").publicKey),
  p256: spki(generateKeyPairSync("ec", { namedCurve: "prime256v1" }).publicKey),
  rsa: spki(generateKeyPairSync("rsa", { modulusLength: 2_048 }).publicKey),
} as const;

function readBank(signatures: string) {
  const bank = `{ id: only, name: Only, agents: [{ memberId: "1" }], tokenSha256: ["${"a".repeat(64)}"], baseUrl: "https://only.example", messageSignatures: ${signatures} }`;
  return readConfiguration(`banks: [${bank}]`, {});
}

function findProblems(signatures: string): readonly string[] {
  const reading = readBank(signatures);
  return reading.ok ? [] : reading.problems.map(({ path, text }) => `${path}: ${text}`);
}

test.each(Object.entries(keys))("a caller's key can be of the kind %s", (_, publicKey) => {
  expect(findProblems(`{ keys: [{ id: k1, publicKey: "${publicKey}" }] }`)).toEqual([]);
});

test("a key of another kind, a private one, and what is none are refused without being repeated", () => {
  const short = generateKeyPairSync("rsa", { modulusLength: 1_024 });
  const own = generateKeyPairSync("ed25519").privateKey.export({ format: "der", type: "pkcs8" }).toString("base64");
  const other = [
    short.publicKey,
    generateKeyPairSync("ec", { namedCurve: "secp384r1" }).publicKey,
    generateKeyPairSync("x25519").publicKey,
  ];
  const text = "a public key in base64 (SubjectPublicKeyInfo) for ed25519, ecdsa-p256-sha256, rsa-pss-sha512";
  for (const publicKey of [...other.map(spki), own, `${keys.ed25519} `, "AAAA", ""]) {
    expect(findProblems(`{ keys: [{ id: k1, publicKey: "${publicKey}" }] }`)).toEqual([
      `banks[0].messageSignatures.keys[0].publicKey: ${text}`,
    ]);
  }
});

test("each key has an id of its own, and a receipt needs keys", () => {
  const key = `{ id: k1, publicKey: "${keys.ed25519}" }`;
  const other = `{ id: k1, publicKey: "${keys.p256}" }`;
  expect(findProblems(`{ keys: [${key}, ${other}] }`)).toEqual(["banks[0].messageSignatures.keys: an id twice"]);
  expect(findProblems("{ keys: [] }")).toEqual(["banks[0].messageSignatures.keys: at least one"]);
  expect(findProblems("{ receipts: { keyFile: /keys/receipts.pem } }")).toEqual([
    "banks[0].messageSignatures.receipts: only together with keys: a receipt is bound to the signature of the message",
  ]);
  expect(findProblems("{ deliveries: { keyFile: /keys/deliveries.pem } }")).toEqual([]);
});

test("a key signs for one caller alone [D10.91]", () => {
  const bank = (id: string, number: number, key: string) =>
    `{ id: ${id}, name: B, agents: [{ memberId: "${number}" }], tokenSha256: ["${String(number).repeat(64)}"], baseUrl: "https://${id}.example", messageSignatures: { keys: [{ id: k1, publicKey: "${key}" }] } }`;
  const find = (second: string, more = "") => {
    const reading = readConfiguration(`banks: [${bank("first", 1, keys.ed25519)}, ${bank("second", 2, second)}]${more}`, {});
    return reading.ok ? [] : reading.problems.map(({ path, text }) => `${path}: ${text}`);
  };
  expect(find(keys.p256)).toEqual([]);
  expect(find(keys.ed25519)).toEqual(["banks[1].messageSignatures.keys[0].publicKey: another caller or a console has this key"]);
  const console = `\noperatorSignatures: { requiredFrom: "2026-11-20T08:00:00Z", keys: [{ id: c1, publicKey: "${keys.p256}" }] }`;
  expect(find(keys.p256, console)).toEqual(["operatorSignatures.keys[0].publicKey: another caller or a console has this key"]);
  expect(find(keys.rsa, console)).toEqual([]);
});

test("one caller lists a key once", () => {
  const twice = ["k1", "k2"].map((id) => ({ id, publicKey: keys.ed25519 }));
  expect(findProblems(JSON.stringify({ keys: twice }))).toEqual(["banks[0].messageSignatures.keys: a key twice"]);
});

test("a refused file takes keys away and adds none; who must sign still must when none is left [D10.27]", () => {
  const key = (id: string, publicKey: string) => ({ id, publicKey });
  const reading = readBank(JSON.stringify({ keys: [key("k1", keys.ed25519), key("k2", keys.p256)] }));
  if (!reading.ok) throw new Error("refused");
  const running = reading.configuration;
  const left = (messageSignatures: unknown) =>
    takeAway({ banks: [{ id: "only", messageSignatures }] }, running).banks[0]?.messageSignatures?.keys?.map(({ id }) => id);
  expect(left({ keys: [key("k1", keys.ed25519), key("k3", keys.rsa)] })).toEqual(["k1"]);
  // Another key under a known name is another key.
  expect(left({ keys: [key("k1", keys.rsa)] })).toEqual([]);
  const ends = (notAfter: unknown) =>
    takeAway({ banks: [{ id: "only", messageSignatures: { keys: [{ ...key("k1", keys.ed25519), notAfter }] } }] }, running).banks[0]
      ?.messageSignatures?.keys?.[0]?.notAfterMs;
  expect(ends("2026-11-20T08:00:00Z")).toBe(Date.UTC(2026, 10, 20, 8));
  expect([ends(undefined), ends("soon")]).toEqual([null, null]);
  expect(left({ keys: "none" })).toEqual(["k1", "k2"]);
  expect(left(undefined)).toEqual(["k1", "k2"]);
  expect(takeAway({ banks: [{ id: "only" }] }, running).banks[0]?.messageSignatures).toBe(running.banks[0]?.messageSignatures);
});
