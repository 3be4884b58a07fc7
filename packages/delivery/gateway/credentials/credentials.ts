// Proves Sluice's identity to a receiver, and verifies the receiver's: a bearer token, signing keys of both kinds
// (Standard Webhooks, RFC 9421), a client certificate and authorities, from the configuration and from files that are
// read again when they change. It also proves it to the receiver's egress proxy.
//
// #1 Nothing leaves before all configured credentials were read: a message without its token or signature would be
//    refused, or taken for a stranger's.
// #2 Certificate, key and authorities change together: a certificate whose key has not arrived yet is not used.
// #3 A file of signing secrets has one on each line, so that keys overlap without a restart.

import type { SecureContext } from "node:tls";
import type { ConfiguredParty, SigningKey } from "@sluice/config";
import { SecretProblem, type SecretFiles, watchSecureContext } from "@sluice/connection";
import { type OwnKey, signRequest, watchSigningKey } from "@sluice/signatures";
import { signatureHeader, createSigner, type WebhookSigner } from "./sign.ts";

/** The receiver whose secrets they are, and the member of the configuration that names them. */
export interface SecretsOwner {
  readonly receiverId: string;
  readonly member: string;
}

export type ReceiverFiles = SecretFiles<SecretsOwner>;

/** What is sent, before it has credentials. */
interface UnsignedRequest {
  readonly method: "POST" | "OPTIONS";
  readonly url: URL;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

export interface Credentials {
  /** Returns the request's headers with the credentials; null while one of them was never read. */
  addHeaders(request: UnsignedRequest): Readonly<Record<string, string>> | null;
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

export function createCredentials(party: ConfiguredParty, files: ReceiverFiles, listener: CredentialsListener): Credentials {
  const token = watchBearerToken(party, files);
  const signerSources = party.signingKeys.map((key, index) => watchSigners(party, key, index, files));
  const messageKey = watchMessageKey(party, files);
  return {
    addHeaders(request) {
      const { headers, body } = request;
      const ownKey = messageKey();
      if (ownKey === null) return null;
      const bearerToken = token();
      const signers: WebhookSigner[] = [];
      for (const read of signerSources) {
        const found = read();
        if (found === null) return null;
        signers.push(...found);
      }
      if (bearerToken === null) return null;
      if (signers.length === 0 && bearerToken === "" && ownKey === "none") return headers;
      const [id = "", timestamp = ""] = [headers["webhook-id"], headers["webhook-timestamp"]];
      return {
        ...headers,
        ...(signers.length === 0 ? {} : { "webhook-signature": signatureHeader(signers, { id, timestamp, body }) }),
        ...(ownKey === "none" ? {} : signWith(ownKey, request)),
        ...(bearerToken === "" ? {} : { authorization: `Bearer ${bearerToken}` }),
      };
    },
    secureContext: watchTls(party, files, listener),
    proxyAuthorization: watchProxyCredentials(party, files),
  };
}

/** `none` where none is configured; null while it was never read. */
function watchMessageKey({ id, messageSignatures }: ConfiguredParty, files: ReceiverFiles): () => OwnKey | "none" | null {
  const settings = messageSignatures?.deliveries ?? null;
  return settings === null ? () => "none" : watchSigningKey(files, { receiverId: id, member: "messageSignatures.deliveries" }, settings);
}

/** Signed at the time that the message says, as its other signatures are. */
function signWith(key: OwnKey, { method, url, headers, body }: UnsignedRequest): Readonly<Record<string, string>> {
  return signRequest(key, { method, url, body, header: (name) => headers[name] ?? null }, Number(headers["webhook-timestamp"]));
}

/** `user:password` of RFC 7617. A line's end belongs to the file; any other blank may belong to the password. */
function watchProxyCredentials({ id, egressProxyCredentialsFile: path }: ConfiguredParty, files: ReceiverFiles): () => string | null {
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
function watchBearerToken({ id, bearerToken, bearerTokenFile }: ConfiguredParty, files: ReceiverFiles): () => string | null {
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
  files: ReceiverFiles,
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

/** #2 */
function watchTls(party: ConfiguredParty, files: ReceiverFiles, listener: CredentialsListener): () => SecureContext | null {
  const { id, caFile, clientCertificate: own } = party;
  const owner = { receiverId: id, member: own === null ? "caFile" : "clientCertificate" };
  return watchSecureContext(files, owner, { caFile, own }, { ...listener, changed: () => listener.tlsChanged() });
}
