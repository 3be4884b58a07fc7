// The local registry as a bank runs its own: over TLS alone, with a login by basic authentication, and with users who
// may only read. In memory or kept; kept data is that of the plain registry.

import { mkdir, writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import { loopbackAddress } from "../free-ports.ts";
import { registryProperties } from "./registry-server.ts";
import type { ServerKind } from "./server-kind.ts";

export interface RegistryUser {
  readonly user: string;
  readonly password: string;
  /** False: it may only read. */
  readonly mayRegister: boolean;
}

export interface SecuredRegistryOptions {
  /** At least one. */
  readonly users: readonly RegistryUser[];
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly authorityPem: string;
}

const answerTimeoutMs = 1_000;
const isSecret = { mode: 0o600 } as const;

export function securedRegistry({ users, certificateFile, keyFile, authorityPem }: SecuredRegistryOptions): ServerKind {
  return {
    name: "registry",
    ports: 2,
    hasArchive: true,
    async plan({ installed, directory, ports: [port = 0, unused = 0], storage }) {
      await mkdir(join(directory, "registry"), { recursive: true });
      const address = `https://${loopbackAddress}:${port}/apis/ccompat/v7`;
      const file = join(directory, "registry", "secured.properties");
      const embedded = "quarkus.security.users.embedded";
      const settings = {
        ...registryProperties(storage),
        // The port without TLS is not opened, but it has to be named.
        "quarkus.http.port": String(unused),
        "quarkus.http.insecure-requests": "disabled",
        "quarkus.http.ssl-port": String(port),
        "quarkus.http.ssl.certificate.files": certificateFile,
        "quarkus.http.ssl.certificate.key-files": keyFile,
        "quarkus.http.auth.basic": "true",
        "quarkus.http.auth.permission.all.paths": "/*",
        "quarkus.http.auth.permission.all.policy": "authenticated",
        "apicurio.auth.role-based-authorization": "true",
        [`${embedded}.plain-text`]: "true",
        ...Object.fromEntries(
          users.flatMap(({ user, password, mayRegister }) => [
            [`${embedded}.users.${user}`, password],
            [`${embedded}.roles.${user}`, mayRegister ? "sr-developer" : "sr-readonly"],
          ]),
        ),
      };
      const lines = Object.entries(settings).map(([name, value]) => `${name}=${value}\n`);
      await writeFile(file, lines.join(""), isSecret);
      return {
        arguments: ["-Xms64m", "-Xmx256m", `-Dsmallrye.config.locations=${file}`, "-jar", installed.registryJar],
        address,
        isReady: () => answersSubjects(`${address}/subjects`, users[0], authorityPem),
      };
    },
  };
}

async function answersSubjects(url: string, first: RegistryUser | undefined, ca: string): Promise<boolean> {
  const auth = `${first?.user ?? ""}:${first?.password ?? ""}`;
  return await new Promise((resolve, reject) => {
    const asked = request(url, { auth, ca, signal: AbortSignal.timeout(answerTimeoutMs) }, (answer) => {
      answer.resume().once("end", () => resolve(answer.statusCode === 200));
    });
    asked.once("error", reject).end();
  });
}
