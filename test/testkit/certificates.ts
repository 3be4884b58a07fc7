// Creates certificate authorities and certificates for tests (X.509 in DER, ECDSA on P-256). Node cannot write
// certificates, and `openssl` is not on every machine, so this file writes the part of the format that the tests need.

import { createHash, generateKeyPairSync, sign, X509Certificate, type KeyObject } from "node:crypto";

export interface Certificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface CertificateOptions {
  readonly name: string;
  /** The host names and IPv4 addresses for which it is valid. */
  readonly hosts?: readonly string[];
  readonly uris?: readonly string[];
  readonly fromMs?: number;
  readonly toMs?: number;
}

export interface CertificateAuthority {
  /** The authority's own certificate, to be trusted. */
  readonly pem: string;
  issue(options: CertificateOptions): Certificate;
  /** Creates an authority below this one; its certificates come with its own, as a chain. */
  issueAuthority(name: string): CertificateAuthority;
}

/** SHA-256, hex, of the first certificate of a PEM. */
export function certificateSha256(pem: string): string {
  return new X509Certificate(pem).fingerprint256.replaceAll(":", "").toLowerCase();
}

const dayMs = 86_400_000;

/** Creates an authority. By default its certificates are valid from a day before `nowMs` until `lifeMs` after. */
export function createCertificateAuthority(name: string, nowMs: number, lifeMs = dayMs): CertificateAuthority {
  return authorityBelow(null, name, { fromMs: nowMs - dayMs, toMs: nowMs + lifeMs });
}

interface Issuer {
  readonly name: string;
  readonly key: KeyObject;
}

/** Without an authority above it is one by itself. */
function authorityBelow(
  above: (Issuer & { readonly chain: string }) | null,
  name: string,
  whole: { readonly fromMs: number; readonly toMs: number },
): CertificateAuthority {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = { name, key: privateKey };
  const pem = encodePem("CERTIFICATE", certificate(above ?? issuer, { name, publicKey, ...whole, extensions: [isAuthority] }));
  const chain = above === null ? "" : `${pem}${above.chain}`;
  return {
    pem,
    issue({ name: subject, hosts = [], uris = [], fromMs = whole.fromMs, toMs = whole.toMs }) {
      const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const extensions = hosts.length + uris.length === 0 ? [] : [subjectAlternativeNames(hosts, uris)];
      const signed = certificate(issuer, { name: subject, publicKey: own.publicKey, fromMs, toMs, extensions });
      return {
        certificatePem: `${encodePem("CERTIFICATE", signed)}${chain}`,
        keyPem: own.privateKey.export({ type: "pkcs8", format: "pem" }),
      };
    },
    issueAuthority: (below) => authorityBelow({ ...issuer, chain }, below, whole),
  };
}

interface Subject {
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly fromMs: number;
  readonly toMs: number;
  readonly extensions: readonly Buffer[];
}

function certificate(issuer: Issuer, subject: Subject): Buffer {
  const ecdsaWithSha256 = sequence(objectId("2a8648ce3d040302"));
  const publicKey = subject.publicKey.export({ type: "spki", format: "der" });
  const serial = createHash("sha256").update(publicKey).update(`${subject.fromMs}`).digest().subarray(0, 8);
  serial[0] = (serial[0]! & 0x7f) | 0x40;
  const signedPart = sequence(
    tagged(0xa0, integer(Buffer.from([2]))),
    integer(serial),
    ecdsaWithSha256,
    distinguishedName(issuer.name),
    sequence(utcTime(subject.fromMs), utcTime(subject.toMs)),
    distinguishedName(subject.name),
    publicKey,
    ...(subject.extensions.length === 0 ? [] : [tagged(0xa3, sequence(...subject.extensions))]),
  );
  return sequence(signedPart, ecdsaWithSha256, bitString(sign("sha256", signedPart, issuer.key)));
}

/** The critical basic constraint that lets a certificate sign others. */
const isAuthority = sequence(objectId("551d13"), tagged(0x01, Buffer.from([0xff])), octets(sequence(tagged(0x01, Buffer.from([0xff])))));

function subjectAlternativeNames(hosts: readonly string[], uris: readonly string[]): Buffer {
  const named = hosts.map((host) =>
    /^[\d.]+$/.test(host) ? tagged(0x87, Buffer.from(host.split(".").map(Number))) : tagged(0x82, Buffer.from(host)),
  );
  const addressed = uris.map((uri) => tagged(0x86, Buffer.from(uri)));
  return sequence(objectId("551d11"), octets(sequence(...named, ...addressed)));
}

function distinguishedName(name: string): Buffer {
  return sequence(tagged(0x31, sequence(objectId("550403"), tagged(0x0c, Buffer.from(name)))));
}

/** Encodes a time from 1950 to 2049. */
function utcTime(atMs: number): Buffer {
  const text = Temporal.Instant.fromEpochMilliseconds(atMs).toString({ smallestUnit: "second" });
  return tagged(0x17, Buffer.from(`${text.replaceAll(/[-:T]/g, "").slice(2, 14)}Z`));
}

function tagged(tag: number, ...contents: readonly Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { byteLength } = content;
  const length = byteLength < 128 ? [byteLength] : byteLength < 256 ? [0x81, byteLength] : [0x82, byteLength >> 8, byteLength & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), content]);
}

function sequence(...contents: readonly Buffer[]): Buffer {
  return tagged(0x30, ...contents);
}
function integer(bytes: Buffer): Buffer {
  return tagged(0x02, bytes);
}
function objectId(hex: string): Buffer {
  return tagged(0x06, Buffer.from(hex, "hex"));
}
function octets(content: Buffer): Buffer {
  return tagged(0x04, content);
}
function bitString(content: Buffer): Buffer {
  return tagged(0x03, Buffer.from([0]), content);
}

function encodePem(label: string, der: Buffer): string {
  const lines = der.toString("base64").match(/.{1,64}/g) ?? [];
  return `-----BEGIN ${label}-----\n${lines.join("\n")}\n-----END ${label}-----\n`;
}
