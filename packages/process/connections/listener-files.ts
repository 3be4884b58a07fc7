// What the listeners of a process serve TLS with, from the files that its settings name.

import { X509Certificate } from "node:crypto";
import { createSecretFiles, watchServerCertificate } from "@sluice/connection";
import { type ListenerSetting, listenerSettings, type ServiceEnvironment, settingNames } from "@sluice/config";
import { Fault, type Logger, type Metrics, type Time } from "@sluice/kernel";
import type { ListenerTls } from "@sluice/service";

export const listenerVariables = settingNames(listenerSettings);

export interface ListenerFiles extends AsyncDisposable {
  readonly tls: ListenerTls;
  /** For the operations port: probes and scrapes show no certificate. */
  readonly opsTls: ListenerTls;
}

interface ListenerFilesOptions {
  readonly time: Time;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly filesPollMs?: number;
}

/** Null: no certificate is configured. Rejects with Fault `process.secret-not-read` where the files cannot be read. */
export async function openListenerFiles(
  environment: Pick<ServiceEnvironment, ListenerSetting>,
  { time, logger, metrics, filesPollMs }: ListenerFilesOptions,
): Promise<ListenerFiles | null> {
  const { SLUICE_TLS_CERTIFICATE_FILE: certificateFile, SLUICE_TLS_KEY_FILE: keyFile } = environment;
  if (certificateFile === null || keyFile === null) return null;
  const clientCertificates =
    environment.SLUICE_TLS_CLIENT_CERTIFICATE ?? (environment.SLUICE_TLS_CLIENT_CA_FILE === null ? "none" : "required");
  const renewals = new Set<() => void>();
  const files = createSecretFiles<string>({
    time,
    ...(filesPollMs === undefined ? {} : { pollMs: filesPollMs }),
    read: (setting) => logger.info("listener.certificate-read", { setting }),
    notRead: (setting, reason) => logger.error("listener.certificate-not-read", { setting, reason }),
  });
  const named = { certificateFile, keyFile, clientCaFile: environment.SLUICE_TLS_CLIENT_CA_FILE };
  const newest = watchServerCertificate(files, "SLUICE_TLS_CERTIFICATE_FILE", named, () => {
    showEnd();
    for (const renewed of renewals) renewed();
  });
  const ends = metrics.gauge(
    "sluice_listener_certificate_ends_timestamp_seconds",
    "When the certificate of this process's listeners expires, in Unix time",
  );
  await files.started();
  if (newest() === null) {
    await files.stop();
    const text = "SLUICE_TLS_CERTIFICATE_FILE, SLUICE_TLS_KEY_FILE: the files cannot be read, or do not belong together";
    throw new Fault("process.secret-not-read", text, { isRetryable: true });
  }

  function current() {
    const certificate = newest();
    if (certificate === null) throw new Error("a certificate that was read stays");
    return certificate;
  }

  function showEnd(): void {
    ends.set(Math.floor(new X509Certificate(current().certificate).validToDate.getTime() / 1_000));
  }

  showEnd();

  function onRenewal(renewed: () => void): Disposable {
    renewals.add(renewed);
    return { [Symbol.dispose]: () => void renewals.delete(renewed) };
  }

  return {
    tls: { clientCertificates, current, onRenewal },
    opsTls: { clientCertificates: "none", current: () => ({ ...current(), clientAuthorities: null }), onRenewal },
    [Symbol.asyncDispose]: () => files.stop(),
  };
}
