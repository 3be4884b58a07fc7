// What a TLS connection is made with, from files that are read again when they change.
//
// #1 Certificate, key and authorities change together: a certificate whose key has not arrived yet is not used.
// #2 A file of authorities without a single readable certificate is refused. Node would ignore what is none, and then
//    refuse every peer.

import { X509Certificate } from "node:crypto";
import { createSecureContext, type SecureContext } from "node:tls";
import { tlsSettings } from "@sluice/kernel";
import { SecretProblem, type SecretFiles } from "./secret-files.ts";

/** Paths of PEM files; null: the machine's authorities, or no certificate of our own. */
export interface TlsFiles {
  readonly caFile: string | null;
  readonly own: { readonly certificateFile: string; readonly keyFile: string } | null;
}

interface TlsListener {
  /** Connections made from now on differ. */
  changed?(): void;
  /** When our own certificate now in use ends. */
  certificateEnds?(atMs: number): void;
}

/** Returns a function for the newest context; null while the files were never read. */
export function watchSecureContext<O>(
  files: SecretFiles<O>,
  owner: O,
  { caFile, own }: TlsFiles,
  listener: TlsListener = {},
): () => SecureContext | null {
  if (caFile === null && own === null) {
    let context: SecureContext | null = null;
    return () => (context ??= createSecureContext(tlsSettings));
  }
  const authorities = caFile === null ? [] : [caFile];
  return files.watch({
    owner,
    paths: [...authorities, ...(own === null ? [] : [own.certificateFile, own.keyFile])],
    make(contents) {
      const ca = caFile === null ? undefined : certificatesIn(contents[0]!);
      const [cert, key] = contents.slice(authorities.length);
      const context = createSecureContext({
        ...tlsSettings,
        ...(ca === undefined ? {} : { ca: [...ca] }),
        ...(cert === undefined ? {} : { cert, key }),
      });
      if (cert !== undefined) listener.certificateEnds?.(new X509Certificate(cert).validToDate.getTime());
      return context;
    },
    changed: () => listener.changed?.(),
  });
}

/** The certificate and key of a listener, and the authorities of its peers' certificates, if they must show one. */
export interface ServerFiles {
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly clientCaFile: string | null;
}

interface ServerCertificate {
  readonly certificate: Buffer;
  readonly key: Buffer;
  readonly clientAuthorities: readonly string[] | null;
}

/** Returns a function for the newest certificate; null while the files were never read. #1 */
export function watchServerCertificate<O>(
  files: SecretFiles<O>,
  owner: O,
  { certificateFile, keyFile, clientCaFile }: ServerFiles,
  changed: () => void,
): () => ServerCertificate | null {
  return files.watch({
    owner,
    paths: [certificateFile, keyFile, ...(clientCaFile === null ? [] : [clientCaFile])],
    make([certificate, key, authorities]) {
      certificatesIn(certificate!);
      createSecureContext({ cert: certificate, key });
      return {
        certificate: certificate!,
        key: key!,
        clientAuthorities: authorities === undefined ? null : certificatesIn(authorities),
      };
    },
    changed,
  });
}

/** Reads every certificate of a PEM file. #2 */
function certificatesIn(pem: Buffer): readonly string[] {
  const found = pem.toString("latin1").match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? [];
  if (found.length === 0) throw new SecretProblem("no-certificate");
  return found.map((one) => new X509Certificate(one).toString());
}
