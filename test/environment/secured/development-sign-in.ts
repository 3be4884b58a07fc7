// The sign-in of `./sluice up --secured`: a provider of OpenID Connect as a process of this machine, two people, and
// the sample's configuration with both.
//
// #1 Nobody makes a key: the console's is made once, beside the certificates.
// #2 The provider is a process of its own, so that nothing else loads its library, which the image does not have.
// #3 It has no passwords. A person is chosen by a click, as the sample's tokens are known to everybody: it listens on
//    the loopback address alone.

import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { noteProcess } from "@sluice/local-servers/running-record";
import { Fault } from "@sluice/kernel";
import { createClientKey, twoFactors } from "@sluice/testkit";
import { type DevelopmentSignIn, developmentPeople } from "./development-people.ts";

/** What the process of the provider reads. */
export interface ProviderSettings {
  readonly port: number;
  readonly certificateFile: string;
  readonly keyFile: string;
  readonly clientId: string;
  readonly clientKeyFile: string;
  readonly origin: string;
  readonly people: readonly { readonly subject: string; readonly name: string }[];
  /** The client of a command line; left out: it has none. */
  readonly commandLine?: { readonly clientId: string; readonly audience: string; readonly accessTokenLifeS: number };
}

interface SignInSettings {
  /** The folder of `up`, in which the provider is recorded. */
  readonly upFolder: string;
  readonly sampleFile: string;
  readonly authorityFile: string;
  /** Certificate of the listeners, and its key. */
  readonly certificateFile: string;
  readonly keyFile: string;
  /** Ports of the provider and of the console's pages. */
  readonly port: number;
  readonly consolePort: number;
}

const name = "sign-in";
const clientId = "console";
const commandLine = { clientId: "sluice-cli", audience: "urn:sluice:control", accessTokenLifeS: 300 } as const;
const startTimeoutMs = 60_000;
const shownLines = 5;

/** Writes the files; what it returns is true as soon as the provider runs. */
export function prepareSignIn(settings: SignInSettings): DevelopmentSignIn {
  const at = (file: string): string => join(settings.upFolder, "secured", file);
  const clientKeyFile = at("sign-in-key.pem");
  if (!existsSync(clientKeyFile)) writeFileSync(clientKeyFile, createClientKey(), { mode: 0o600 });
  const issuer = `https://127.0.0.1:${settings.port}`;
  const origin = `https://127.0.0.1:${settings.consolePort}`;
  const { port, certificateFile, keyFile } = settings;
  const people = developmentPeople.map((person) => ({ subject: person.subject, name: person.name }));
  const provided: ProviderSettings = { port, certificateFile, keyFile, clientId, clientKeyFile, origin, people, commandLine };
  writeFileSync(settingsFileIn(settings.upFolder), `${JSON.stringify(provided, null, 2)}\n`);
  const configurationFile = at("sluice.yaml");
  const { authorityFile: caFile } = settings;
  const operatorSignIn = {
    issuer,
    clientId,
    keyFile: clientKeyFile,
    origin,
    acrValues: [twoFactors],
    commandLineClient: commandLine.clientId,
    caFile,
  };
  const { audience } = commandLine;
  const tokenIssuers = [{ issuer, audience, algorithms: ["ES256"], jwksUrl: `${issuer}/jwks`, caFile }];
  writeFileSync(configurationFile, addMembers(readFileSync(settings.sampleFile, "utf8"), { operatorSignIn, tokenIssuers }));
  return { issuer, origin, configurationFile, commandLine: { clientId: commandLine.clientId, audience, caFile } };
}

/** JSON is YAML, so each addition is a line of its own and the sample's text stays. */
function addMembers(sample: string, members: Readonly<Record<string, unknown>>): string {
  const operators = developmentPeople.map((person) => `  - ${JSON.stringify(person)}\n`).join("");
  const parts = sample.split(/^operators:\n/m);
  if (parts.length !== 2) throw new Error("the sample has no list of operators");
  const made = "# Made by ./sluice up --secured from the sample, at each start: what is changed here is lost.\n";
  const added = Object.entries(members).map(([name, value]) => `${name}: ${JSON.stringify(value)}\n`);
  return `${made}${added.join("")}${parts.join(`operators:\n${operators}`)}`;
}

/** #2 Starts the provider that was prepared; it outlives this process. Rejects with Fault `cli.service-not-started`. */
export async function startSignInProvider(upFolder: string, port: number): Promise<void> {
  const settingsFile = settingsFileIn(upFolder);
  const logFile = join(upFolder, `${name}.log`);
  const entry = fileURLToPath(new URL("provide-sign-in.ts", import.meta.url));
  const log = openSync(logFile, "w");
  const child = spawn(process.execPath, [entry, settingsFile], { stdio: ["ignore", log, log, "ipc"], detached: true });
  closeSync(log);
  if (child.pid !== undefined) noteProcess(upFolder, { kind: "server", name, pid: child.pid, mark: settingsFile, ports: [port] });
  const over = new AbortController();
  const bound = AbortSignal.any([over.signal, AbortSignal.timeout(startTimeoutMs)]);
  const isListening = await Promise.race([
    once(child, "message", { signal: bound }).then(() => true),
    once(child, "exit", { signal: bound }).then(() => false),
  ]).catch(() => false);
  over.abort();
  if (!isListening) {
    child.kill("SIGKILL");
    const why = readFileSync(logFile, "utf8").trimEnd().split("\n").slice(-shownLines).join("\n");
    throw new Fault("cli.service-not-started", `the provider of sign-ins did not start: ${why} (${logFile})`, { isRetryable: false });
  }
  child.disconnect();
  child.unref();
}

function settingsFileIn(upFolder: string): string {
  return join(upFolder, "secured", "sign-in.json");
}
