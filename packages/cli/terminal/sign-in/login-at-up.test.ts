// A person signs in on a command line at the provider of `./sluice up --secured`: its own process, over TLS, and the
// configuration that it makes. The token is judged as the console judges it.

import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { readConfigurationFile } from "@sluice/config";
import { prepareSecured, prepareSignIn, startSignInProvider } from "@sluice/environment";
import { settingsOfSignIn } from "@sluice/environment/development-people";
import { machineRandom, machineTime, silentLogger, sleep } from "@sluice/kernel";
import { freePorts } from "@sluice/local-servers";
import { stopRecordedProcesses } from "@sluice/local-servers/running-record";
import { tokenPorts } from "@sluice/process";
import { createMetrics, createTokens, identifyAtCommandLine } from "@sluice/service";
import { openAccessTokens } from "@sluice/service/access-tokens";
import { expect, test } from "vitest";
import { sampleFile } from "../../verbs/local/configuration-option.ts";
import { runLogin } from "../../verbs/shell/login.ts";
import { buildCall } from "../console.fixture.ts";
import { addProfile } from "../profiles.ts";
import { enterCode } from "./code-entry.fixture.ts";
import { keptSignInPath, readSignIn } from "./kept-sign-in.ts";
import { makeProof } from "./proof-key.ts";

test("a person of up --secured signs in on a command line, and is the operator of the file [D10.134]", { timeout: 60_000 }, async () => {
  await using opened = new AsyncDisposableStack();
  const upFolder = mkdtempSync(join(tmpdir(), "sluice-up-"));
  opened.defer(() => rmSync(upFolder, { recursive: true }));
  const { authorityFile, listener } = prepareSecured(upFolder, "sluice");
  const [port = 0, consolePort = 0] = await freePorts(2);
  const prepared = prepareSignIn({ upFolder, sampleFile, authorityFile, ...listener, port, consolePort });
  opened.defer(async () => void (await stopRecordedProcesses(upFolder)));
  await startSignInProvider(upFolder, port);

  const { issuer, origin } = prepared;
  const { clientId = "", audience = "", caFile = "" } = prepared.commandLine ?? {};
  const profilesFile = join(upFolder, "profiles.json");
  addProfile(profilesFile, { name: "up", url: origin, tokenFile: null, signIn: { issuer, clientId, audience }, caFile });
  const entered: Promise<string>[] = [];
  await runLogin(buildCall({}, "up"), {
    out: () => {},
    fetch,
    profilesFile,
    say: (text) => void entered.push(enterCode(text, "development-thandi", 2)),
    sleep: (ms) => sleep(machineTime, Math.min(ms, 500)),
  });
  await Promise.all(entered);

  const configuration = readConfigurationFile(prepared.configurationFile, {});
  const { operators, operatorSignIn, tokenIssuers } = configuration;
  const parts = {
    configuration,
    time: machineTime,
    random: machineRandom,
    logger: silentLogger,
    metrics: createMetrics({ withProcess: false }),
  };
  const environment = { SLUICE_PUBLIC_ORIGINS: settingsOfSignIn(prepared)["SLUICE_PUBLIC_ORIGINS"]?.split(",") ?? null };
  const stopping = new AbortController().signal;
  const judging = await tokenPorts.open({ ...parts, name: "console", environment, stopping, opened });
  const accessTokens = openAccessTokens(tokenIssuers, { ...parts, tokenPorts: judging });
  const nowMs = () => machineTime.nowMs();
  const tokens = createTokens(operators, nowMs, accessTokens, (judged, { certificate }) =>
    identifyAtCommandLine(judged, { operatorSignIn, operators }, certificate, nowMs()),
  );
  const kept = readSignIn(keptSignInPath(profilesFile, "up"));
  const token = kept?.accessToken ?? "";
  const url = `${origin}/control/v1/me`;
  const proof = makeProof(kept?.keyPem ?? "", { method: "GET", url, token, nonce: null }, nowMs());
  const shown = { authorization: `DPoP ${token}`, proof, method: "GET", url, certificate: null };
  expect(await tokens.identify(shown)).toMatchObject({ ok: true, holder: { id: "thandi", roles: ["read", "act"] } });
});
