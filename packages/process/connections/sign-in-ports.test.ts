// The provider of sign-ins over TLS, whose authority only the configuration names.

import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { machineRandom, machineTime, silentLogger } from "@sluice/kernel";
import { createMetrics } from "@sluice/service";
import { createSignIn } from "@sluice/service/sign-in";
import { createCertificateAuthority, createClientKey, sampleConfiguration, twoFactors } from "@sluice/testkit";
import { startOperatorProvider } from "@sluice/testkit/operator-provider";
import { expect, test } from "vitest";
import { signInPorts } from "./sign-in-ports.ts";

const origin = "https://console.example";

test("a provider over TLS is used with its authority from the configuration, and not without [D10.110]", async () => {
  const folder = mkdtempSync(join(tmpdir(), "sluice-provider-"));
  await using stack = new AsyncDisposableStack();
  stack.defer(() => rmSync(folder, { recursive: true }));
  const authority = createCertificateAuthority("Authority", machineTime.nowMs());
  const caFile = join(folder, "ca.pem");
  writeFileSync(caFile, authority.pem);
  const tls = authority.issue({ name: "provider", hosts: ["127.0.0.1"] });
  const client = { clientId: "console", clientKeyPem: createClientKey() };
  const keyFile = join(folder, "key.pem");
  writeFileSync(keyFile, client.clientKeyPem);
  const provider = await startOperatorProvider({ ...client, port: 0, tls, origins: [origin], people: [] });
  stack.defer(() => provider.close());
  const process = { name: "console", environment: {}, configuration: sampleConfiguration(), time: machineTime, random: machineRandom };
  const ports = await signInPorts.open({
    ...process,
    logger: silentLogger,
    metrics: createMetrics({ withProcess: false }),
    stopping: new AbortController().signal,
    opened: stack,
  });
  const settings = {
    issuer: provider.issuer,
    clientId: "console",
    keyFile,
    keyId: null,
    origin,
    algorithms: ["ES256"],
    acrValues: [twoFactors],
    rolesClaim: null,
    bankClaim: null,
    schemesClaim: null,
    commandLineClient: null,
    takesTokens: false,
  } as const;
  const begin = async (authorities: string | null) => {
    const named = () => ({ ...settings, caFile: authorities });
    const own = { time: machineTime, random: machineRandom, logger: silentLogger, metrics: createMetrics({ withProcess: false }) };
    const signIn = createSignIn({ ...ports, ...own, provider: named });
    return (await signIn.begin("/", null))?.location ?? null;
  };
  expect(await begin(caFile)).toMatch(/^https:\/\/127\.0\.0\.1:\d+\/auth\?client_id=console&request_uri=urn%3A/);
  expect(await begin(null)).toBeNull();
  const keys = { kind: "url", url: `${provider.issuer}/jwks`, caFile } as const;
  const keySet = await ports.loadKeySet({ issuer: provider.issuer, audience: "console", algorithms: [], keys });
  expect(keySet).toContain('"kid":"provider"');
});
