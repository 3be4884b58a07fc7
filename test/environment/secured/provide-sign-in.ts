// The process of the provider at which developers sign in: `node provide-sign-in.ts SETTINGS_FILE`. It tells its
// starter when it listens, and runs until it is ended.

import { readFileSync } from "node:fs";
import { startOperatorProvider } from "@sluice/testkit/operator-provider";
import type { ProviderSettings } from "./development-sign-in.ts";

const [, , settingsFile = ""] = process.argv;
const settings: ProviderSettings = JSON.parse(readFileSync(settingsFile, "utf8"));
const { port, clientId, origin, people, commandLine } = settings;
const read = (path: string): string => readFileSync(path, "utf8");
const tls = { certificatePem: read(settings.certificateFile), keyPem: read(settings.keyFile) };
const clientKeyPem = read(settings.clientKeyFile);
const { issuer } = await startOperatorProvider({
  port,
  tls,
  clientId,
  clientKeyPem,
  origins: [origin],
  people,
  ...(commandLine === undefined ? {} : { commandLine }),
});
process.send?.({ issuer });
