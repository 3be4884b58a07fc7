import { createHash } from "node:crypto";
import { createServer } from "node:http";
import { machineRandom, machineTime, type Time } from "@sluice/runtime";
import { Pool, request } from "undici";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startBankSimulator, startConnectorSimulator, type BankSimulatorOptions } from "./bank-simulator.ts";
import { idleLookMs } from "./bank-server.ts";
import { acknowledge, dropConnection, refuse, reportNotMade, staySilent } from "./bank-script.ts";
import { bodyOf, creditTransfer, directDebit, offUsDebit, sampleUetr, statusReport } from "./builders.ts";

const opened: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const stack of opened.splice(0)) await stack.disposeAsync();
});

/** An ingress that answers these codes in turn, and keeps what it was sent. */
async function givenIngress(codes: readonly number[]) {
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

async function givenBank(options: Partial<BankSimulatorOptions> = {}) {
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

/** Posts a debit over one connection, free again after each answer: of several, each would find out for itself that it was cut. */
function givenCaller({ url }: { readonly url: string }) {
  const dispatcher = new Pool(url, { connections: 1 });
  keep(() => dispatcher.destroy());
  let cuts = 0;
  dispatcher.on("disconnect", () => (cuts += 1));
  const debit = { method: "POST", body: bodyOf(directDebit()), headers: { "webhook-id": "w1" }, dispatcher } as const;
  const call = async (): Promise<number> => {
    const answer = await request(`${url}/inbound/direct-debit`, { ...debit, signal: AbortSignal.timeout(5_000) });
    await answer.body.dump();
    return answer.statusCode;
  };
  return { call, cuts: () => cuts };
}

/** Ten times as fast as the machine's: a second of patience takes a tenth. */
const quickTime: Time = {
  nowMs: () => machineTime.nowMs(),
  monotonicMs: () => machineTime.monotonicMs() * 10,
  after: (delayMs, action) => machineTime.after(delayMs / 10, action),
};

describe("the bank simulator on real HTTP", () => {
  it("with its door closed refuses connections, also those that were kept; opened again it is where it was", async () => {
    const bank = await givenBank();
    const { call } = givenCaller(bank);
    for (let round = 0; round < 2; round += 1) {
      expect(await call()).toBe(202);
      await bank.closeDoor();
      // Whoever calls may notice only now that the connection it kept is gone.
      await expect(call()).rejects.toMatchObject({ code: expect.stringMatching(/^(ECONNREFUSED|ECONNRESET|UND_ERR_SOCKET)$/) });
      await expect(call()).rejects.toMatchObject({ code: "ECONNREFUSED" });
      await bank.openDoor();
    }
    expect(await call()).toBe(202);
    expect(bank.recorded.requests.filter(({ entry }) => entry.kind === "received")).toHaveLength(3);
  });

  it("cuts nothing of what came after its door was opened again, however late it looks", async () => {
    const looks: (() => void)[] = [];
    const after: Time["after"] = (delayMs, action) => {
      if (delayMs === idleLookMs) looks.push(action);
      return machineTime.after(delayMs, action);
    };
    const bank = await givenBank({ time: { ...machineTime, after } });
    const { call, cuts } = givenCaller(bank);
    expect(await call()).toBe(202);
    await bank.closeDoor();
    await vi.waitFor(() => expect(cuts()).toBe(1));
    await bank.openDoor();
    expect(await call()).toBe(202);
    for (const look of looks) look();
    expect([looks.length > 0, await call(), cuts()]).toEqual([true, 202, 1]);
  });

  it("acknowledges a debit with 202 and an empty body, records its bytes, and reports to ingress with its token", async () => {
    const ingress = await givenIngress([202]);
    const bank = await givenBank({ ingressUrl: ingress.url, script: [{ reports: [reportNotMade({ afterMs: 20 })] }] });
    const body = bodyOf(directDebit());
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

  it("refuses with a code and Retry-After, cuts the connection, or says nothing, as scripted", async () => {
    const bank = await givenBank({
      script: [
        { attempts: [1, 1], answer: refuse(503, "3") },
        { attempts: [2, 2], answer: dropConnection },
        { attempts: [3, 3], answer: staySilent },
      ],
    });
    const url = `${bank.url}/outbound/direct-debit-response`;
    const refused = await post(url, bodyOf(statusReport()));
    await refused.body.dump();
    expect([refused.statusCode, refused.headers["retry-after"]]).toEqual([503, "3"]);
    await expect(post(url, bodyOf(statusReport()))).rejects.toMatchObject({ code: "UND_ERR_SOCKET" });
    await expect(post(url, bodyOf(statusReport()))).rejects.toMatchObject({ name: "TimeoutError" });
    const accepted = await post(url, bodyOf(statusReport()));
    await accepted.body.dump();
    expect(accepted.statusCode).toBe(202);
    expect(bank.recorded.receivedEntries().map(({ status }) => status)).toEqual([503, null, null, 202]);
  });

  it("answers late, or twice on one connection", async () => {
    const bank = await givenBank({ script: [{ answer: acknowledge({ afterMs: 60, copies: 2 }) }] });
    const startedMs = performance.now();
    const answer = await post(
      `${bank.url}/events`,
      bodyOf({ type: "DIRECT_DEBIT_HELD", stageVersion: 4, tranInfo: { tranUetr: sampleUetr } }),
    );
    await answer.body.dump();
    expect(answer.statusCode).toBe(202);
    expect(performance.now() - startedMs).toBeGreaterThan(50);
    expect(bank.recorded.receivedEntries()).toMatchObject([{ operation: "events", stageVersion: 4, state: "HELD", uetr: sampleUetr }]);
  });

  it("demands its token, and knows only the addresses of a bank", async () => {
    const bank = await givenBank({ expectedToken: "secret" });
    const codes: number[] = [];
    for (const [path, token] of [
      ["/events", "wrong"],
      ["/events", "secret"],
      ["/elsewhere", "secret"],
      ["/inbound/credit-transfer-authorisation", "secret"],
      ["/inbound/direct-debit-response", "secret"],
    ] as const) {
      const answer = await post(`${bank.url}${path}`, bodyOf({ tranInfo: { tranUetr: sampleUetr } }), { authorization: `Bearer ${token}` });
      await answer.body.dump();
      codes.push(answer.statusCode);
    }
    expect(codes).toEqual([401, 202, 404, 202, 404]);
  });

  it("a connector sends to the scheme's addresses, and is told outcomes at its own two", async () => {
    const ingress = await givenIngress([202]);
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
    await connector.sendDebit(offUsDebit());
    await connector.sendCredit(creditTransfer());
    await connector.declareCreditsFinal();
    expect(ingress.received.map(({ path, token }) => [path, token])).toEqual(
      ["/scheme/inbound/direct-debit", "/scheme/inbound/credit-transfer-authorisation", "/scheme/credits-final"].map((path) => [
        path,
        "Bearer c1",
      ]),
    );
    const codes: number[] = [];
    for (const path of ["/inbound/direct-debit-response", "/inbound/credit-transfer-authorisation-response", "/inbound/direct-debit"]) {
      const answer = await post(`${connector.url}${path}`, bodyOf(statusReport()));
      await answer.body.dump();
      codes.push(answer.statusCode);
    }
    expect(codes).toEqual([202, 202, 404]);
    expect(connector.recorded.receivedEntries().map(({ bank, operation }) => [bank, operation])).toEqual([
      ["clearing", "inboundDirectDebitResponse"],
      ["clearing", "inboundCreditTransferAuthorizationResponse"],
    ]);
  });

  it("sends a debit again after a 503, and nothing while it has no address", async () => {
    const ingress = await givenIngress([503, 202]);
    const bank = await givenBank({ time: quickTime, giveUpAfterMs: 10_000 });
    const sent = bank.sendDebit(directDebit());
    await vi.waitFor(() => expect(bank.recorded.sentEntries()).toHaveLength(1));
    bank.callAt(ingress.url);
    expect(await sent).toMatchObject({ status: 202 });
    expect(bank.recorded.sentEntries().map(({ status }) => status)).toEqual(expect.arrayContaining([null, 503, 202]));
    expect(ingress.received.map(({ path }) => path)).toEqual(Array.from({ length: 2 }, () => "/transactions/outbound/direct-debit"));
  });
});
