// Plays the three flows through a business day on real processes: credits and the gate, outcome reports to a connector,
// events in every shape that a bank may choose, banks over TLS and behind a proxy, queries to the console, callers, and
// the close. A connector declares the credits of the day final.

import { catchUp, createMemoryInbox, readProgress, proveComplete, readMessage, type Message } from "@sluice/receiver";
import { acknowledge, invalidAccount, validAccount, refuse, staySilent } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { askConsole, sendDebit, sendToIngress } from "./parties/calls.ts";
import { createCases } from "./parties/cases.ts";
import { runSluice } from "./command-line.ts";
import {
  parseKeepingDigits,
  findDocumentViolations,
  findReceived,
  enteredStates,
  loadTransaction,
  untilHolds,
  untilState,
  wasSent,
} from "./recorded/evidence.ts";
import { findEventsOfClass, expectEsmEvent, expectWholeEvent, withoutRepeats, untilAllEvents } from "./recorded/events.ts";
import { createCase, type E2eCase, type FlowName, flows, outgoingIdentification } from "./parties/flows.ts";
import { askControl, readMembers, readRows } from "./parties/operators.ts";
import {
  allFlows,
  threeFlowsBankIds,
  threeFlowsBanks,
  debitFlows,
  scriptedDebits,
  unreachableBank,
  expectedItemRows,
  type ThreeFlowsBankId,
} from "./parties/three-flows.fixture.ts";
import { openTlsBanks, type TlsBanks } from "./environment/tls-banks.ts";
import { findSignedReceivers, signingReferences, verifyRequests } from "./environment/signatures.ts";
import { findInbound, findOutcomeReports, untilOutcomeReported } from "./recorded/outcome-reports.ts";
import { clearingConnectorId, openE2eEnvironment, type E2eEnvironment } from "./environment/environment.ts";

const opened = new AsyncDisposableStack();
let environment: E2eEnvironment;
let tlsBanks: TlsBanks;
const { caseFor, submit, submitReport, size } = createCases(() => environment, [...threeFlowsBanks, unreachableBank]);

beforeAll(async () => {
  tlsBanks = opened.use(await openTlsBanks());
  const options = { references: signingReferences, operators: [{ id: "thandi", roles: ["read", "act"] }] } as const;
  environment = opened.use(await openE2eEnvironment(tlsBanks.secure([...threeFlowsBanks, unreachableBank]), "connector", options));
  tlsBanks.forwardTo(environment);
  // These credits have the shortest deadline, 10 s.
  for (const name of ["silent", "unreported"] as const) {
    const credit = caseFor("credit", name, "karoo", { scheme: "ZA_RTC" });
    if (name === "silent") environment.bank("karoo").addRules([{ operation: flows.credit.inbound, uetr: credit.uetr, answer: staySilent }]);
    await submit(credit);
  }
});
afterAll(() => opened.disposeAsync());

/** Returns the case whose message has every optional member. */
function fullCase(flow: FlowName, bank: ThreeFlowsBankId): E2eCase {
  return caseFor(flow, "full", bank, { isFull: true });
}

describe("credits", () => {
  test.each(threeFlowsBankIds)(
    "a credit to %s is forwarded and reported as settled, and the connector gets that outcome [6 example-trigger] [D7 CREDIT_AUTH_*]",
    async (bank) => {
      const credit = fullCase("credit", bank);
      await submit(credit);
      await untilState(environment, credit.uetr, "CREDIT_AUTH_DELIVERED");
      await submitReport(credit);
      const transaction = await untilState(environment, credit.uetr, "CREDIT_AUTH_RESPONSE_ACCEPTED");
      expect(enteredStates(transaction)).toEqual(flows.credit.path);
      await untilOutcomeReported(environment, credit, { code: "ACSC", outcome: "APPROVED" });
    },
  );

  test("a credit that the bank did not book is final too, and the connector gets the bank's reason [D7 CREDIT_AUTH_RESPONSE_ACCEPTED]", async () => {
    const credit = caseFor("credit", "not-booked", "baobab");
    await submit(credit);
    await untilState(environment, credit.uetr, "CREDIT_AUTH_DELIVERED");
    await submitReport(credit, { outcome: "pending" });
    await submitReport(credit, { outcome: "not-made", reason: "AC04" });
    const { observations } = await untilState(environment, credit.uetr, "CREDIT_AUTH_RESPONSE_ACCEPTED");
    expect(observations.last).toMatchObject([{ kind: "report-pending" }]);
    await untilOutcomeReported(environment, credit, { code: "RJCT", outcome: "REJECTED", reasonInfo: [{ reason: { value: "AC04" } }] });
  });

  test("a credit to an invalid account is refused, and never reaches the bank [4 step-3] [D7 CREDIT_AUTH_REJECTED]", async () => {
    const credit = caseFor("credit", "refused", "karoo", { account: invalidAccount(3) });
    await submit(credit);
    await untilState(environment, credit.uetr, "CREDIT_AUTH_REJECTED");
    await untilOutcomeReported(environment, credit, { code: "RJCT", outcome: "REJECTED", reasonInfo: [{ reason: { value: "AC03" } }] });
    expect(findInbound(environment, credit)).toEqual([]);
  });

  test("a credit that the bank refuses for good is a delivery failure, and the connector gets RJCT [D7 CREDIT_AUTH_DELIVERY_FAILURE]", async () => {
    const credit = caseFor("credit", "undeliverable", "karoo");
    environment.bank("karoo").addRules([{ operation: flows.credit.inbound, uetr: credit.uetr, answer: refuse(400) }]);
    await submit(credit);
    await untilState(environment, credit.uetr, "CREDIT_AUTH_DELIVERY_FAILURE");
    await untilOutcomeReported(environment, credit, { code: "RJCT", outcome: "REJECTED", reasonInfo: [{ reason: { value: "MS03" } }] });
    expect(findInbound(environment, credit).map(({ status }) => status)).toEqual([400]);
  });

  test.each([
    ["silent", 7],
    ["unreported", 9],
  ] as const)(
    "a credit that is %s until its deadline is an item of row %i, and the connector gets PDNG, never RJCT [7.7] [7.9] [D7 CREDIT_AUTH_RECONCILIATION]",
    async (name, row) => {
      const credit = caseFor("credit", name);
      await untilState(environment, credit.uetr, "CREDIT_AUTH_RECONCILIATION");
      await untilOutcomeReported(environment, credit, { code: "PDNG", outcome: "PENDING" });
      await untilHolds(async () =>
        expect((await loadTransaction(environment, credit.uetr)).items).toMatchObject([{ row, settledAtMs: null }]),
      );
      await submitReport(credit);
      await untilHolds(async () => {
        const { items, state } = await loadTransaction(environment, credit.uetr);
        expect(items).toMatchObject([{ lateAnswers: expect.arrayContaining([expect.objectContaining({ text: "report: made" })]) }]);
        expect(state).toBe("CREDIT_AUTH_RECONCILIATION");
      });
      expect(findOutcomeReports(environment, credit)).toHaveLength(1);
    },
  );
});

describe("the gate", () => {
  const blocking = (): E2eCase => caseFor("credit", "blocking", "kudu");

  test("I8: all debits are held until the connector declares the credits final; no other caller may [4 step-1] [4 step-2] [4 step-6] [8 ack-202] [D9 credits-final]", async () => {
    const unacknowledged = caseFor("on-us", "unacknowledged", "acacia");
    environment.bank("acacia").addRules([{ operation: "outboundDirectDebitResponse", uetr: unacknowledged.uetr, answer: refuse(503) }]);
    await submit(unacknowledged);
    await submit(blocking());
    await untilState(environment, blocking().uetr, "CREDIT_AUTH_DELIVERED");
    for (const bank of threeFlowsBankIds) for (const flow of debitFlows) await submit(fullCase(flow, bank));
    for (const [flow, name, bank, rule] of scriptedDebits) {
      const debit = caseFor(flow, name, bank);
      const party = rule?.operation === flows["off-us"].answer ? environment.connector : environment.bank(bank);
      if (rule !== null) party.addRules([{ ...rule, uetr: debit.uetr }]);
      await submit(debit);
    }
    for (const bank of threeFlowsBankIds) for (const flow of debitFlows) await untilState(environment, fullCase(flow, bank).uetr, "HELD");
    for (const [flow, name, bank] of scriptedDebits) await untilState(environment, caseFor(flow, name, bank).uetr, "HELD");
    expect((await environment.bank("karoo").declareCreditsFinal({ businessDate: environment.businessDate })).status).toBe(422);
    expect((await environment.connector.declareCreditsFinal({ businessDate: "2026-01-02" })).status).toBe(422);
    expect(environment.recorded.receivedEntries().filter(({ operation }) => operation === "inboundDirectDebit")).toEqual([]);
  });

  test("I8: the gate of a bank stays closed while an earlier credit to it is unresolved, and opens when it ends [4 step-7] [4 step-8] [D9 credits-final]", async () => {
    for (let count = 0; count < 2; count += 1) {
      expect((await environment.connector.declareCreditsFinal({ businessDate: environment.businessDate })).status).toBe(202);
    }
    for (const bank of threeFlowsBankIds) {
      if (bank !== "kudu") for (const flow of debitFlows) await untilState(environment, fullCase(flow, bank).uetr, "DELIVERED");
    }
    for (const flow of debitFlows) {
      const debit = fullCase(flow, "kudu");
      expect([(await loadTransaction(environment, debit.uetr)).state, findInbound(environment, debit)]).toEqual(["HELD", []]);
    }
    await submitReport(blocking());
    for (const flow of debitFlows) await untilState(environment, fullCase(flow, "kudu").uetr, "DELIVERED");
  });

  test("a credit after the declaration is processed at once, and closes nothing [D9 late-credit]", async () => {
    const credit = caseFor("credit", "late", "marula");
    await submit(credit);
    await untilState(environment, credit.uetr, "CREDIT_AUTH_DELIVERED");
    const debit = caseFor("on-us", "after-late-credit", "marula");
    await submit(debit);
    const { transitions } = await untilState(environment, debit.uetr, "DELIVERED");
    expect((await loadTransaction(environment, credit.uetr)).state).toBe("CREDIT_AUTH_DELIVERED");
    expect(transitions).toHaveLength(6);
    for (const about of [credit, debit]) await submitReport(about);
  });
});

describe("the ends of debits", () => {
  test.each(threeFlowsBankIds)(
    "%s settles its debits: on-us no outcome report is due, off-us the connector gets one [4 step-9] [4 step-10] [D7 COMPLETED]",
    async (bank) => {
      for (const flow of debitFlows) {
        const debit = fullCase(flow, bank);
        await submitReport(debit);
        expect(enteredStates(await untilState(environment, debit.uetr, "COMPLETED"))).toEqual(flows[flow].path);
      }
      await untilOutcomeReported(environment, fullCase("off-us", bank), { code: "ACSC", outcome: "APPROVED" });
      expect(findOutcomeReports(environment, fullCase("on-us", bank))).toEqual([]);
    },
  );

  test("off-us: the connector acknowledges no outcome report yet, and the debit still ends [D7 COMPLETED]", async () => {
    const debit = caseFor("off-us", "unreported");
    await untilState(environment, debit.uetr, "DELIVERED");
    await submitReport(debit);
    await untilState(environment, debit.uetr, "COMPLETED");
    await untilHolds(() => expect(findOutcomeReports(environment, debit).map(({ status }) => status)).toContain(503));
  });

  test("off-us: the bank rejects it: the outcome report with the bank's reason is repeated until the connector acknowledges [D7 UNPAID]", async () => {
    const debit = caseFor("off-us", "unpaid", "baobab");
    await untilState(environment, debit.uetr, "DELIVERED");
    await submitReport(debit, { outcome: "not-made", reason: "AM04" });
    await untilState(environment, debit.uetr, "UNPAID");
    const statuses = await untilOutcomeReported(environment, debit, {
      code: "RJCT",
      outcome: "REJECTED",
      reasonInfo: [{ reason: { value: "AM04" } }],
    });
    expect(statuses).toEqual([503, 503, 202]);
  });

  test("off-us: an invalid account: RJCT is repeated until the connector acknowledges, and nothing reaches the bank [7.6] [D7 REJECTION_REPORTED]", async () => {
    const debit = caseFor("off-us", "refused", "karoo", { account: invalidAccount(5) });
    environment.connector.addRules([{ operation: flows["off-us"].answer, uetr: debit.uetr, attempts: [1, 1], answer: staySilent }]);
    await submit(debit);
    await untilState(environment, debit.uetr, "REJECTION_REPORTED");
    const statuses = await untilOutcomeReported(environment, debit, { code: "RJCT", reasonInfo: [{ reason: { value: "AC02" } }] });
    expect([statuses, findInbound(environment, debit)]).toEqual([[null, 202], []]);
  });

  test("on-us: a bank that chose it gets the outcome in a separate report, which is no state [4 step-4] [4 step-5] [D6 onUsOutcomeReport]", async () => {
    const [settled, unpaid] = [fullCase("on-us", "baobab"), caseFor("on-us", "unpaid", "baobab")];
    await untilState(environment, unpaid.uetr, "DELIVERED");
    await submitReport(unpaid, { outcome: "not-made", reason: "AM04" });
    for (const [debit, code] of [
      [settled, "ACSC"],
      [unpaid, "RJCT"],
    ] as const) {
      await untilHolds(() => {
        const reports = findReceived(environment, "baobab", "outboundDirectDebitResponse", debit.uetr);
        expect(reports.map(({ webhookId }) => webhookId)).toEqual([outgoingIdentification(debit, "A"), outgoingIdentification(debit, "S")]);
        expect(reports[1]?.message).toMatchObject({ status: { code } });
      });
    }
    expect(findReceived(environment, "karoo", "outboundDirectDebitResponse", fullCase("on-us", "karoo").uetr)).toHaveLength(1);
  });

  test("on-us: a debit that its bank refuses for good is shown as an item at once, and its state stays [7.3]", async () => {
    await untilHolds(async () => {
      const { state, items } = await loadTransaction(environment, caseFor("on-us", "refused", "protea").uetr);
      expect([state, items]).toMatchObject(["RELEASED", [{ row: 3, settledAtMs: null, evidence: { httpStatusCode: 400 } }]]);
    });
  });
});

/** A debit for a bank whose certificate Sluice does not trust. */
function unverified(): E2eCase {
  return caseFor("off-us", "unverified", unreachableBank.id);
}

/** A credit for a bank that does not trust Sluice's certificate. */
function waiting(): E2eCase {
  return caseFor("credit", "waiting", "protea");
}

describe("banks that are reached over TLS alone", () => {
  const services = ["dispatcher", "event-publisher"] as const;
  /** Node's code, at either end, for a certificate of an unknown authority. */
  const notVerified = "UNABLE_TO_VERIFY_LEAF_SIGNATURE";

  test("a bank that requires a certificate got ours with every request, and one behind a proxy got every request through it", () => {
    const { proxies, egressProxy } = tlsBanks;
    for (const bank of ["protea", "kudu"]) {
      for (const operation of ["inboundDirectDebit", "outboundDirectDebitResponse", flows.credit.inbound, "events"] as const) {
        expect([bank, operation, wasSent(environment, bank, operation)]).toEqual([bank, operation, true]);
      }
    }
    expect([new Set(proxies.protea.admitted), proxies.protea.refused]).toEqual([new Set(["sluice"]), []]);
    expect([proxies.kudu.admitted.length > 0, proxies.kudu.admitted.length <= egressProxy.requestedTunnels.length]).toEqual([true, true]);
    expect(new Set(egressProxy.requestedTunnels)).toEqual(new Set(["kudu.test:443"]));
  });

  test("a bank that presents a certificate of another authority gets nothing, and operators see why", async () => {
    await submit(unverified());
    await untilHolds(async () => {
      const rows = readRows(await askControl(environment, "thandi", `/undelivered?bank=${unreachableBank.id}`));
      const waits = { uetr: unverified().uetr, status: "waiting", mayHaveBeenTaken: false };
      const refused = { ...waits, recentAttempts: [{ httpStatusCode: null, class: "address", answer: notVerified }] };
      const behind = { ...waits, recentAttempts: [] };
      expect(rows).toMatchObject([{ ...refused, kind: "delivery" }, { ...refused, kind: "posting" }, behind, behind, behind]);
    });
    const result = await sluice("undelivered", "--bank", unreachableBank.id);
    expect(result).toMatchObject({ code: 0, stdout: expect.stringContaining(`no answer ${notVerified}`) });
    const { admitted, abandoned } = tlsBanks.proxies.mopane;
    expect([admitted, abandoned.length > 0, findInbound(environment, unverified())]).toEqual([[], true, []]);
  });

  test("certificate, key and authority are replaced in their files while all services run, with both authorities valid for a while", async () => {
    const { protea, kudu } = tlsBanks.proxies;
    const replacement = tlsBanks.replaceCallersAuthority();
    const [letInBefore, kuduBefore] = [protea.admitted.length, kudu.admitted.length];
    await submit(waiting());
    await untilHolds(async () => {
      const answer = expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET|ERR_SSL_\w+)$/);
      const rows = readRows(await askControl(environment, "thandi", "/undelivered?bank=protea"));
      const delivery = rows.find(({ uetr, kind }) => uetr === waiting().uetr && kind === "delivery");
      const refusal = expect.objectContaining({ httpStatusCode: null, class: "transient", answer });
      expect(readMembers(delivery, "recentAttempts")).toContainEqual(refusal);
    });
    expect(new Set(protea.refused)).toEqual(new Set([notVerified]));
    expect([findInbound(environment, waiting()), protea.admitted.length]).toEqual([[], letInBefore]);

    const readBefore = await countFileReads();
    await Promise.all([tlsBanks.replaceClientCertificate("protea", replacement), tlsBanks.announceAuthority(), tlsBanks.repairAuthority()]);
    await untilHolds(async () => expect(await countFileReads()).toEqual(readBefore.map((count) => count + 1)));
    tlsBanks.replaceAuthority();
    for (const bank of ["protea", "kudu"] as const) {
      const credit = caseFor("credit", "renewed", bank);
      await submit(credit);
      await untilState(environment, credit.uetr, "CREDIT_AUTH_DELIVERED");
      await submitReport(credit);
      await untilAllEvents(environment, credit);
      expect([bank, findInbound(environment, credit).map(({ status }) => status)]).toEqual([bank, [202]]);
      expect((await sluice("tx", credit.uetr)).stdout).not.toContain(notVerified);
    }
    expect(new Set(protea.admitted.slice(letInBefore))).toEqual(new Set(["sluice again"]));
    expect(kudu.admitted.length).toBeGreaterThan(kuduBefore);
  });

  test("a bank whose authority was corrected in its file gets its waiting messages as soon as the file is read", async () => {
    await untilState(environment, unverified().uetr, "DELIVERED");
    await submitReport(unverified());
    await untilState(environment, unverified().uetr, "COMPLETED");
    await untilAllEvents(environment, unverified());
    expect([findInbound(environment, unverified()).map(({ status }) => status), tlsBanks.proxies.mopane.admitted.length > 0]).toEqual([
      [202],
      true,
    ]);
  });

  test("no key and no token is in a log or in an operator's output", async () => {
    const texts = await Promise.all([
      ...services.map((name) => environment.services.readLog(name)),
      ...[["undelivered"], ["bank", "list"], ["tx", caseFor("credit", "renewed", "protea").uetr]].map(
        async (words) => (await sluice(...words)).stdout,
      ),
    ]);
    // The name of the keyring's folder is no secret.
    const secrets = Object.entries(environment.services.environment).flatMap(([name, value]) =>
      /TOKEN|SECRET|KEY/.test(name) && !name.endsWith("_FOLDER") ? value : [],
    );
    const keys = tlsBanks.keys().flatMap((pem) => pem.split("\n").filter((line) => /^[\w+/=]{20,}$/.test(line)));
    expect([secrets.length, keys.length > 1]).toEqual([threeFlowsBanks.length + 4, true]);
    for (const secret of [...secrets, ...keys]) expect(texts.filter((text) => text.includes(secret))).toEqual([]);
  });

  /** Counts how often each service has read the files of each such bank. */
  async function countFileReads(): Promise<readonly number[]> {
    const logs = await Promise.all(services.map((name) => environment.services.readLog(name)));
    const reads = logs.map((log) => log.split("\n").filter((line) => line.includes("credentials.read")));
    return reads.flatMap((lines) => ["protea", "kudu", "mopane"].map((bank) => lines.filter((line) => line.includes(bank)).length));
  }

  function sluice(...words: readonly string[]): ReturnType<typeof runSluice> {
    return runSluice([...words, "--console", environment.services.controlUrl], {
      SLUICE_OPERATOR_TOKEN: environment.operator("thandi").token,
    });
  }
});

describe("events", () => {
  test.each(allFlows)(
    "%s: the bank gets one event for each state, with the original message as payload, unchanged to its last digit [2.1 *] [2.2 *] [6 trigger] [6 content] [4 event-posting]",
    async (flow) => {
      const about = fullCase(flow, "karoo");
      const events = await untilAllEvents(environment, about);
      for (const event of events) expectWholeEvent(event, about, environment.businessDate);
      expect(new Set(events.map(({ webhookId }) => webhookId)).size).toBe(events.length);
      expect(parseKeepingDigits(events[0]?.text ?? "")["payload"]).toEqual(parseKeepingDigits(JSON.stringify(about.message)));
      expect(events.at(-1)?.message).toMatchObject({ payload: { schema: "PaymentStatusReport" } });
    },
  );

  test.each(allFlows)(
    "%s: a bank gets the message unchanged under our identification, and a debit with its settlement date [4 inboundDirectDebit] [2.4 *] [2.5 *]",
    (flow) => {
      const settlement = flow === "credit" ? {} : { settlementDate: environment.businessDate };
      for (const bank of threeFlowsBankIds) {
        const about = fullCase(flow, bank);
        const [inbound, ...others] = findInbound(environment, about);
        expect(others).toEqual([]);
        const { messageIdentifiers, ...carried } = parseKeepingDigits(inbound?.text ?? "");
        expect(messageIdentifiers).toMatchObject({ messageIdentification: outgoingIdentification(about, flows[flow].letter) });
        const { messageIdentifiers: _own, ...sent } = parseKeepingDigits(JSON.stringify(about.message));
        expect(carried).toEqual({ ...sent, ...settlement });
      }
    },
  );

  test("ESM_STATE: a bank that chose it receives one after each event of the other class, under an id of its own [2.3 *] [D8 ESM_STATE]", async () => {
    for (const flow of allFlows) {
      const about = fullCase(flow, "baobab");
      const states = await untilAllEvents(environment, about);
      const classes = states.flatMap(() => ["TRANSACTION_STATE", "ESM_STATE"]);
      await untilHolds(() =>
        expect(withoutRepeats(findReceived(environment, "baobab", "events", about.uetr)).map(({ message }) => message["class"])).toEqual(
          classes,
        ),
      );
      for (const [index, event] of findEventsOfClass(environment, about, "ESM_STATE").entries()) {
        expect(event.webhookId).not.toBe(states[index]?.webhookId);
        expectEsmEvent(event, about, environment.businessDate, states[index]?.message["state"]);
      }
    }
  });

  test("eventShape and eventPayload: a bank gets the sample's members alone, a masked payload, or none [D8 eventShape] [D8 eventPayload]", async () => {
    for (const flow of allFlows) {
      for (const { message } of await untilAllEvents(environment, fullCase(flow, "protea"))) {
        const members = ["apiVersion", "class", "messageInfo", "name", "payload", "stageVersion", "tranInfo", "type"];
        expect(Object.keys(message).toSorted()).toEqual(members);
      }
      for (const { text } of await untilAllEvents(environment, fullCase(flow, "kudu"))) {
        expect(text).toContain('"payload"');
        for (const secret of [validAccount(1), "62001872440", "Mokoena", "Karoo Insurance", "Baobab Mining"])
          expect(text).not.toContain(secret);
      }
      for (const { message } of await untilAllEvents(environment, fullCase(flow, "marula"))) expect(message).not.toHaveProperty("payload");
    }
  });

  test("a bank without an address for events receives none [6 delivery]", () => {
    expect(environment.recorded.receivedEntries().filter(({ bank, operation }) => bank === "acacia" && operation === "events")).toEqual([]);
  });
});

describe("the console", () => {
  test("the sender of a transaction and its bank can query the state; the bank also gets its events as they were posted [D2 status]", async () => {
    for (const flow of allFlows) {
      const about = fullCase(flow, "karoo");
      const { state, transitions } = await loadTransaction(environment, about.uetr);
      for (const caller of new Set(["karoo", flow === "on-us" ? "karoo" : clearingConnectorId])) {
        const { status, text } = await askConsole(environment, environment.tokenOf(caller), `/transactions/${about.uetr}`);
        expect([status, JSON.parse(text)]).toMatchObject([
          200,
          { schema: "TransactionStatus", uetr: about.uetr, state, stageVersion: transitions.length },
        ]);
      }
      const posted = (await untilAllEvents(environment, about)).slice(2);
      const { text } = await askConsole(environment, environment.tokenOf("karoo"), `/transactions/${about.uetr}/events?from=3`);
      expect(JSON.parse(text)).toEqual({
        schema: "TransactionEvents",
        uetr: about.uetr,
        events: posted.map(({ message }) => message),
        webhookIds: posted.map(({ webhookId }) => webhookId),
        next: null,
      });
    }
  });

  test("I4: a bank that lost postings sees the gaps in their sequence, requests them, and proves that it has all [D8 events-again]", async () => {
    for (const flow of allFlows) {
      const about = fullCase(flow, "karoo");
      const posted = await untilAllEvents(environment, about);
      const stored: Message[] = [];
      const inbox = createMemoryInbox({ idsMax: 100, effect: (message) => void stored.push(message) });
      const lost = [2, 3, posted.length];
      for (const [index, { webhookId, headers, text }] of posted.entries()) {
        const read = readMessage({ webhookId, headers, path: "/events", body: new TextEncoder().encode(text) });
        if (!read.ok) throw new Error(read.reason);
        if (!lost.includes(index + 1)) await inbox.take(read.message);
      }
      const proof = () =>
        proveComplete(stored.map(({ sequence, webhookId, previousId }) => ({ sequence: sequence ?? 0, webhookId, previousId })));
      expect(proof()).toEqual({ kind: "gaps", missing: [2, 3], askFrom: 2 });
      const { upTo } = readProgress(stored.map(({ sequence }) => sequence ?? 0));
      const ports = { fetch, consoleUrl: environment.services.consoleUrl, token: environment.tokenOf("karoo") };
      expect(await catchUp(ports, inbox, about.uetr, upTo + 1)).toEqual({ kind: "all", firsts: 3 });
      expect(proof()).toEqual({ kind: "complete", upTo: posted.length });
      const bodies = stored.toSorted((a, b) => Number(a.sequence) - Number(b.sequence)).map(({ body }) => new TextDecoder().decode(body));
      expect(bodies).toEqual(posted.map(({ text }) => text));
    }
  });

  test("another bank's transaction is answered like an unknown one: 404 with the time as of which it is not known [D2 status]", async () => {
    const unknown = createCase({ flow: "on-us", bank: "karoo", branch: "250655" });
    for (const { uetr } of [fullCase("on-us", "karoo"), unknown]) {
      for (const part of ["", "/events"]) {
        const { status, text } = await askConsole(environment, environment.tokenOf("protea"), `/transactions/${uetr}${part}`);
        expect([status, JSON.parse(text)]).toMatchObject([404, { schema: "ErrorDetail", notKnownAsOf: expect.stringMatching(/Z$/) }]);
      }
    }
  });
});

describe("callers", () => {
  const path = "/transactions/outbound/direct-debit";

  test("a token is replaced in the configuration file while all services run: both are valid for a while, then only the new one [D10 rotation]", async () => {
    const [old, fresh] = [environment.tokenOf("karoo"), "a-token-that-is-fresh"];
    const { uetr } = fullCase("on-us", "karoo");
    const statusesWith = async (token: string): Promise<readonly number[]> => {
      const sent = await sendDebit(environment, "karoo", token, caseFor("on-us", "rotation"));
      return [sent.status, (await askConsole(environment, token, `/transactions/${uetr}`)).status];
    };
    expect([await statusesWith(old), await statusesWith(fresh)]).toEqual([
      [202, 200],
      [401, 401],
    ]);
    await environment.replaceTokens("karoo", [old, fresh]);
    await untilHolds(async () =>
      expect([await statusesWith(old), await statusesWith(fresh)]).toEqual([
        [202, 200],
        [202, 200],
      ]),
    );
    await environment.replaceTokens("karoo", [fresh]);
    await untilHolds(async () =>
      expect([await statusesWith(old), await statusesWith(fresh)]).toEqual([
        [401, 401],
        [202, 200],
      ]),
    );
    await environment.replaceTokens("karoo", [old]);
    await untilHolds(async () =>
      expect([await statusesWith(old), await statusesWith(fresh)]).toEqual([
        [202, 200],
        [401, 401],
      ]),
    );
  });

  test("a bank and a connector may act only for themselves [D10 agents]", async () => {
    const ofProtea = createCase({ flow: "on-us", bank: "protea", branch: "250657" }).message;
    const offUs = createCase({ flow: "off-us", bank: "karoo", branch: "250655" }).message;
    const [karoo, connector] = [environment.tokenOf("karoo"), environment.tokenOf(clearingConnectorId)];
    const answers = await Promise.all([
      sendToIngress(environment, karoo, path, ofProtea),
      sendToIngress(environment, karoo, "/scheme/inbound/direct-debit", offUs),
      sendToIngress(environment, connector, path, ofProtea),
      sendToIngress(environment, "guessed", path, ofProtea),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 401]);
    for (const { text } of answers) expect(JSON.parse(text)).toMatchObject({ schema: "ErrorDetail" });
  });
});

describe("the close", () => {
  test("I10: an unresolved transaction becomes an item in the row that its state and answers determine [7.3] [7.5] [7.7] [7.8] [7.9] [D7 RECONCILIATION]", async () => {
    await environment.closeDay();
    await untilHolds(async () => {
      const ended = await Promise.all(
        expectedItemRows.map(([, name, bank]) => loadTransaction(environment, caseFor("on-us", name, bank).uetr)),
      );
      expect(ended.map(({ state, items }) => [state, ...items.map(({ row }) => row)])).toEqual(
        expectedItemRows.map(([row]) => ["RECONCILIATION", row]),
      );
    });
  });

  test("I10: an outcome report that is not acknowledged continues after the close, and is an item until the connector acknowledges [D7 OUTCOME_UNDELIVERED]", async () => {
    const debit = caseFor("off-us", "unreported");
    const items = async () => (await loadTransaction(environment, debit.uetr)).items;
    await untilHolds(async () =>
      expect(await items()).toMatchObject([{ row: 5, cause: "OUTCOME_UNDELIVERED", state: "COMPLETED", settledAtMs: null }]),
    );
    const reportsBefore = findOutcomeReports(environment, debit).length;
    await untilHolds(() => expect(findOutcomeReports(environment, debit).length).toBeGreaterThan(reportsBefore));
    environment.connector.addRules([{ uetr: debit.uetr, answer: acknowledge() }]);
    await untilHolds(async () => expect(await items()).toMatchObject([{ settledAtMs: expect.any(Number) }]));
    await untilOutcomeReported(environment, debit, { code: "ACSC" });
  });
});

describe("the whole history", () => {
  test("a message that a bank refused because of our old certificate came once with the new one", async () => {
    await untilState(environment, waiting().uetr, "CREDIT_AUTH_DELIVERED");
    await submitReport(waiting());
    await untilAllEvents(environment, waiting());
    expect(findInbound(environment, waiting()).map(({ status }) => status)).toEqual([202]);
  });

  test("I1, I3, I4, I5, I6, I8, I10: the checker finds nothing, and no service ended by itself", async () => {
    await untilHolds(async () => {
      const { violations, counts } = await environment.check();
      expect(violations).toEqual([]);
      expect(counts["transactionsFollowed"]).toBeGreaterThanOrEqual(size());
    });
    expect(environment.services.lost()).toEqual([]);
  });

  test("every request to a bank with signing keys is verified by each of them, and no other request is signed [D8 headers]", async () => {
    const verdicts = await verifyRequests(environment, "karoo");
    expect([verdicts.length > 100, new Set(verdicts)]).toEqual([true, new Set(["verified"])]);
    expect(findSignedReceivers(environment)).toEqual(new Set(["karoo"]));
  });

  test("all requests and answers match the published document", () => {
    const { looked, complaints } = findDocumentViolations(environment);
    expect([looked > 300, complaints]).toEqual([true, []]);
  });
});
