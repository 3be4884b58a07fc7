// Banks that are reached over TLS alone, each in a different way, and the files to which the configuration refers.
//
// #1 protea requires a certificate of its callers. kudu has a host name that only a proxy resolves. mopane presents a
//    certificate of another authority than the one in the agreed file.
// #2 A file is replaced as a whole, as docs/runbooks/rotate-credentials.md describes.

import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineTime } from "@sluice/kernel";
import { createCertificateAuthority, type Certificate } from "@sluice/testkit";
import { openEgressProxy, type EgressProxy } from "./egress-proxy.ts";
import { openTlsProxy, type TlsProxy } from "./tls-proxy.ts";
import type { E2eEnvironment, EnvironmentBank } from "./environment.ts";

type TlsBankId = "protea" | "kudu" | "mopane";

export interface TlsBanks extends AsyncDisposable {
  readonly proxies: Readonly<Record<TlsBankId, TlsProxy>>;
  readonly egressProxy: EgressProxy;
  /** Every private key that Sluice was given for them, as PEM. */
  readonly keys: () => readonly string[];
  /** Adds TLS settings to the members of these banks. */
  secure(banks: readonly EnvironmentBank[]): readonly EnvironmentBank[];
  /** Connects the TLS proxies with the banks of an environment. */
  forwardTo(environment: E2eEnvironment): void;
  /**
   * Lets protea accept only callers of a new authority. Returns the certificate that this authority signed for Sluice.
   */
  replaceCallersAuthority(): Certificate;
  /** Replaces the client certificate in the files to which the configuration refers. */
  replaceClientCertificate(bank: "protea", certificate: Certificate): Promise<void>;
  /** Puts the authority of mopane's certificate into mopane's file. */
  repairAuthority(): Promise<void>;
  /** Adds kudu's next authority to its file, which then has both. */
  announceAuthority(): Promise<void>;
  /** Lets kudu present a certificate of its next authority alone. */
  replaceAuthority(): void;
}

const host = "127.0.0.1";
/** A reserved name that no name server resolves. */
const proxied = "kudu.test";

export async function openTlsBanks(): Promise<TlsBanks> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sluice-e2e-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, `${name}.new`), text);
    await rename(join(folder, `${name}.new`), join(folder, name));
    return join(folder, name);
  };
  const [agreed, next, callers] = ["Banks", "Banks 2", "Callers"].map((name) => createCertificateAuthority(name, machineTime.nowMs()));
  if (agreed === undefined || next === undefined || callers === undefined) throw new Error("three authorities were created");
  const atHost = agreed.issue({ name: "bank", hosts: [host] });
  const doors = {
    protea: opened.use(await openTlsProxy(host, { certificate: atHost, callerAuthority: callers.pem })),
    kudu: opened.use(await openTlsProxy(host, { certificate: agreed.issue({ name: "kudu", hosts: [proxied] }), callerAuthority: null })),
    mopane: opened.use(await openTlsProxy(host, { certificate: next.issue({ name: "mopane", hosts: [host] }), callerAuthority: null })),
  };
  const proxy = opened.use(await openEgressProxy(host, { [`${proxied}:443`]: doors.kudu.port }));
  const keys: string[] = [];
  const showTo = async (bank: "protea", { certificatePem, keyPem }: Certificate): Promise<void> => {
    keys.push(keyPem);
    await write(`${bank}-client.pem`, certificatePem);
    await write(`${bank}-client-key.pem`, keyPem);
  };
  await showTo("protea", callers.issue({ name: "sluice" }));
  const clientCertificate = { certificateFile: join(folder, "protea-client.pem"), keyFile: join(folder, "protea-client-key.pem") };
  const at = (url: string) => ({ baseUrl: url, eventsUrl: url });
  const members: Readonly<Record<TlsBankId, object>> = {
    protea: { ...at(`https://${host}:${doors.protea.port}`), caFile: await write("protea-ca.pem", agreed.pem), clientCertificate },
    kudu: { ...at(`https://${proxied}`), caFile: await write("kudu-ca.pem", agreed.pem), egressProxy: proxy.url, allowedAddresses: [] },
    mopane: { ...at(`https://${host}:${doors.mopane.port}`), caFile: await write("mopane-ca.pem", agreed.pem) },
  };
  const owned = opened.move();
  return {
    proxies: doors,
    egressProxy: proxy,
    keys: () => keys,
    secure: (banks) => banks.map((bank) => (isSecured(bank.id) ? { ...bank, members: { ...bank.members, ...members[bank.id] } } : bank)),
    forwardTo(environment) {
      for (const [id, tlsProxy] of Object.entries(doors)) tlsProxy.forwardTo(environment.bank(id).url);
    },
    replaceCallersAuthority() {
      const others = createCertificateAuthority("Callers 2", machineTime.nowMs());
      doors.protea.changeTerms({ certificate: atHost, callerAuthority: others.pem });
      return others.issue({ name: "sluice again" });
    },
    replaceClientCertificate: showTo,
    repairAuthority: async () => void (await write("mopane-ca.pem", next.pem)),
    announceAuthority: async () => void (await write("kudu-ca.pem", agreed.pem + next.pem)),
    replaceAuthority: () => doors.kudu.changeTerms({ certificate: next.issue({ name: "kudu", hosts: [proxied] }), callerAuthority: null }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function isSecured(id: string): id is TlsBankId {
  return id === "protea" || id === "kudu" || id === "mopane";
}
