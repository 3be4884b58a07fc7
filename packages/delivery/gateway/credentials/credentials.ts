// Proves Sluice's identity to a receiver, and verifies the receiver's: a bearer token, signing keys, a client
// certificate and authorities, from the configuration and from files that are read again when they change. It also
// proves it to the receiver's egress proxy.
//
// #1 Nothing leaves before all configured credentials were read: a message without its token or signature would be
//    refused, or taken for a stranger's.
// #2 Certificate, key and authorities change together: a certificate whose key has not arrived yet is not used.
// #3 A file of signing secrets has one on each line, so that keys overlap without a restart.

import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import type { ConfiguredParty, SigningKey } from "@sluice/config";
import { SecretProblem, type SecretFiles } from "./secret-files.ts";
import { signatureHeader, createSigner, type WebhookSigner } from "./sign.ts";

export interface Credentials {
  /** Adds the credentials to a request's headers; null while one of them was never read. */
  addHeaders(headers: Readonly<Record<string, string>>, body: Uint8Array): Readonly<Record<string, string>> | null;
  /** Null while it was never read. */
  secureContext(): SecureContext | null;
  /** The header for the egress proxy: null while it was never read, empty where none is configured. */
  proxyAuthorization(): string | null;
}

/**
 * `tlsChanged`: connections made from now on differ. `certificateEnds`: when the client certificate now in use ends.
 */
export interface CredentialsListener {
  tlsChanged(): void;
  certificateEnds(atMs: number): void;
}

const signingSecretsMax = 4;

export function createCredentials(party: ConfiguredParty, files: SecretFiles, listener: CredentialsListener): Credentials {
  const token = watchBearerToken(party, files);
  const signerSources = party.signingKeys.map((key, index) => watchSigners(party, key, index, files));
  return {
    addHeaders(headers, body) {
      const bearerToken = token();
      const signers: WebhookSigner[] = [];
      for (const read of signerSources) {
        const found = read();
        if (found === null) return null;
        signers.push(...found);
      }
      if (bearerToken === null) return null;
      if (signers.length === 0 && bearerToken === "") return headers;
      const [id = "", timestamp = ""] = [headers["webhook-id"], headers["webhook-timestamp"]];
      return {
        ...headers,
        ...(signers.length === 0 ? {} : { "webhook-signature": signatureHeader(signers, { id, timestamp, body }) }),
        ...(bearerToken === "" ? {} : { authorization: `Bearer ${bearerToken}` }),
      };
    },
    secureContext: watchSecureContext(party, files, listener),
    proxyAuthorization: watchProxyCredentials(party, files),
  };
}

/** `user:password` of RFC 7617. A line's end belongs to the file; any other blank may belong to the password. */
function watchProxyCredentials({ id, egressProxyCredentialsFile: path }: ConfiguredParty, files: SecretFiles): () => string | null {
  if (path === null) return () => "";
  return files.watch({
    owner: { receiverId: id, member: "egressProxyCredentialsFile" },
    paths: [path],
    make([content]) {
      const credentials = String(content).replace(/\r?\n$/, "");
      if (!/^[^:\p{Cc}]{1,512}:\P{Cc}{0,512}$/u.test(credentials)) throw new SecretProblem("no-proxy-credentials");
      return `Basic ${Buffer.from(credentials).toString("base64")}`;
    },
  });
}

/** Empty where none is configured. */
function watchBearerToken({ id, bearerToken, bearerTokenFile }: ConfiguredParty, files: SecretFiles): () => string | null {
  if (bearerTokenFile === null) return () => bearerToken ?? "";
  return files.watch({
    owner: { receiverId: id, member: "bearerTokenFile" },
    paths: [bearerTokenFile],
    make([content]) {
      const token = String(content).trim();
      if (!/^[\x21-\x7e]{1,1024}$/.test(token)) throw new SecretProblem("no-bearer-token");
      return token;
    },
  });
}

/** #3 */
function watchSigners(
  { id }: ConfiguredParty,
  { kind, secret, secretFile }: SigningKey,
  index: number,
  files: SecretFiles,
): () => readonly WebhookSigner[] | null {
  if (secretFile === null) {
    const signer = createSigner(kind, secret ?? "");
    return () => (signer === null ? null : [signer]);
  }
  return files.watch({
    owner: { receiverId: id, member: `signingKeys[${index}]` },
    paths: [secretFile],
    make([content]) {
      const lines = String(content)
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "");
      const signers = lines.map((line) => createSigner(kind, line)).filter((signer) => signer !== null);
      if (signers.length === 0 || signers.length < lines.length) throw new SecretProblem("no-signing-key");
      if (signers.length > signingSecretsMax) throw new SecretProblem("too-many-signing-keys");
      return signers;
    },
  });
}

/** The least version, whatever Node's own options say. */
const minVersion = "TLSv1.2";

/** #2 */
function watchSecureContext(party: ConfiguredParty, files: SecretFiles, listener: CredentialsListener): () => SecureContext | null {
  const { id, caFile, clientCertificate } = party;
  if (caFile === null && clientCertificate === null) {
    let context: SecureContext | null = null;
    return () => (context ??= createSecureContext({ minVersion }));
  }
  const authorities = caFile === null ? [] : [caFile];
  const own = clientCertificate === null ? [] : [clientCertificate.certificateFile, clientCertificate.keyFile];
  return files.watch({
    owner: { receiverId: id, member: clientCertificate === null ? "caFile" : "clientCertificate" },
    paths: [...authorities, ...own],
    make(contents) {
      const ca = caFile === null ? undefined : certificatesIn(contents[0]!);
      const [cert, key] = contents.slice(authorities.length);
      const context = createSecureContext({
        minVersion,
        ...(ca === undefined ? {} : { ca: [...ca] }),
        ...(cert === undefined ? {} : { cert, key }),
      });
      if (cert !== undefined) listener.certificateEnds(new X509Certificate(cert).validToDate.getTime());
      return context;
    },
    changed: () => listener.tlsChanged(),
  });
}

/**
 * Reads every certificate, because Node ignores what is none: without any authority left it would refuse every
 * certificate.
 */
function certificatesIn(pem: Buffer): readonly string[] {
  const found = pem.toString("latin1").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (found.length === 0) throw new SecretProblem("no-certificate");
  return found.map((one) => new X509Certificate(one).toString());
}
