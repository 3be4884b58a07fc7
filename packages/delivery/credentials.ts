// How Sluice shows a receiver who it is, and whom it believes to be the receiver: a bearer token, signing keys, a client certificate and
// authorities, from the configuration and from files that are read anew.
//
// #1 Nothing leaves before all that is configured was read: without its token or signature a message would be refused, or taken for a stranger's.
// #2 Certificate, key and authorities change together: a certificate whose key has not come yet is not shown.
// #3 A file of signing secrets has one on each line, so that keys overlap without a restart.

import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import type { Party, SigningKey } from "@sluice/config";
import { SecretProblem, type SecretFiles } from "./secret-files.ts";
import { signatures, signerOf, type Signer } from "./sign.ts";

export interface Credentials {
  /** What a request carries; null while something was never read. */
  headersOf(headers: Readonly<Record<string, string>>, body: Uint8Array): Readonly<Record<string, string>> | null;
  /** Null while it was never read. */
  secureContext(): SecureContext | null;
}

/** `tlsChanged`: connections made from now on differ. `certificateEndsAtMs`: of the client certificate that is shown from now on. */
export interface CredentialsListener {
  tlsChanged(): void;
  certificateEnds(atMs: number): void;
}

export const signingSecretsMax = 4;

export function credentialsOf(party: Party, files: SecretFiles, listener: CredentialsListener): Credentials {
  const token = bearerTokenOf(party, files);
  const signersOfKeys = party.signingKeys.map((key, index) => signersOf(party, key, index, files));
  return {
    headersOf(headers, body) {
      const bearerToken = token();
      const signers: Signer[] = [];
      for (const read of signersOfKeys) {
        const found = read();
        if (found === null) return null;
        signers.push(...found);
      }
      if (bearerToken === null) return null;
      if (signers.length === 0 && bearerToken === "") return headers;
      const [id = "", timestamp = ""] = [headers["webhook-id"], headers["webhook-timestamp"]];
      return {
        ...headers,
        ...(signers.length === 0 ? {} : { "webhook-signature": signatures(signers, { id, timestamp, body }) }),
        ...(bearerToken === "" ? {} : { authorization: `Bearer ${bearerToken}` }),
      };
    },
    secureContext: secureContextOf(party, files, listener),
  };
}

/** Empty: none is configured. */
function bearerTokenOf({ id, bearerToken, bearerTokenFile }: Party, files: SecretFiles): () => string | null {
  if (bearerTokenFile === null) return () => bearerToken ?? "";
  return files.keep({
    owner: { bank: id, member: "bearerTokenFile" },
    paths: [bearerTokenFile],
    make([content]) {
      const token = String(content).trim();
      if (!/^[\x21-\x7e]{1,1024}$/.test(token)) throw new SecretProblem("no-bearer-token");
      return token;
    },
  });
}

/** #3 */
function signersOf(
  { id }: Party,
  { kind, secret, secretFile }: SigningKey,
  index: number,
  files: SecretFiles,
): () => readonly Signer[] | null {
  if (secretFile === null) {
    const signer = signerOf(kind, secret ?? "");
    return () => (signer === null ? null : [signer]);
  }
  return files.keep({
    owner: { bank: id, member: `signingKeys[${index}]` },
    paths: [secretFile],
    make([content]) {
      const lines = String(content)
        .split("\n")
        .map((line) => line.trim())
        .filter((line) => line !== "");
      const signers = lines.map((line) => signerOf(kind, line)).filter((signer) => signer !== null);
      if (signers.length === 0 || signers.length < lines.length) throw new SecretProblem("no-signing-key");
      if (signers.length > signingSecretsMax) throw new SecretProblem("too-many-signing-keys");
      return signers;
    },
  });
}

/** Whatever Node's own options say, 1.2 is the least. */
const minVersion = "TLSv1.2";

/** #2 */
function secureContextOf(party: Party, files: SecretFiles, listener: CredentialsListener): () => SecureContext | null {
  const { id, caFile, clientCertificate } = party;
  if (caFile === null && clientCertificate === null) {
    let context: SecureContext | null = null;
    return () => (context ??= createSecureContext({ minVersion }));
  }
  const authorities = caFile === null ? [] : [caFile];
  const own = clientCertificate === null ? [] : [clientCertificate.certificateFile, clientCertificate.keyFile];
  return files.keep({
    owner: { bank: id, member: clientCertificate === null ? "caFile" : "clientCertificate" },
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

/** Each is read, for Node would pass over what is none: with no authority left every certificate would be refused. */
function certificatesIn(pem: Buffer): readonly string[] {
  const found = pem.toString("latin1").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (found.length === 0) throw new SecretProblem("no-certificate");
  return found.map((one) => new X509Certificate(one).toString());
}
