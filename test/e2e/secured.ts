// Banks that are reached over TLS alone, each in another way, and the files by which the configuration names what they agreed on.
//
// #1 protea demands a certificate of its callers. kudu has a name that leads nowhere but through a proxy. mopane shows a certificate of another
//    authority than the file names that was agreed on.
// #2 A file is put in place as a whole, as docs/runbooks/rotate-credentials.md has it.

import { mkdtemp, rename, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineTime } from "@sluice/runtime";
import { createAuthority, type Certificate } from "@sluice/testkit";
import { openEgressProxy, type EgressProxy } from "./egress-proxy.ts";
import { openTlsDoor, type TlsDoor } from "./tls-door.ts";
import type { World, WorldBank } from "./world.ts";

export type SecuredBank = "protea" | "kudu" | "mopane";

export interface SecuredBanks extends AsyncDisposable {
  readonly doors: Readonly<Record<SecuredBank, TlsDoor>>;
  readonly proxy: EgressProxy;
  /** In the clear, every key that Sluice was given for them. */
  readonly keys: () => readonly string[];
  /** The same banks with what secures them in their members. */
  among(banks: readonly WorldBank[]): readonly WorldBank[];
  leadTo(world: World): void;
  /** protea believes only callers of another authority from now on; resolves with the certificate that it has signed for Sluice. */
  replaceCallersAuthority(): Certificate;
  /** In the files that the configuration names. */
  showTo(bank: "protea", certificate: Certificate): Promise<void>;
  /** mopane's file gets the authority that it shows a certificate of. */
  mendAuthority(): Promise<void>;
  /** kudu's next authority; the file that names its authorities then holds both. */
  announceAuthority(): Promise<void>;
  /** kudu shows a certificate of its next authority alone from now on. */
  replaceAuthority(): void;
}

const host = "127.0.0.1";
/** Reserved: no name server knows it. */
const proxied = "kudu.test";

export async function openSecuredBanks(): Promise<SecuredBanks> {
  await using opened = new AsyncDisposableStack();
  const folder = await mkdtemp(join(tmpdir(), "sluice-e2e-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const write = async (name: string, text: string): Promise<string> => {
    await writeFile(join(folder, `${name}.new`), text);
    await rename(join(folder, `${name}.new`), join(folder, name));
    return join(folder, name);
  };
  const [agreed, next, callers] = ["Banks", "Banks 2", "Callers"].map((name) => createAuthority(name, machineTime.nowMs()));
  if (agreed === undefined || next === undefined || callers === undefined) throw new Error("three were made");
  const atHost = agreed.issue({ name: "bank", hosts: [host] });
  const doors = {
    protea: opened.use(await openTlsDoor(host, { shown: atHost, believes: callers.pem })),
    kudu: opened.use(await openTlsDoor(host, { shown: agreed.issue({ name: "kudu", hosts: [proxied] }), believes: null })),
    mopane: opened.use(await openTlsDoor(host, { shown: next.issue({ name: "mopane", hosts: [host] }), believes: null })),
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
  const members: Readonly<Record<SecuredBank, object>> = {
    protea: { ...at(`https://${host}:${doors.protea.port}`), caFile: await write("protea-ca.pem", agreed.pem), clientCertificate },
    kudu: { ...at(`https://${proxied}`), caFile: await write("kudu-ca.pem", agreed.pem), egressProxy: proxy.url, allowedAddresses: [] },
    mopane: { ...at(`https://${host}:${doors.mopane.port}`), caFile: await write("mopane-ca.pem", agreed.pem) },
  };
  const owned = opened.move();
  return {
    doors,
    proxy,
    keys: () => keys,
    among: (banks) => banks.map((bank) => (isSecured(bank.id) ? { ...bank, members: { ...bank.members, ...members[bank.id] } } : bank)),
    leadTo(world) {
      for (const [id, door] of Object.entries(doors)) door.leadTo(world.bank(id).url);
    },
    replaceCallersAuthority() {
      const others = createAuthority("Callers 2", machineTime.nowMs());
      doors.protea.changeTerms({ shown: atHost, believes: others.pem });
      return others.issue({ name: "sluice again" });
    },
    showTo,
    mendAuthority: async () => void (await write("mopane-ca.pem", next.pem)),
    announceAuthority: async () => void (await write("kudu-ca.pem", agreed.pem + next.pem)),
    replaceAuthority: () => doors.kudu.changeTerms({ shown: next.issue({ name: "kudu", hosts: [proxied] }), believes: null }),
    [Symbol.asyncDispose]: () => owned.disposeAsync(),
  };
}

function isSecured(id: string): id is SecuredBank {
  return id === "protea" || id === "kudu" || id === "mopane";
}
