// The registry and the store as a bank runs them, in front of the servers of an environment: the registry over TLS with
// a login, the store over TLS with certificates on both sides. The variables are those of a program.

import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { request } from "node:http";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, type Server } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";
import { machineTime } from "@sluice/kernel";
import { createCertificateAuthority } from "@sluice/testkit";

export interface SecuredServers {
  /** The settings of a program that takes these ways alone. */
  readonly variables: Readonly<Record<string, string>>;
  /** Requests to the registry that had the login, and connections to the store. */
  readonly counts: { registry: number; store: number };
  /** The file with the registry's password. */
  readonly passwordFile: string;
}

const password = "secret-registry";

/** `opened` ends the servers and removes the files. */
export async function openSecuredServers(
  opened: AsyncDisposableStack,
  { registryUrl, storeUrl }: { readonly registryUrl: string; readonly storeUrl: string },
): Promise<SecuredServers> {
  const authority = createCertificateAuthority("Servers", machineTime.nowMs());
  const { keyPem: key, certificatePem: cert } = authority.issue({ name: "server", hosts: ["127.0.0.1"] });
  const client = authority.issue({ name: "sluice" });
  const folder = await mkdtemp(join(tmpdir(), "sluice-servers-"));
  opened.defer(() => rm(folder, { recursive: true }));
  const write = async (name: string, content: string): Promise<string> => {
    await writeFile(join(folder, name), content);
    return join(folder, name);
  };
  const counts = { registry: 0, store: 0 };
  const login = `Basic ${Buffer.from(`sluice:${password}`).toString("base64")}`;
  const registry = createHttpsServer({ key, cert }, (asked, answer) => {
    if (asked.headers.authorization !== login) {
      answer.writeHead(401).end();
      return;
    }
    counts.registry += 1;
    const { method, headers } = asked;
    const passed = request(new URL(asked.url ?? "/", registryUrl), { method, headers }, (got) => {
      answer.writeHead(got.statusCode ?? 502, got.headers);
      got.pipe(answer);
    });
    passed.once("error", () => answer.destroy());
    asked.pipe(passed);
  });
  const { hostname, port } = new URL(storeUrl.replace(/^mongodb:/, "http:"));
  const store = createTlsServer({ key, cert, ca: authority.pem, requestCert: true, rejectUnauthorized: true }, (near) => {
    counts.store += 1;
    const far = connect(Number(port), hostname);
    near.pipe(far).pipe(near);
    near.on("error", () => far.destroy()).on("close", () => far.destroy());
    far.on("error", () => near.destroy()).on("close", () => near.destroy());
  });
  const passwordFile = await write("password", password);
  const ca = await write("ca.pem", authority.pem);
  const registryPort = await listen(opened, registry);
  const storePort = await listen(opened, store);
  return {
    counts,
    passwordFile,
    variables: {
      SCHEMA_REGISTRY_URL: `https://127.0.0.1:${registryPort}${new URL(registryUrl).pathname}`,
      SCHEMA_REGISTRY_TLS_CA_FILE: ca,
      SCHEMA_REGISTRY_USERNAME: "sluice",
      SCHEMA_REGISTRY_PASSWORD_FILE: passwordFile,
      MONGO_URL_FILE: await write("store-url", `mongodb://127.0.0.1:${storePort}/?directConnection=true`),
      MONGO_TLS: "on",
      MONGO_TLS_CA_FILE: ca,
      MONGO_TLS_CERTIFICATE_FILE: await write("certificate.pem", client.certificatePem),
      MONGO_TLS_KEY_FILE: await write("key.pem", client.keyPem),
    },
  };
}

async function listen(opened: AsyncDisposableStack, server: Server): Promise<number> {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  opened.defer(() => void server.close());
  return (server.address() as AddressInfo).port;
}
