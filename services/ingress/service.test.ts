import { createHash } from "node:crypto";
import { refusalWindowMs } from "@sluice/service";
import { partitionFor } from "@sluice/contracts";
import {
  encodeBody,
  buildDirectDebit,
  invalidAccount,
  sampleToken,
  sampleUetr,
  buildStatusReport,
  type MessageObject,
} from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { debitBody, startTestIngress, partitionCount, postBody, ingressStartAtMs } from "./ingress.fixture.ts";
import type { IngressAnswer, IngressRequest } from "./service.ts";

describe("a debit that is accepted", () => {
  it("is in the journal under its UETR, with sender, receipt time and provisional deadline, before 202 is answered [4 outboundDirectDebit] [4 step-2] [D5.11]", async () => {
    const { accept, journal } = await startTestIngress();
    const upper = sampleUetr.toUpperCase();
    expect(await accept(buildDirectDebit({ uetr: upper, amount: "1250.50" }))).toEqual({ status: 202 });
    const [record] = journal();
    expect(record).toMatchObject({ key: sampleUetr, partition: partitionFor(sampleUetr, partitionCount) });
    expect(record?.headers["sluice-type"]).toBe("DirectDebitReceived");
    expect(record?.decoded).toMatchObject({
      name: "DirectDebitReceived",
      value: {
        sender: "first",
        receivedAtMs: ingressStartAtMs + 50,
        // 06:00 UTC is 08:00 in the scheme's zone; it closes at 17:30.
        reconciliationDay: "ZA_EFT:2026-11-20",
        closesAtMs: Date.UTC(2026, 10, 20, 15, 30),
        debit: { transactionIdentifiers: { uetr: upper }, amounts: { bankSettlementAmount: { value: 12_505_000n, digits: 2 } } },
      },
    });
  });

  it("is not answered before the broker has acknowledged it [8 ack-202] [D3.1] [D3.2]", async () => {
    const { ingress, time, environment, journal } = await startTestIngress();
    environment.fate = { kind: "append", delayMs: 400 };
    let answer: IngressAnswer | null = null;
    void ingress
      .accept({ operation: "outboundDirectDebit", caller: "first", body: encodeBody(buildDirectDebit()) })
      .then((said) => (answer = said));
    await time.advance(390);
    expect([answer, journal().length]).toEqual([null, 0]);
    await time.advance(50);
    expect([answer, journal().length]).toEqual([{ status: 202 }, 1]);
  });

  it("hands a caller's trace on as it is, and begins one that is not sampled if there is none or a bad one", async () => {
    const { accept, journal } = await startTestIngress();
    const given = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
    await accept(buildDirectDebit(), { traceparent: given });
    await accept(buildDirectDebit());
    await accept(buildDirectDebit(), { traceparent: "00-zz-1-01" });
    const [first, ...others] = journal().map(({ headers }) => headers["traceparent"] ?? "");
    expect(first).toBe(given);
    for (const made of others) expect(made).toMatch(/^00-[0-9a-f]{32}-[0-9a-f]{16}-00$/);
  });

  it("keeps a caller's tracestate beside its traceparent, and logs the traceparent alone [D8 trace]", async () => {
    const { requested, journal, environment } = await startTestIngress();
    const given = { traceparent: "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01", tracestate: "congo=t61rcWkgMzE" };
    const post = postBody(encodeBody(buildDirectDebit()));
    await requested("/outbound/direct-debit", { ...post, headers: { ...Object.fromEntries(new Headers(post.headers)), ...given } });
    expect(journal()[0]?.headers).toMatchObject(given);
    const [line] = environment.lines.filter(({ event }) => event === "ingress.answered");
    expect(line?.fields).toMatchObject({ traceparent: given.traceparent });
  });

  it("has one wide log line without account number, name or token", async () => {
    const { requested, environment } = await startTestIngress();
    await requested("/outbound/direct-debit", postBody(encodeBody(buildDirectDebit())));
    const lines = environment.lines.filter(({ event }) => event === "ingress.answered");
    expect(lines).toHaveLength(1);
    expect(lines[0]?.fields).toMatchObject({
      operation: "outboundDirectDebit",
      caller: "first",
      status: 202,
      uetr: sampleUetr,
      offset: 0n,
    });
    const written = JSON.stringify(lines, (_, value: unknown) => (typeof value === "bigint" ? String(value) : value));
    for (const secret of ["62001872440", "Mokoena", "Karoo", sampleToken("first")]) expect(written).not.toContain(secret);
  });
});

describe("a report that is accepted", () => {
  it("is in the journal under its UETR from any configured bank, because ingress does not check whose debit it is", async () => {
    const { accept, journal } = await startTestIngress();
    const uetr = sampleUetr.toUpperCase();
    expect(await accept(buildStatusReport({ uetr }), { operation: "inboundDirectDebitResponse", caller: "second" })).toEqual({
      status: 202,
    });
    expect(journal()).toMatchObject([
      { key: sampleUetr, decoded: { name: "StatusReportReceived", value: { sender: "second", receivedAtMs: ingressStartAtMs + 50 } } },
    ]);
  });
});

describe("a message that is refused", () => {
  const cases: readonly (readonly [string, number, string, MessageObject | Uint8Array, Partial<IngressRequest>])[] = [
    ["that is not JSON", 400, "", new TextEncoder().encode("{"), {}],
    ["that is of another schema", 400, "/schema", buildStatusReport(), {}],
    ["without a required member", 400, "/debtorAccount", buildDirectDebit({ members: { debtorAccount: undefined } }), {}],
    ["with a member that is not known", 400, "/surprise", buildDirectDebit({ members: { surprise: 1 } }), {}],
    ["in a currency without such minor units", 422, "/amounts", buildDirectDebit({ amount: "1.234" }), {}],
    [
      "from a caller that is not the bank of the creditor's agent",
      403,
      "/creditorAgent",
      buildDirectDebit({ creditorBranch: "250656" }),
      {},
    ],
    ["for a creditor's agent of no configured bank", 422, "/creditorAgent", buildDirectDebit({ creditorBranch: "999999" }), {}],
    ["to another bank", 422, "/debtorAgent", buildDirectDebit({ creditorBranch: "250655", debtorBranch: "250656" }), {}],
    ["to an agent of no configured bank", 422, "/debtorAgent", buildDirectDebit({ creditorBranch: "250655", debtorBranch: "999999" }), {}],
    ["from a caller that is not configured", 403, "", buildDirectDebit(), { caller: "third" }],
    [
      "that contradicts itself as a report",
      422,
      "/status",
      buildStatusReport({ members: { status: { code: "ACSC", outcome: "REJECTED" } } }),
      { operation: "inboundDirectDebitResponse" },
    ],
  ];
  it.each(cases)("%s: %i, and nothing is stored", async (_, status, path, message, request) => {
    const { accept, journal } = await startTestIngress();
    const answer = await accept(message, request);
    expect(answer).toMatchObject({
      status,
      error: { schema: "ErrorDetail", message: expect.any(String), detail: expect.stringContaining(path) },
    });
    expect(JSON.stringify(answer)).not.toMatch(/62001872440|Mokoena|Karoo/);
    expect(journal()).toEqual([]);
  });
});

describe("over HTTP, before the message is read", () => {
  const body = encodeBody(buildDirectDebit());
  const path = "/transactions/outbound/direct-debit";
  const cases: readonly (readonly [string, number, string, RequestInit])[] = [
    ["an unknown path", 404, "/transactions/outbound", postBody(body)],
    ["an unknown path, also without a token", 404, "/", postBody(body, { authorization: undefined })],
    ["another method, before the token", 405, path, { method: "GET" }],
    ["no token", 401, path, postBody(body, { authorization: undefined })],
    ["an unknown token, before the content type", 401, path, postBody(body, { authorization: "Bearer x", "content-type": "text/plain" })],
    ["another content type, before the length", 415, path, postBody(body, { "content-type": "text/xml", "content-length": undefined })],
    ["another charset", 415, path, postBody(body, { "content-type": "application/json; charset=latin1" })],
    ["a compressed body", 415, path, postBody(body, { "content-encoding": "gzip" })],
    ["no length", 411, path, postBody(body, { "content-length": undefined })],
    ["a length above 256 KiB [D10.9]", 413, path, postBody(body, { "content-length": "262145" })],
    ["a length that is not that of the body", 400, path, postBody(body, { "content-length": "5" })],
  ];
  it.each(cases)("%s: %i with an ErrorDetail, and nothing is stored", async (_, status, address, init) => {
    const { requested, journal, environment } = await startTestIngress();
    const response = await requested(address, init);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toBe("application/json");
    expect(await response.json()).toEqual({ schema: "ErrorDetail", message: expect.any(String), detail: expect.any(String) });
    expect(response.headers.get("allow")).toBe(status === 405 ? "POST" : null);
    expect(journal()).toEqual([]);
    expect(environment.lines.filter(({ event }) => event === "ingress.answered")).toHaveLength(1);
  });

  it("all four addresses accept their message [D2 outboundDirectDebit] [D2 inboundDirectDebitResponse]", async () => {
    const { requested, journal } = await startTestIngress();
    for (const prefix of ["/transactions", ""]) {
      const debit = await requested(
        `${prefix}/outbound/direct-debit`,
        postBody(body, { "content-type": 'application/json; charset="UTF-8"' }),
      );
      const report = await requested(`${prefix}/inbound/direct-debit-response`, postBody(encodeBody(buildStatusReport())));
      expect([debit.status, await debit.text(), report.status, await report.text()]).toEqual([202, "", 202, ""]);
    }
    expect(journal()).toHaveLength(4);
  });

  it("every address of a message is answered without the Fetch API, and nothing else is", async () => {
    const { ingress } = await startTestIngress();
    const direct = ingress.routes.filter(({ method, path }) => ingress.direct(method, path) !== null);
    expect(direct.length).toBeGreaterThan(0);
    expect(direct).toEqual(ingress.routes.filter(({ method }) => method === "POST"));
  });
});

describe("what is decided later", () => {
  it("a bank's report on a credit has an address of its own [D2 credit-transfer-response]", async () => {
    const { requested, journal } = await startTestIngress();
    const path = "/transactions/inbound/credit-transfer-authorisation-response";
    expect((await requested(path, postBody(encodeBody(buildStatusReport())))).status).toBe(202);
    expect(journal()).toMatchObject([{ decoded: { value: { operation: "inboundCreditTransferAuthorizationResponse" } } }]);
  });

  it("a debit that the validator will refuse is answered 202, and in the journal [D3.22]", async () => {
    const { requested, journal } = await startTestIngress();
    const wrong = buildDirectDebit({ debtorAccount: invalidAccount(1), amount: "0", requestedCollectionDate: "2020-01-01" });
    expect((await requested("/transactions/outbound/direct-debit", postBody(encodeBody(wrong)))).status).toBe(202);
    expect(journal()).toMatchObject([{ decoded: { name: "DirectDebitReceived" } }]);
  });
});

describe("while the journal is not available", () => {
  it("a message gets 503 with Retry-After, never a false 202, and the next ones get it at once [7.2] [D3.3]", async () => {
    const { messaging, requested, time, ingress, journal } = await startTestIngress();
    messaging.setBroker(false);
    const startedMs = time.monotonicMs();
    const first = await requested("/outbound/direct-debit", postBody(encodeBody(buildDirectDebit())));
    expect([first.status, first.headers.get("retry-after"), time.monotonicMs() - startedMs]).toEqual([503, "1", 1_000]);
    const second = await requested("/outbound/direct-debit", postBody(encodeBody(buildDirectDebit())));
    expect([second.status, second.headers.get("retry-after"), time.monotonicMs() - startedMs]).toEqual([503, "1", 1_000]);
    await time.advance(1_000);
    expect(ingress.readiness()).toEqual({ isReady: false, reasons: ["journal: broker"] });
    expect(journal()).toEqual([]);
  });

  it("a bad message still gets its 4xx", async () => {
    const { messaging, accept } = await startTestIngress();
    messaging.setBroker(false);
    await accept(buildDirectDebit());
    expect(await accept(buildDirectDebit({ creditorBranch: "250656" }))).toMatchObject({ status: 403 });
  });

  it("messages are accepted again by themselves when the broker is back", async () => {
    const { messaging, accept, time, ingress } = await startTestIngress();
    messaging.setBroker(false);
    expect(await accept(buildDirectDebit())).toMatchObject({ status: 503, retryAfterSeconds: 1 });
    await time.advance(5_000);
    messaging.setBroker(true);
    await time.advance(3_000);
    expect(ingress.readiness()).toEqual({ isReady: true, reasons: [] });
    expect(await accept(buildDirectDebit())).toEqual({ status: 202 });
  });
});

describe("bounds", () => {
  it("a caller that asks for more than its half gets 429 unread, and room is free again afterwards", async () => {
    const { ingress, environment, time, settled, accept } = await startTestIngress();
    environment.fate = { kind: "append", delayMs: 500 };
    const large = new Uint8Array(250 * 1024).fill(32);
    large.set(encodeBody(buildDirectDebit()));
    const request: IngressRequest = { operation: "outboundDirectDebit", caller: "first", body: large };
    const answers = await settled(Promise.all(Array.from({ length: 200 }, () => ingress.accept(request))));
    const codes = answers.map(({ status }) => status);
    expect([codes.filter((code) => code === 202).length, codes.filter((code) => code === 429).length]).toEqual([66, 134]);
    await time.advance(1_000);
    expect(await accept(buildDirectDebit())).toEqual({ status: 202 });
  });

  it("a stop finishes the requests in progress and accepts no more", async () => {
    const { ingress, environment, settled, accept } = await startTestIngress();
    environment.fate = { kind: "append", delayMs: 300 };
    const underWay = ingress.accept({ operation: "outboundDirectDebit", caller: "first", body: encodeBody(buildDirectDebit()) });
    const stopped = ingress.stop();
    expect(await accept(buildDirectDebit())).toMatchObject({ status: 503 });
    expect(await settled(underWay)).toEqual({ status: 202 });
    await settled(stopped);
    expect(ingress.readiness().isReady).toBe(false);
  });
});

describe("I15: the log of ingress", () => {
  const connection = { remoteAddress: "192.0.2.7", onClose: () => {}, authenticated: () => {} };
  const path = "/outbound/direct-debit";

  it("has few lines of a stranger's refusals, with its address, and a line that counts the others", async () => {
    const { requested, environment, time } = await startTestIngress();
    for (let count = 0; count < 300; count += 1) {
      await requested("/elsewhere", { method: "POST" }, connection);
      await requested(path, postBody(debitBody, { authorization: `Bearer guess-${count}` }), connection);
    }
    await time.advance(refusalWindowMs);
    const lines = environment.lines.filter(({ event }) => event === "ingress.answered");
    expect(lines.map(({ fields }) => [fields["status"], fields["remoteAddress"], fields["caller"]])).toEqual(
      Array.from({ length: 5 }, () => [404, 401].map((status) => [status, "192.0.2.7", null])).flat(),
    );
    const counted = environment.lines.filter(({ event }) => event === "ingress.refusals-not-logged");
    expect(counted.map(({ fields }) => [fields["status"], fields["remoteAddress"], fields["count"]])).toEqual([
      [404, "192.0.2.7", 295],
      [401, "192.0.2.7", 295],
    ]);
  });

  it("says which token a caller used and from where, and never the token", async () => {
    const { requested, environment } = await startTestIngress();
    await requested(path, postBody(debitBody), connection);
    const line = environment.lines.find(({ event }) => event === "ingress.answered");
    const tokenId = createHash("sha256").update(sampleToken("first")).digest("hex").slice(0, 12);
    expect(line?.fields).toMatchObject({ status: 202, caller: "first", tokenId, remoteAddress: "192.0.2.7" });
    expect(JSON.stringify(line, (_name, value: unknown) => (typeof value === "bigint" ? String(value) : value))).not.toContain(
      sampleToken("first"),
    );
  });
});
