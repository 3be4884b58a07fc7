// The provider at which the operators of a secured demo sign in: over TLS, as a process of its own like that of `up`,
// for as long as the day takes.

import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type ProviderSettings, type Secured, startSignInProvider } from "@sluice/environment";
import { freePorts, stopRecordedProcesses } from "@sluice/local-servers";
import { createClientKey, twoFactors } from "@sluice/testkit";
import { type DemoOperator, subjectOf } from "./configuration.ts";

const clientId = "console";

/** The member `operatorSignIn` of the configuration. */
export interface DemoSignIn {
  readonly issuer: string;
  readonly clientId: string;
  readonly keyFile: string;
  readonly origin: string;
  readonly acrValues: readonly string[];
  readonly caFile: string;
}

interface SignInPlace {
  /** The folder that was secured: only its owner can read it. */
  readonly folder: string;
  readonly secured: Pick<Secured, "authorityFile" | "listener">;
  readonly consolePort: number;
  readonly operators: readonly DemoOperator[];
}

/** `opened` ends the provider. */
export async function openSignIn(
  { folder, secured, consolePort, operators }: SignInPlace,
  opened: AsyncDisposableStack,
): Promise<DemoSignIn> {
  const at = (name: string): string => join(folder, "secured", name);
  const clientKeyFile = at("sign-in-key.pem");
  await writeFile(clientKeyFile, createClientKey(), { mode: 0o600 });
  const origin = `https://127.0.0.1:${consolePort}`;
  const [port = 0] = await freePorts(1);
  const people = operators.map((operator) => ({ subject: subjectOf(operator), name: operator.name }));
  const settings: ProviderSettings = { ...secured.listener, port, clientId, clientKeyFile, origin, people };
  await writeFile(at("sign-in.json"), JSON.stringify(settings));
  opened.defer(async () => void (await stopRecordedProcesses(folder)));
  await startSignInProvider(folder, port);
  const issuer = `https://127.0.0.1:${port}`;
  return { issuer, clientId, keyFile: clientKeyFile, origin, acrValues: [twoFactors], caFile: secured.authorityFile };
}
