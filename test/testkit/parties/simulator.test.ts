import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { machineRandom, machineTime, type Time } from "@sluice/kernel";
import { Pool, request } from "undici";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startBankSimulator, startConnectorSimulator, type BankSimulatorOptions } from "./simulator.ts";
import { idleCheckMs } from "./server.ts";
import { acknowledge, dropConnection, refuse, reportRejected, staySilent } from "./script.ts";
import { encodeBody, buildCreditTransfer, buildDirectDebit, buildOffUsDebit, sampleUetr, buildStatusReport } from "../messages/builders.ts";

const opened: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const stack of opened.splice(0)) await stack.disposeAsync();
});

/** Starts an ingress that answers these codes in turn and keeps the requests that it received. */
async function startIngressStub(codes: readonly number[]) {
  const received: { path: string; token: string; body: string }[] = [];
  const server = createServer((incoming, response) => {
    let body = "";
    incoming.setEncoding("utf8").on("data", (text: string) => (body += text));
    incoming.on("end", () => {
      received.push({ path: incoming.url ?? "", token: incoming.headers.authorization ?? "", body });
      response.writeHead(codes[Math.min(received.length, codes.length) - 1] ?? 202).end();
    });
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  keep(() => new Promise<void>((resolve) => server.close(() => resolve())));
  const address = server.address();
  if (address === null || typeof address === "string") throw new Error("no address");
  return { url: `http://127.0.0.1:${address.port}`, received };
}

async function startBank(options: Partial<BankSimulatorOptions> = {}) {
  const machine = { time: machineTime, random: machineRandom, host: "127.0.0.1", port: 0 };
  const bank = await startBankSimulator({ ...machine, bankId: "first", token: "t1", ingressUrl: null, ...options });
  keep(() => bank.stop());
  return bank;
}

function keep(close: () => Promise<void>): void {
  const stack = new AsyncDisposableStack();
  stack.defer(close);
  opened.unshift(stack);
}

const post = (url: string, body: Uint8Array, headers: Record<string, string> = {}) =>
  request(url, { method: "POST", body, headers: { "webhook-id": "w1", ...headers }, signal: AbortSignal.timeout(200) });

/** Posts debits over one connection, because each of several would have to notice its own disconnect. */
function createCaller({ url }: { readonly url: string }) {
  const dispatcher = new Pool(url, { connections: 1 });
  keep(() => dispatcher.destroy());
  let cuts = 0;
  dispatcher.on("disconnect", () => (cuts += 1));
  const debit = { method: "POST", body: encodeBody(buildDirectDebit()), headers: { "webhook-id": "w1" }, dispatcher } as const;
  const call = async (): Promise<number> => {
    const answer = await request(`${url}/inbound/direct-debit`, { ...debit, signal: AbortSignal.timeout(5_000) });
    await answer.body.dump();
    return answer.statusCode;
  };
  return { call, cuts: () => cuts };
}

/** A clock ten times as fast as the machine's, so that a timeout of a second takes a tenth. */
const quickTime: Time = {
  nowMs: () => machineTime.nowMs(),
  monotonicMs: () => machineTime.monotonicMs() * 10,
  after: (delayMs, action) => machineTime.after(delayMs / 10, action),
};

describe("the bank simulator on real HTTP", () => {
  it("refuses new and kept connections while it does not accept, and accepts again at the same address", async () => {
    const bank = await startBank();
    const { call } = createCaller(bank);
    for (let round = 0; round < 2; round += 1) {
      expect(await call()).toBe(202);
      await bank.stopAccepting();
      // The caller may notice only now that its kept connection has ended.
      await expect(call()).rejects.toMatchObject({ code: expect.stringMatching(/^(ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET)$/) });
      await expect(call()).rejects.toMatchObject({ code: "ECONNREFUSED" });
      await bank.startAccepting();
    }
    expect(await call()).toBe(202);
    expect(bank.recorded.requests.filter(({ entry }) => entry.kind === "received")).toHaveLength(3);
  });

  it("closes no connection that was opened after it accepts again, however late its idle check runs", async () => {
    const looks: (() => void)[] = [];
    const after: Time["after"] = (delayMs, action) => {
      if (delayMs === idleCheckMs) looks.push(action);
      return machineTime.after(delayMs, action);
    };
    const bank = await startBank({ time: { ...machineTime, after } });
    const { call, cuts } = createCaller(bank);
    expect(await call()).toBe(202);
    await bank.stopAccepting();
    await vi.waitFor(() => expect(cuts()).toBe(1));
    await bank.startAccepting();
    expect(await call()).toBe(202);
    for (const look of looks) look();
    expect([looks.length > 0, await call(), cuts()]).toEqual([true, 202, 1]);
  });

  it("acknowledges a debit with 202 and an empty body, records its bytes, and reports to ingress with its token", async () => {
    const ingress = await startIngressStub([202]);
    const bank = await startBank({ ingressUrl: ingress.url, script: [{ reports: [reportRejected({ afterMs: 20 })] }] });
    const body = encodeBody(buildDirectDebit());
    const answer = await post(`${bank.url}/inbound/direct-debit`, body, { "webhook-id": "abcD", traceparent: "00-1-2-01" });
    expect([answer.statusCode, await answer.body.text()]).toEqual([202, ""]);
    await vi.waitFor(() => expect(ingress.received).toHaveLength(1));
    expect(ingress.received[0]).toMatchObject({ path: "/transactions/inbound/direct-debit-response", token: "Bearer t1" });
    expect(JSON.parse(ingress.received[0]?.body ?? "")).toMatchObject({
      status: { code: "RJCT" },
      transactionIdentifiers: { uetr: sampleUetr },
    });
    const kept = bank.recorded.requests[0];
    expect(kept?.entry).toMatchObject({ webhookId: "abcD", bodyHash: createHash("sha256").update(body).digest("hex"), status: 202 });
    expect(Buffer.from(kept?.body ?? [])).toEqual(Buffer.from(body));
    expect(kept?.headers["traceparent"]).toBe("00-1-2-01");
  });

  it("refuses with a code and Retry-After, cuts the connection, or does not answer, as scripted", async () => {
    const bank = await startBank({
      script: [
        { attempts: [1, 1], answer: refuse(503, "3") },
        { attempts: [2, 2], answer: dropConnection },
        { attempts: [3, 3], answer: staySilent },
      ],
    });
    const url = `${bank.url}/outbound/direct-debit-response`;
    const refused = await post(url, encodeBody(buildStatusReport()));
    await refused.body.dump();
    expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([503, "3"]);
    await expect(post(url, encodeBody(buildStatusReport()))).rejects.toMatchObject({ code: "UND_ERR_SOCKET" });
    await expect(post(url, encodeBody(buildStatusReport()))).rejects.toMatchObject({ name: "TimeoutError" });
    const accepted = await post(url, encodeBody(buildStatusReport()));
    await accepted.body.dump();
    expect(accepted.statusCode).toBe(202);
    expect(bank.recorded.receivedEntries().map(({ status }) => status)).toEqual([503, null, null, 202]);
  });

  it("answers late, or twice on one connection", async () => {
    const bank = await startBank({ script: [{ answer: acknowledge({ afterMs: 60, copies: 2 }) }] });
    const startedMs = performance.now();
    const answer = await post(
      `${bank.url}/events`,
      encodeBody({ type: "DIRECT_DEBIT_HELD", stageVersion: 4, tranInfo: { tranUetr: sampleUetr } }),
    );
    await answer.body.dump();
    expect(answer.statusCode).toBe(202);
    expect(performance.now() - startedMs).toBeGreaterThan(50);
    expect(bank.recorded.receivedEntries()).toMatchObject([{ operation: "events", stageVersion: 4, state: "HELD", uetr: sampleUetr }]);
  });

  it("requires its token, and serves only the paths of a bank", async () => {
    const bank = await startBank({ expectedToken: "secret" });
    const codes: number[] = [];
    for (const [path, token] of [
      ["/events", "wrong"],
      ["/events", "secret"],
      ["/elsewhere", "secret"],
      ["/inbound/credit-transfer-authorisation", "secret"],
      ["/inbound/direct-debit-response", "secret"],
    ] as const) {
      const answer = await post(`${bank.url}${path}`, encodeBody({ tranInfo: { tranUetr: sampleUetr } }), {
        authorization: `Bearer ${token}`,
      });
      await answer.body.dump();
      codes.push(answer.statusCode);
    }
    expect(codes).toEqual([401, 202, 404, 202, 404]);
  });

  it("a connector sends to the scheme's paths, and receives outcome reports at its own two paths", async () => {
    const ingress = await startIngressStub([202]);
    const connector = await startConnectorSimulator({
      time: machineTime,
      random: machineRandom,
      connectorId: "clearing",
      token: "c1",
      ingressUrl: ingress.url,
      host: "127.0.0.1",
      port: 0,
    });
    keep(() => connector.stop());
    await connector.sendDebit(buildOffUsDebit());
    await connector.sendCredit(buildCreditTransfer());
    await connector.declareCreditsFinal();
    expect(ingress.received.map(({ path, token }) => [path, token])).toEqual(
      ["/scheme/inbound/direct-debit", "/scheme/inbound/credit-transfer-authorisation", "/scheme/credits-final"].map((path) => [
        path,
        "Bearer c1",
      ]),
    );
    const codes: number[] = [];
    for (const path of ["/inbound/direct-debit-response", "/inbound/credit-transfer-authorisation-response", "/inbound/direct-debit"]) {
      const answer = await post(`${connector.url}${path}`, encodeBody(buildStatusReport()));
      await answer.body.dump();
      codes.push(answer.statusCode);
    }
    expect(codes).toEqual([202, 202, 404]);
    expect(connector.recorded.receivedEntries().map(({ bank, operation }) => [bank, operation])).toEqual([
      ["clearing", "inboundDirectDebitResponse"],
      ["clearing", "inboundCreditTransferAuthorizationResponse"],
    ]);
  });

  it("sends a debit again after a 503, and sends nothing while it has no address of ingress", async () => {
    const ingress = await startIngressStub([503, 202]);
    const bank = await startBank({ time: quickTime, giveUpAfterMs: 10_000 });
    const sent = bank.sendDebit(buildDirectDebit());
    await vi.waitFor(() => expect(bank.recorded.sentEntries()).toHaveLength(1));
    bank.setIngressUrl(ingress.url);
    expect(await sent).toMatchObject({ status: 202 });
    expect(bank.recorded.sentEntries().map(({ status }) => status)).toEqual(expect.arrayContaining([null, 503, 202]));
    expect(ingress.received.map(({ path }) => path)).toEqual(Array.from({ length: 2 }, () => "/transactions/outbound/direct-debit"));
  });
});
