// The provider of `up --secured` as a process, over TLS, and the console's own sign-in at it.

import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { request } from "node:https";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { readConfigurationFile } from "@sluice/config";
import { freePorts } from "@sluice/local-servers";
import { readRecord, stopRecordedProcesses } from "@sluice/local-servers/running-record";
import { machineRandom, machineTime, silentLogger } from "@sluice/kernel";
import { signInPorts } from "@sluice/process";
import { createMetrics } from "@sluice/service";
import { createSignIn } from "@sluice/service/sign-in";
import { afterEach, expect, test } from "vitest";
import { developmentPeople } from "./development-people.ts";
import { prepareSignIn, startSignInProvider } from "./development-sign-in.ts";
import { prepareSecured } from "./secured.ts";

const sampleFile = fileURLToPath(new URL("../../../infra/local/sluice.yaml", import.meta.url));
const opened: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const stack of opened.splice(0)) await stack.disposeAsync();
});

async function prepare() {
  const stack = new AsyncDisposableStack();
  opened.push(stack);
  const upFolder = mkdtempSync(join(tmpdir(), "sluice-up-"));
  stack.defer(() => rmSync(upFolder, { recursive: true }));
  const { authorityFile, listener } = prepareSecured(upFolder, "sluice");
  const [port = 0, consolePort = 0] = await freePorts(2);
  const signIn = prepareSignIn({ upFolder, sampleFile, authorityFile, ...listener, port, consolePort });
  stack.defer(async () => {
    await stopRecordedProcesses(upFolder);
  });
  return { stack, upFolder, port, authorityFile, ...signIn };
}

/** A browser as far as redirects and cookies go, up to an address that begins with `until`. */
function openVisitor(ca: string) {
  const cookies = new Map<string, string>();
  const visit = (address: string) =>
    new Promise<{ readonly location: string | undefined; readonly text: string }>((resolve, reject) => {
      const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const asking = request(address, { ca, headers: { cookie } }, (answer) => {
        for (const set of answer.headers["set-cookie"] ?? []) {
          const [, name = "", value = ""] = /^([^=]+)=([^;]*)/.exec(set) ?? [];
          cookies.set(name, value);
        }
        let text = "";
        answer.setEncoding("utf8").on("data", (part: string) => (text += part));
        answer.once("end", () => resolve({ location: answer.headers.location, text })).once("error", reject);
      });
      asking.once("error", reject).end();
    });
  return async (address: string, until: string) => {
    for (let at = address, steps = 0; steps < 10; steps += 1) {
      const { location, text } = await visit(at);
      if (location === undefined) return { address: at, text };
      at = new URL(location, at).href;
      if (at.startsWith(until)) return { address: at, text };
    }
    throw new Error("it never ends");
  };
}

async function openConsoleSignIn(configurationFile: string, stack: AsyncDisposableStack) {
  const configuration = readConfigurationFile(configurationFile, {});
  const metrics = createMetrics({ withProcess: false });
  const parts = {
    name: "console",
    environment: {},
    configuration,
    time: machineTime,
    random: machineRandom,
    logger: silentLogger,
    metrics,
  };
  const stopping = new AbortController().signal;
  const ports = await signInPorts.open({ ...parts, stopping, opened: stack });
  return createSignIn({ ...ports, ...parts, provider: () => configuration.operatorSignIn });
}

test("both people sign in over TLS at the process of the provider, which ends with what is recorded", async () => {
  const { stack, upFolder, port, authorityFile, origin, configurationFile } = await prepare();
  await startSignInProvider(upFolder, port);
  expect(readRecord(upFolder)?.processes).toEqual([expect.objectContaining({ kind: "server", name: "sign-in", ports: [port] })]);
  const signIn = await openConsoleSignIn(configurationFile, stack);
  for (const { subject, name } of developmentPeople) {
    const begun = await signIn.begin("/days", "127.0.0.1");
    const follow = openVisitor(readFileSync(authorityFile, "utf8"));
    const form = await follow(begun?.location ?? "", origin);
    expect(form.text).toContain(`${name}, with a second factor`);
    const back = await follow(`${form.address}?person=${subject}&factors=2`, origin);
    expect(back.address.startsWith(`${origin}/sign-in/callback?`)).toBe(true);
    const finished = await signIn.finish(begun?.flow ?? null, new URL(back.address).searchParams);
    expect(finished).toMatchObject({ kind: "signed-in", next: "/days", person: { subject } });
  }
  expect(await stopRecordedProcesses(upFolder)).toEqual(["sign-in"]);
});

test("the configuration is the sample's, with the provider, one who acts and one who approves", async () => {
  const { configurationFile, issuer, origin } = await prepare();
  const [sample, made] = [sampleFile, configurationFile].map((path) => readConfigurationFile(path, {}));
  expect(made).toEqual({
    ...sample,
    hash: expect.any(String) as unknown,
    operators: [
      expect.objectContaining({ id: "thandi", roles: ["read", "act"], tokens: [] }),
      expect.objectContaining({ id: "sipho", roles: ["read", "approve"], tokens: [] }),
      ...(sample?.operators ?? []),
    ],
    operatorSignIn: expect.objectContaining({ issuer, origin, takesTokens: true, commandLineClient: "sluice-cli" }) as unknown,
    tokenIssuers: [expect.objectContaining({ issuer, audience: "urn:sluice:control" })],
  });
});

test("the console's key is made once, and only its owner can read it", async () => {
  const { upFolder, authorityFile } = await prepare();
  const keyFile = join(upFolder, "secured", "sign-in-key.pem");
  const first = readFileSync(keyFile, "utf8");
  const { listener } = prepareSecured(upFolder, "sluice");
  prepareSignIn({ upFolder, sampleFile, authorityFile, ...listener, port: 1, consolePort: 2 });
  expect([readFileSync(keyFile, "utf8"), statSync(keyFile).mode & 0o077]).toEqual([first, 0]);
});

test("a provider that does not start says why", async () => {
  const { upFolder, port } = await prepare();
  writeFileSync(join(upFolder, "secured", "listener-key.pem"), "no key");
  await expect(startSignInProvider(upFolder, port)).rejects.toThrow(/the provider of sign-ins did not start: .*sign-in\.log/s);
});
