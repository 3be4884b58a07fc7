// Creates certificate authorities and certificates for tests (X.509 in DER, ECDSA on P-256). Node cannot write
// certificates, and `openssl` is not on every machine, so this file writes the part of the format that the tests need.

import { createHash, generateKeyPairSync, sign, type KeyObject } from "node:crypto";

export interface Certificate {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface CertificateOptions {
  readonly name: string;
  /** The host names and IPv4 addresses for which it is valid. */
  readonly hosts?: readonly string[];
  readonly fromMs?: number;
  readonly toMs?: number;
}

export interface CertificateAuthority {
  /** The authority's own certificate, to be trusted. */
  readonly pem: string;
  issue(options: CertificateOptions): Certificate;
}

const dayMs = 86_400_000;

/** Creates an authority. By default its certificates are valid from a day before `nowMs` until a day after. */
export function createCertificateAuthority(name: string, nowMs: number): CertificateAuthority {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const issuer = { name, key: privateKey };
  const whole = { fromMs: nowMs - dayMs, toMs: nowMs + dayMs };
  const pem = encodePem("CERTIFICATE", certificate(issuer, { name, publicKey, ...whole, extensions: [isAuthority] }));
  return {
    pem,
    issue({ name: subject, hosts = [], fromMs = whole.fromMs, toMs = whole.toMs }) {
      const own = generateKeyPairSync("ec", { namedCurve: "P-256" });
      const extensions = hosts.length === 0 ? [] : [subjectAlternativeNames(hosts)];
      const signed = certificate(issuer, { name: subject, publicKey: own.publicKey, fromMs, toMs, extensions });
      return {
        certificatePem: encodePem("CERTIFICATE", signed),
        keyPem: own.privateKey.export({ type: "pkcs8", format: "pem" }),
      };
    },
  };
}

interface Subject {
  readonly name: string;
  readonly publicKey: KeyObject;
  readonly fromMs: number;
  readonly toMs: number;
  readonly extensions: readonly Buffer[];
}

function certificate(issuer: { readonly name: string; readonly key: KeyObject }, subject: Subject): Buffer {
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

function subjectAlternativeNames(hosts: readonly string[]): Buffer {
  const names = hosts.map((host) =>
    /^[\d.]+$/.test(host) ? tagged(0x87, Buffer.from(host.split(".").map(Number))) : tagged(0x82, Buffer.from(host)),
  );
  return sequence(objectId("551d11"), octets(sequence(...names)));
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
