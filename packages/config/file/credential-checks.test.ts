import { generateKeyPairSync } from "node:crypto";
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isAddressBlock } from "./file-schema.ts";
import { readConfiguration } from "../index.ts";
import { readSigningSecret } from "./signing-secret.ts";

const base64 = (bytes: number): string => Buffer.alloc(bytes, 7).toString("base64");

function findProblems(members: string, environment: Readonly<Record<string, string>> = {}): readonly string[] {
  const bank = `{ id: only, name: Only, agents: [{ memberId: "1" }], tokenSha256: ["${"a".repeat(64)}"], baseUrl: "https://only.example", ${members} }`;
  const reading = readConfiguration(`banks: [${bank}]`, environment);
  return reading.ok ? [] : reading.problems.map(({ path, text }) => `${path}: ${text}`);
}

test("an allowed address is an IP address or a CIDR block, never a name", () => {
  const good = ["10.0.0.0/8", "127.0.0.1", "0.0.0.0/0", "::1", "fd00::/8", "::/0", "::ffff:10.0.0.1/128"];
  const bad = [
    "",
    "bank.example",
    "10.0.0.0/33",
    "10.0.0.0/",
    "10.0.0.0/08",
    "10.0/8",
    "fe80::1%eth0",
    "::/129",
    "1.2.3.4/8/8",
    "10.0.0.0/-1",
  ];
  expect(good.filter((given) => !isAddressBlock(given))).toEqual([]);
  expect(bad.filter(isAddressBlock)).toEqual([]);
  expect(findProblems('allowedAddresses: ["10.0.0.0/8", intranet]')).toEqual([
    "banks[0].allowedAddresses[1]: an IP address or a CIDR block, such as 10.20.0.0/16 or fd00::/8",
  ]);
});

test("a signing key must have the prefix and the length of its kind, and matching halves", () => {
  const isSecret = (kind: "symmetric" | "ed25519", secret: string): boolean => readSigningSecret(kind, secret) !== null;
  const lengths = (kind: "symmetric" | "ed25519", prefix: string): readonly number[] =>
    [0, 23, 24, 32, 33, 64, 65].filter((bytes) => isSecret(kind, `${prefix}${base64(bytes)}`));
  expect(lengths("symmetric", "whsec_")).toEqual([24, 32, 33, 64]);
  // 64 equal bytes are no matching halves of a key.
  expect(lengths("ed25519", "whsk_")).toEqual([32]);
  expect([...lengths("symmetric", "whsk_"), ...lengths("ed25519", "whsec_"), ...lengths("symmetric", "")]).toEqual([]);
  expect(isSecret("symmetric", `whsec_${base64(32)}!`)).toBe(false);
  const { privateKey, publicKey } = generateKeyPairSync("ed25519");
  const halves = [privateKey.export({ format: "der", type: "pkcs8" }), publicKey.export({ format: "der", type: "spki" })];
  expect(isSecret("ed25519", `whsk_${Buffer.concat(halves.map((der) => der.subarray(-32))).toString("base64")}`)).toBe(true);
});

test("a token must be text that a header can carry", () => {
  const said = ["banks[0].bearerToken: printable ASCII without blanks; look for a line's end"];
  for (const TOKEN of ["s3cret\n", "s3 cret", "s3crét"]) expect(findProblems('bearerToken: "${TOKEN}"', { TOKEN })).toEqual(said);
  expect(findProblems('bearerToken: "${TOKEN}"', { TOKEN: "s3-._~+/cret==" })).toEqual([]);
  expect(findProblems('bearerToken: "${TOKEN}"')).toEqual(["banks[0].bearerToken: the environment has no TOKEN"]);
});

test("a secret has one source, and no problem's text repeats it", () => {
  expect(findProblems("signingKeys: [{ kind: symmetric }]")).toEqual(["banks[0].signingKeys[0]: needs either a secret or a secretFile"]);
  expect(findProblems('signingKeys: [{ kind: symmetric, secret: "${KEY}", secretFile: key }]', { KEY: `whsec_${base64(32)}` })).toEqual([
    "banks[0].signingKeys[0]: needs either a secret or a secretFile",
  ]);
  expect(findProblems('bearerToken: "${TOKEN}", bearerTokenFile: token', { TOKEN: "s3cret" })).toEqual([
    "banks[0].bearerTokenFile: not together with bearerToken",
  ]);
  expect(findProblems('signingKeys: [{ kind: ed25519, secret: "${KEY}" }]', { KEY: "whsk_s3cret" })).toEqual([
    "banks[0].signingKeys[0].secret: whsk_ and an ed25519 key in base64: 32 bytes, or 64 with its public half behind",
  ]);
  expect(findProblems("signingKeys: [{ kind: symmetric, secret: whsec_s3cret }]")).toEqual([
    "banks[0].signingKeys[0].secret: a secret must not be in the file: name a variable of the environment, ${NAME}",
  ]);
  expect(findProblems('signingKeys: [{ kind: symmetric, secret: "${KEY}" }]')).toEqual([
    "banks[0].signingKeys[0].secret: the environment has no KEY",
  ]);
});

test("an address without TLS needs listed addresses", () => {
  const text = "without TLS, which needs the address in allowedAddresses";
  expect(findProblems('eventsUrl: "http://only.example", operationUrls: { inboundDirectDebit: "http://only.example/d" }')).toEqual([
    `banks[0].operationUrls.inboundDirectDebit: ${text}`,
    `banks[0].eventsUrl: ${text}`,
  ]);
  const listed = 'allowedAddresses: ["10.0.0.0/8"], egressProxy: "http://proxy.example:3128"';
  expect(findProblems(`eventsUrl: "http://10.1.2.3", ${listed}`)).toEqual([]);
  expect(findProblems(`eventsUrl: "http://only.example", ${listed}`)).toEqual([
    "banks[0].eventsUrl: without TLS, and only the proxy knows the address behind the name",
  ]);
});

test("a proxy address is an origin without path, user and password", () => {
  expect(findProblems('egressProxy: "http://proxy.example:3128/"')).toEqual([]);
  for (const wrong of [
    "http://user:s3cret@proxy.example",
    "http://:s3cret@proxy.example",
    "http://proxy.example/pac",
    "socks5://proxy.example",
  ]) {
    const problems = findProblems(`egressProxy: "${wrong}"`);
    expect(problems).toHaveLength(1);
    expect(problems.join()).not.toContain("s3cret");
  }
});

test("credentials for a proxy need a proxy", () => {
  expect(findProblems('egressProxy: "http://proxy.example:3128", egressProxyCredentialsFile: proxy')).toEqual([]);
  expect(findProblems("egressProxyCredentialsFile: proxy")).toEqual([
    "banks[0].egressProxyCredentialsFile: only together with egressProxy",
  ]);
});

const withToken = (more: string): string => `accessToken: { tokenUrl: "https://login.example/token", clientId: sluice${more} }`;

test.each([
  ["", ["banks[0].accessToken.keyFile: needs this, or a clientCertificate"]],
  [", keyFile: key", []],
  [
    ", keyId: one",
    ["banks[0].accessToken.keyFile: needs this, or a clientCertificate", "banks[0].accessToken.keyId: only together with keyFile"],
  ],
])("what proves us to the server of an access token is a key or a certificate: %j", (more, problems) => {
  expect(findProblems(withToken(more))).toEqual(problems);
});

test("an access token needs no key with a client certificate, and replaces a bearer token", () => {
  expect(findProblems(`${withToken("")}, clientCertificate: { certificateFile: a, keyFile: b }`)).toEqual([]);
  expect(findProblems(`${withToken(", keyFile: key")}, bearerTokenFile: token`)).toEqual([
    "banks[0].accessToken: not together with bearerToken or bearerTokenFile",
  ]);
});

test("the sample shows each of these members", () => {
  const sample = readFileSync(new URL("../sluice.sample.yaml", import.meta.url), "utf8");
  for (const member of [
    "allowedAddresses",
    "caFile",
    "clientCertificate",
    "bearerTokenFile",
    "accessToken",
    "signingKeys",
    "egressProxy",
    "egressProxyCredentialsFile",
    "concurrency",
  ]) {
    expect(sample).toContain(` ${member}:`);
  }
});
