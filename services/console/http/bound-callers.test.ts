// Every address of the control API and of the banks' side, over TLS on real ports, with every way to come as a caller
// that is bound to certificates.

import { controlOperations, controlPrefix, servedOperations } from "@sluice/contracts";
import { machineTime, silentLogger } from "@sluice/kernel";
import { listen, listenLimitsDefault, type HttpListener, type ListenOptions } from "@sluice/service";
import {
  askOverTls,
  type BoundCallers,
  createBoundCallers,
  encodeBody,
  expectedChallenge,
  sampleBank,
  sampleOperator,
} from "@sluice/testkit";
import { afterAll, expect, test } from "vitest";
import { consoleUetr, openConsoleEnvironment } from "../console.fixture.ts";

const opened: HttpListener[] = [];
afterAll(() => Promise.all(opened.map((listener) => listener.close(0))));

const bound = {
  operator: createBoundCallers("thandi", "zola", machineTime.nowMs()),
  bank: createBoundCallers("first", "second", machineTime.nowMs()),
};
const environment = open();

/** The console under a virtual clock, behind listeners that ask for certificates. */
async function open() {
  const { desk, settled, time } = await openConsoleEnvironment({
    banks: [sampleBank({ id: "first", ...bound.bank.own }), sampleBank({ id: "second", branch: "250656", ...bound.bank.other })],
    operators: [
      sampleOperator({ id: "thandi", roles: ["read"], ...bound.operator.own }),
      sampleOperator({ id: "zola", ...bound.operator.other }),
    ],
  });
  const control: ListenOptions["fetch"] = async (request, connection) => {
    // The operator's rate is counted in the virtual time.
    await time.advance(1_000);
    return await settled(desk.fetchControl(await readWhole(request), connection));
  };
  const banks: ListenOptions["fetch"] = async (request, connection) => await settled(desk.fetch(await readWhole(request), connection));
  return { operator: await serve(bound.operator, control), bank: await serve(bound.bank, banks) };
}

/** The body comes in the machine's time, and everything else happens in the virtual one. */
async function readWhole(request: Request): Promise<Request> {
  const body = await request.arrayBuffer();
  const { url, method, headers } = request;
  return new Request(url, { method, headers, ...(body.byteLength === 0 ? {} : { body }) });
}

async function serve({ listener: shown, clientAuthorities, listenerAuthority }: BoundCallers, fetch: ListenOptions["fetch"]) {
  const listener = await listen({
    fetch,
    host: "127.0.0.1",
    port: 0,
    limits: listenLimitsDefault,
    logger: silentLogger,
    tls: {
      clientCertificates: "asked",
      current: () => ({ certificate: Buffer.from(shown.certificatePem), key: Buffer.from(shown.keyPem), clientAuthorities }),
      onRenewal: () => ({ [Symbol.dispose]: () => {} }),
    },
  });
  opened.push(listener);
  return { port: listener.port, authority: listenerAuthority };
}

const parts: Readonly<Record<string, string>> = { uetr: consoleUetr, bank: "first" };
const fill = (path: string): string => path.replaceAll(/\{(\w+)\}/g, (_, name: string) => parts[name] ?? "1");
const routes = [
  ...controlOperations.map(({ method, path }) => ({ kind: "operator" as const, method, path: `${controlPrefix}${fill(path)}` })),
  ...servedOperations
    .filter(({ service }) => service === "console")
    .flatMap(({ method, paths }) => paths.map((path) => ({ kind: "bank" as const, method, path: fill(path) }))),
];
const cases = routes.flatMap((route) => bound[route.kind].callers.map((caller) => ({ ...route, caller, name: caller.name })));

test("every address has every caller", () => {
  expect(cases.length).toBe(routes.length * bound.bank.callers.length);
  expect(routes.length).toBeGreaterThan(controlOperations.length);
});

test.each(cases)("$method $path with $name [D10.88]", async ({ kind, method, path, caller }) => {
  const server = (await environment)[kind];
  const { status, challenge } = await askOverTls(server, caller, { method, path, body: method === "POST" ? encodeBody({}) : null });
  expect(challenge).toBe(expectedChallenge(caller));
  // A caller that is let in is answered by the operation, or refused for a role that it lacks.
  expect(status === 401).toBe(caller.refusal !== null);
  expect(status).not.toBe(500);
});
