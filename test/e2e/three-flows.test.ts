// The three flows through a business day on real processes: credits and the gate, outcomes told to a connector, events in every shape that a bank
// may ask for, banks over TLS and behind a proxy, questions to the console, callers, and the close. A connector declares the credits of the day final.

import { catchUp, createMemoryInbox, keptOf, proveComplete, readMessage, type Message } from "@sluice/receiver";
import { acknowledge, badAccount, goodAccount, refuse, staySilent } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { ask, send } from "./calls.ts";
import { createCast } from "./cast.ts";
import { runCommandLine } from "./command-line.ts";
import { canonical, documentComplaints, receivedBy, statesOf, transactionOf, until, untilState, wasSent } from "./evidence.ts";
import { eventsOf, expectEsmEvent, expectWholeEvent, firstsOf, untilAllEvents } from "./events.ts";
import { flows, identificationOf, newCase } from "./flows.ts";
import type { Case, FlowName } from "./flows.ts";
import { look, membersOf, rowsOf } from "./people.ts";
import { allFlows, bankIds, banks, debitFlows, specials, unreachable, unresolved, type BankId } from "./roles.ts";
import { openSecuredBanks, type SecuredBanks } from "./secured.ts";
import { signedBanks, signingReferences, verdictsOf } from "./signed.ts";
import { inboundOf, outcomesOf, untilTold } from "./told.ts";
import { connectorId, openWorld, type World } from "./world.ts";

const opened = new AsyncDisposableStack();
let world: World;
let secured: SecuredBanks;
const { caseOf, take, takeReport, size } = createCast(() => world, [...banks, unreachable]);

beforeAll(async () => {
  secured = opened.use(await openSecuredBanks());
  const options = { references: signingReferences, operators: [{ id: "thandi", roles: ["read", "act"] }] } as const;
  world = opened.use(await openWorld(secured.among([...banks, unreachable]), "connector", options));
  secured.leadTo(world);
  // Their deadline is 10 s away, the shortest that there is.
  for (const name of ["silent", "unreported"] as const) {
    const credit = caseOf("credit", name, "karoo", { scheme: "ZA_RTC" });
    if (name === "silent") world.bank("karoo").script([{ operation: flows.credit.inbound, uetr: credit.uetr, answer: staySilent }]);
    await take(credit);
  }
});
afterAll(() => opened.disposeAsync());

/** Of every member that a message may have. */
function fullOf(flow: FlowName, bank: BankId): Case {
  return caseOf(flow, "full", bank, { isFull: true });
}

describe("credits", () => {
  test.each(bankIds)(
    "one to %s is forwarded, reported as made, and the connector is told so [6 example-trigger] [D7 CREDIT_AUTH_*]",
    async (bank) => {
      const credit = fullOf("credit", bank);
      await take(credit);
      await untilState(world, credit.uetr, "CREDIT_AUTH_DELIVERED");
      await takeReport(credit);
      const transaction = await untilState(world, credit.uetr, "CREDIT_AUTH_RESPONSE_ACCEPTED");
      expect(statesOf(transaction)).toEqual(flows.credit.path);
      await untilTold(world, credit, { code: "ACSC", outcome: "APPROVED" });
    },
  );

  test("one that the bank did not book is final too, and the connector is told the bank's reason [D7 CREDIT_AUTH_RESPONSE_ACCEPTED]", async () => {
    const credit = caseOf("credit", "not-booked", "baobab");
    await take(credit);
    await untilState(world, credit.uetr, "CREDIT_AUTH_DELIVERED");
    await takeReport(credit, { outcome: "pending" });
    await takeReport(credit, { outcome: "not-made", reason: "AC04" });
    const { remarks } = await untilState(world, credit.uetr, "CREDIT_AUTH_RESPONSE_ACCEPTED");
    expect(remarks.last).toMatchObject([{ kind: "report-pending" }]);
    await untilTold(world, credit, { code: "RJCT", outcome: "REJECTED", reasonInfo: [{ reason: { value: "AC04" } }] });
  });

  test("one to an account that cannot be is refused, and never reaches the bank [4 step-3] [D7 CREDIT_AUTH_REJECTED]", async () => {
    const credit = caseOf("credit", "refused", "karoo", { account: badAccount(3) });
    await take(credit);
    await untilState(world, credit.uetr, "CREDIT_AUTH_REJECTED");
    await untilTold(world, credit, { code: "RJCT", outcome: "REJECTED", reasonInfo: [{ reason: { value: "AC03" } }] });
    expect(inboundOf(world, credit)).toEqual([]);
  });

  test("one that the bank refuses for good is a delivery failure, and the connector is told RJCT [D7 CREDIT_AUTH_DELIVERY_FAILURE]", async () => {
    const credit = caseOf("credit", "undeliverable", "karoo");
    world.bank("karoo").script([{ operation: flows.credit.inbound, uetr: credit.uetr, answer: refuse(400) }]);
    await take(credit);
    await untilState(world, credit.uetr, "CREDIT_AUTH_DELIVERY_FAILURE");
    await untilTold(world, credit, { code: "RJCT", outcome: "REJECTED", reasonInfo: [{ reason: { value: "MS03" } }] });
    expect(inboundOf(world, credit).map(({ status }) => status)).toEqual([400]);
  });

  test.each([
    ["silent", 7],
    ["unreported", 9],
  ] as const)(
    "one %s until its deadline is an item of row %i, and the connector is told PDNG, never RJCT [7.7] [7.9] [D7 CREDIT_AUTH_RECONCILIATION]",
    async (name, row) => {
      const credit = caseOf("credit", name);
      await untilState(world, credit.uetr, "CREDIT_AUTH_RECONCILIATION");
      await untilTold(world, credit, { code: "PDNG", outcome: "PENDING" });
      await until(async () => expect((await transactionOf(world, credit.uetr)).items).toMatchObject([{ row, settledAtMs: null }]));
      await takeReport(credit);
      await until(async () => {
        const { items, state } = await transactionOf(world, credit.uetr);
        expect(items).toMatchObject([{ lateAnswers: expect.arrayContaining([expect.objectContaining({ text: "report: made" })]) }]);
        expect(state).toBe("CREDIT_AUTH_RECONCILIATION");
      });
      expect(outcomesOf(world, credit)).toHaveLength(1);
    },
  );
});

describe("the gate", () => {
  const blocking = (): Case => caseOf("credit", "blocking", "kudu");

  test("I8: all debits are held until the connector declares the credits final; no one else may [4 step-1] [4 step-2] [4 step-6] [8 ack-202] [D9 credits-final]", async () => {
    const unheard = caseOf("on-us", "unacknowledged", "acacia");
    world.bank("acacia").script([{ operation: "outboundDirectDebitResponse", uetr: unheard.uetr, answer: refuse(503) }]);
    await take(unheard);
    await take(blocking());
    await untilState(world, blocking().uetr, "CREDIT_AUTH_DELIVERED");
    for (const bank of bankIds) for (const flow of debitFlows) await take(fullOf(flow, bank));
    for (const [flow, name, bank, rule] of specials) {
      const debit = caseOf(flow, name, bank);
      const party = rule?.operation === flows["off-us"].answer ? world.connector : world.bank(bank);
      if (rule !== null) party.script([{ ...rule, uetr: debit.uetr }]);
      await take(debit);
    }
    for (const bank of bankIds) for (const flow of debitFlows) await untilState(world, fullOf(flow, bank).uetr, "HELD");
    for (const [flow, name, bank] of specials) await untilState(world, caseOf(flow, name, bank).uetr, "HELD");
    expect((await world.bank("karoo").declareCreditsFinal({ businessDate: world.businessDate })).status).toBe(422);
    expect((await world.connector.declareCreditsFinal({ businessDate: "2026-01-02" })).status).toBe(422);
    expect(world.recorded.receivedEntries().filter(({ operation }) => operation === "inboundDirectDebit")).toEqual([]);
  });

  test("I8: the gate of a bank stays closed while an earlier credit to it is unresolved, and opens with its end [4 step-7] [4 step-8] [D9 credits-final]", async () => {
    for (let count = 0; count < 2; count += 1) {
      expect((await world.connector.declareCreditsFinal({ businessDate: world.businessDate })).status).toBe(202);
    }
    for (const bank of bankIds) {
      if (bank !== "kudu") for (const flow of debitFlows) await untilState(world, fullOf(flow, bank).uetr, "DELIVERED");
    }
    for (const flow of debitFlows) {
      const debit = fullOf(flow, "kudu");
      expect([(await transactionOf(world, debit.uetr)).state, inboundOf(world, debit)]).toEqual(["HELD", []]);
    }
    await takeReport(blocking());
    for (const flow of debitFlows) await untilState(world, fullOf(flow, "kudu").uetr, "DELIVERED");
  });

  test("a credit after the declaration is processed at once, and closes nothing [D9 late-credit]", async () => {
    const credit = caseOf("credit", "late", "marula");
    await take(credit);
    await untilState(world, credit.uetr, "CREDIT_AUTH_DELIVERED");
    const debit = caseOf("on-us", "after-late-credit", "marula");
    await take(debit);
    const { transitions } = await untilState(world, debit.uetr, "DELIVERED");
    expect((await transactionOf(world, credit.uetr)).state).toBe("CREDIT_AUTH_DELIVERED");
    expect(transitions).toHaveLength(6);
    for (const about of [credit, debit]) await takeReport(about);
  });
});

describe("the ends of debits", () => {
  test.each(bankIds)(
    "%s made them: on-us the bank has said so itself, off-us the connector is told [4 step-9] [4 step-10] [D7 COMPLETED]",
    async (bank) => {
      for (const flow of debitFlows) {
        const debit = fullOf(flow, bank);
        await takeReport(debit);
        expect(statesOf(await untilState(world, debit.uetr, "COMPLETED"))).toEqual(flows[flow].path);
      }
      await untilTold(world, fullOf("off-us", bank), { code: "ACSC", outcome: "APPROVED" });
      expect(outcomesOf(world, fullOf("on-us", bank))).toEqual([]);
    },
  );

  test("off-us: the connector takes no outcome for now, and the debit ends all the same [D7 COMPLETED]", async () => {
    const debit = caseOf("off-us", "untold");
    await untilState(world, debit.uetr, "DELIVERED");
    await takeReport(debit);
    await untilState(world, debit.uetr, "COMPLETED");
    await until(() => expect(outcomesOf(world, debit).map(({ status }) => status)).toContain(503));
  });

  test("off-us: the bank did not make it: the connector is told the bank's reason, again and again until it acknowledges [D7 UNPAID]", async () => {
    const debit = caseOf("off-us", "unpaid", "baobab");
    await untilState(world, debit.uetr, "DELIVERED");
    await takeReport(debit, { outcome: "not-made", reason: "AM04" });
    await untilState(world, debit.uetr, "UNPAID");
    const statuses = await untilTold(world, debit, { code: "RJCT", outcome: "REJECTED", reasonInfo: [{ reason: { value: "AM04" } }] });
    expect(statuses).toEqual([503, 503, 202]);
  });

  test("off-us: an account that cannot be: the connector is told RJCT until it acknowledges, and nothing reaches the bank [7.6] [D7 REJECTION_REPORTED]", async () => {
    const debit = caseOf("off-us", "refused", "karoo", { account: badAccount(5) });
    world.connector.script([{ operation: flows["off-us"].answer, uetr: debit.uetr, attempts: [1, 1], answer: staySilent }]);
    await take(debit);
    await untilState(world, debit.uetr, "REJECTION_REPORTED");
    const statuses = await untilTold(world, debit, { code: "RJCT", reasonInfo: [{ reason: { value: "AC02" } }] });
    expect([statuses, inboundOf(world, debit)]).toEqual([[null, 202], []]);
  });

  test("on-us: a bank that asked for it is told the outcome in a report of its own, which is no state [4 step-4] [4 step-5] [D6 onUsOutcomeReport]", async () => {
    const [made, unpaid] = [fullOf("on-us", "baobab"), caseOf("on-us", "unpaid", "baobab")];
    await untilState(world, unpaid.uetr, "DELIVERED");
    await takeReport(unpaid, { outcome: "not-made", reason: "AM04" });
    for (const [debit, code] of [
      [made, "ACSC"],
      [unpaid, "RJCT"],
    ] as const) {
      await until(() => {
        const reports = receivedBy(world, "baobab", "outboundDirectDebitResponse", debit.uetr);
        expect(reports.map(({ webhookId }) => webhookId)).toEqual([identificationOf(debit, "A"), identificationOf(debit, "S")]);
        expect(reports[1]?.message).toMatchObject({ status: { code } });
      });
    }
    expect(receivedBy(world, "karoo", "outboundDirectDebitResponse", fullOf("on-us", "karoo").uetr)).toHaveLength(1);
  });

  test("on-us: a debit that its bank refuses for good is shown as an item at once, and its state stays [7.3]", async () => {
    await until(async () => {
      const { state, items } = await transactionOf(world, caseOf("on-us", "refused", "protea").uetr);
      expect([state, items]).toMatchObject(["RELEASED", [{ row: 3, settledAtMs: null, evidence: { httpStatusCode: 400 } }]]);
    });
  });
});

/** For a bank whose certificate we do not believe. */
function unverified(): Case {
  return caseOf("off-us", "unverified", unreachable.id);
}

/** For a bank that does not believe our certificate. */
function waiting(): Case {
  return caseOf("credit", "waiting", "protea");
}

describe("banks that are reached over TLS alone", () => {
  const services = ["dispatcher", "event-publisher"] as const;
  /** As Node names a certificate whose authority is not known, at either end. */
  const notVerified = "UNABLE_TO_VERIFY_LEAF_SIGNATURE";

  test("one that demands a certificate was shown ours for all that it got, one behind a proxy got all through that", () => {
    const { doors, proxy } = secured;
    for (const bank of ["protea", "kudu"]) {
      for (const operation of ["inboundDirectDebit", "outboundDirectDebitResponse", flows.credit.inbound, "events"] as const) {
        expect([bank, operation, wasSent(world, bank, operation)]).toEqual([bank, operation, true]);
      }
    }
    expect([new Set(doors.protea.letIn), doors.protea.turnedAway]).toEqual([new Set(["sluice"]), []]);
    expect([doors.kudu.letIn.length > 0, doors.kudu.letIn.length <= proxy.asked.length]).toEqual([true, true]);
    expect(new Set(proxy.asked)).toEqual(new Set(["kudu.test:443"]));
  });

  test("one that shows a certificate of another authority gets nothing, and people are told why", async () => {
    await take(unverified());
    await until(async () => {
      const rows = rowsOf(await look(world, "thandi", `/undelivered?bank=${unreachable.id}`));
      const waits = { uetr: unverified().uetr, standing: "waiting", mayHaveBeenTaken: false };
      const refused = { ...waits, recentAttempts: [{ httpStatusCode: null, class: "address", answer: notVerified }] };
      const behind = { ...waits, recentAttempts: [] };
      expect(rows).toMatchObject([{ ...refused, kind: "delivery" }, { ...refused, kind: "posting" }, behind, behind, behind]);
    });
    const said = await sluice("undelivered", "--bank", unreachable.id);
    expect(said).toMatchObject({ code: 0, stdout: expect.stringContaining(`no answer ${notVerified}`) });
    const { letIn, left } = secured.doors.mopane;
    expect([letIn, left.length > 0, inboundOf(world, unverified())]).toEqual([[], true, []]);
  });

  test("what they agreed on is replaced in its files while all runs: certificate and key, and an authority with both in its file for a while", async () => {
    const { protea, kudu } = secured.doors;
    const replacement = secured.replaceCallersAuthority();
    const [letInBefore, kuduBefore] = [protea.letIn.length, kudu.letIn.length];
    await take(waiting());
    await until(async () => {
      const answer = expect.stringMatching(/^(ECONNRESET|UND_ERR_SOCKET|ERR_SSL_\w+)$/);
      const rows = rowsOf(await look(world, "thandi", "/undelivered?bank=protea"));
      const delivery = rows.find(({ uetr, kind }) => uetr === waiting().uetr && kind === "delivery");
      const refusal = expect.objectContaining({ httpStatusCode: null, class: "transient", answer });
      expect(membersOf(delivery, "recentAttempts")).toContainEqual(refusal);
    });
    expect(new Set(protea.turnedAway)).toEqual(new Set([notVerified]));
    expect([inboundOf(world, waiting()), protea.letIn.length]).toEqual([[], letInBefore]);

    const readBefore = await filesRead();
    await Promise.all([secured.showTo("protea", replacement), secured.announceAuthority(), secured.mendAuthority()]);
    await until(async () => expect(await filesRead()).toEqual(readBefore.map((count) => count + 1)));
    secured.replaceAuthority();
    for (const bank of ["protea", "kudu"] as const) {
      const credit = caseOf("credit", "renewed", bank);
      await take(credit);
      await untilState(world, credit.uetr, "CREDIT_AUTH_DELIVERED");
      await takeReport(credit);
      await untilAllEvents(world, credit);
      expect([bank, inboundOf(world, credit).map(({ status }) => status)]).toEqual([bank, [202]]);
      expect((await sluice("tx", credit.uetr)).stdout).not.toContain(notVerified);
    }
    expect(new Set(protea.letIn.slice(letInBefore))).toEqual(new Set(["sluice again"]));
    expect(kudu.letIn.length).toBeGreaterThan(kuduBefore);
  });

  test("one whose authority was mended in its file gets what waits for it as soon as that is read", async () => {
    await untilState(world, unverified().uetr, "DELIVERED");
    await takeReport(unverified());
    await untilState(world, unverified().uetr, "COMPLETED");
    await untilAllEvents(world, unverified());
    expect([inboundOf(world, unverified()).map(({ status }) => status), secured.doors.mopane.letIn.length > 0]).toEqual([[202], true]);
  });

  test("no key and no token is in a log, or in what people are told", async () => {
    const said = await Promise.all([
      ...services.map((name) => world.services.readLog(name)),
      ...[["undelivered"], ["bank", "list"], ["tx", caseOf("credit", "renewed", "protea").uetr]].map(
        async (words) => (await sluice(...words)).stdout,
      ),
    ]);
    const secrets = Object.entries(world.services.environment).flatMap(([name, value]) => (/TOKEN|SECRET|KEY/.test(name) ? value : []));
    const keys = secured.keys().flatMap((pem) => pem.split("\n").filter((line) => /^[\w+/=]{20,}$/.test(line)));
    expect([secrets.length, keys.length > 1]).toEqual([banks.length + 4, true]);
    for (const secret of [...secrets, ...keys]) expect(said.filter((text) => text.includes(secret))).toEqual([]);
  });

  /** How often each service has read the files of each such bank. */
  async function filesRead(): Promise<readonly number[]> {
    const logs = await Promise.all(services.map((name) => world.services.readLog(name)));
    const reads = logs.map((log) => log.split("\n").filter((line) => line.includes("credentials.read")));
    return reads.flatMap((lines) => ["protea", "kudu", "mopane"].map((bank) => lines.filter((line) => line.includes(bank)).length));
  }

  function sluice(...words: readonly string[]): ReturnType<typeof runCommandLine> {
    return runCommandLine([...words, "--console", world.services.controlUrl], { SLUICE_OPERATOR_TOKEN: world.operator("thandi").token });
  }
});

describe("events", () => {
  test.each(allFlows)(
    "%s: one for each state, and the message that came is the payload, unchanged to its last digit [2.1 *] [2.2 *] [6 trigger] [6 content] [4 event-posting]",
    async (flow) => {
      const about = fullOf(flow, "karoo");
      const events = await untilAllEvents(world, about);
      for (const event of events) expectWholeEvent(event, about, world.businessDate);
      expect(new Set(events.map(({ webhookId }) => webhookId)).size).toBe(events.length);
      expect(canonical(events[0]?.text ?? "")["payload"]).toEqual(canonical(JSON.stringify(about.message)));
      expect(events.at(-1)?.message).toMatchObject({ payload: { schema: "PaymentStatusReport" } });
    },
  );

  test.each(allFlows)(
    "%s: what reaches a bank is what came, under an identification of ours, and a debit with the date it is for [4 inboundDirectDebit] [2.4 *] [2.5 *]",
    (flow) => {
      const settlement = flow === "credit" ? {} : { settlementDate: world.businessDate };
      for (const bank of bankIds) {
        const about = fullOf(flow, bank);
        const [inbound, ...others] = inboundOf(world, about);
        expect(others).toEqual([]);
        const { messageIdentifiers, ...carried } = canonical(inbound?.text ?? "");
        expect(messageIdentifiers).toMatchObject({ messageIdentification: identificationOf(about, flows[flow].letter) });
        const { messageIdentifiers: _own, ...sent } = canonical(JSON.stringify(about.message));
        expect(carried).toEqual({ ...sent, ...settlement });
      }
    },
  );

  test("ESM_STATE: a bank that asked for it receives one after each event of the other class, under an id of its own [2.3 *] [D8 ESM_STATE]", async () => {
    for (const flow of allFlows) {
      const about = fullOf(flow, "baobab");
      const states = await untilAllEvents(world, about);
      const classes = states.flatMap(() => ["TRANSACTION_STATE", "ESM_STATE"]);
      await until(() =>
        expect(firstsOf(receivedBy(world, "baobab", "events", about.uetr)).map(({ message }) => message["class"])).toEqual(classes),
      );
      for (const [index, event] of eventsOf(world, about, "ESM_STATE").entries()) {
        expect(event.webhookId).not.toBe(states[index]?.webhookId);
        expectEsmEvent(event, about, world.businessDate, states[index]?.message["state"]);
      }
    }
  });

  test("eventShape and eventPayload: a bank gets the sample's members alone, a masked payload, or none [D8 eventShape] [D8 eventPayload]", async () => {
    for (const flow of allFlows) {
      for (const { message } of await untilAllEvents(world, fullOf(flow, "protea"))) {
        const members = ["apiVersion", "class", "messageInfo", "name", "payload", "stageVersion", "tranInfo", "type"];
        expect(Object.keys(message).toSorted()).toEqual(members);
      }
      for (const { text } of await untilAllEvents(world, fullOf(flow, "kudu"))) {
        expect(text).toContain('"payload"');
        for (const secret of [goodAccount(1), "62001872440", "Mokoena", "Karoo Insurance", "Baobab Mining"])
          expect(text).not.toContain(secret);
      }
      for (const { message } of await untilAllEvents(world, fullOf(flow, "marula"))) expect(message).not.toHaveProperty("payload");
    }
  });

  test("a bank without an events address is posted none [6 delivery]", () => {
    expect(world.recorded.receivedEntries().filter(({ bank, operation }) => bank === "acacia" && operation === "events")).toEqual([]);
  });
});

describe("the console", () => {
  test("who sent a transaction, and the bank that it is for, are told its state; the bank is given its events as they were posted [D2 status]", async () => {
    for (const flow of allFlows) {
      const about = fullOf(flow, "karoo");
      const { state, transitions } = await transactionOf(world, about.uetr);
      for (const caller of new Set(["karoo", flow === "on-us" ? "karoo" : connectorId])) {
        const { status, text } = await ask(world, world.tokenOf(caller), `/transactions/${about.uetr}`);
        expect([status, JSON.parse(text)]).toMatchObject([
          200,
          { schema: "TransactionStatus", uetr: about.uetr, state, stageVersion: transitions.length },
        ]);
      }
      const posted = (await untilAllEvents(world, about)).slice(2);
      const { text } = await ask(world, world.tokenOf("karoo"), `/transactions/${about.uetr}/events?from=3`);
      expect(JSON.parse(text)).toEqual({
        schema: "TransactionEvents",
        uetr: about.uetr,
        events: posted.map(({ message }) => message),
        webhookIds: posted.map(({ webhookId }) => webhookId),
        next: null,
      });
    }
  });

  test("I4: a bank that lost postings sees it by their places, asks for them, and proves that it has all [D8 events-again]", async () => {
    for (const flow of allFlows) {
      const about = fullOf(flow, "karoo");
      const posted = await untilAllEvents(world, about);
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
      const { upTo } = keptOf(stored.map(({ sequence }) => sequence ?? 0));
      const ports = { fetch, consoleUrl: world.services.consoleUrl, token: world.tokenOf("karoo") };
      expect(await catchUp(ports, inbox, about.uetr, upTo + 1)).toEqual({ kind: "all", firsts: 3 });
      expect(proof()).toEqual({ kind: "complete", upTo: posted.length });
      const bodies = stored.toSorted((a, b) => Number(a.sequence) - Number(b.sequence)).map(({ body }) => new TextDecoder().decode(body));
      expect(bodies).toEqual(posted.map(({ text }) => text));
    }
  });

  test("another's transaction is answered as an unknown one: 404 with the time as of which it is not known [D2 status]", async () => {
    const unknown = newCase({ flow: "on-us", bank: "karoo", branch: "250655" });
    for (const { uetr } of [fullOf("on-us", "karoo"), unknown]) {
      for (const part of ["", "/events"]) {
        const { status, text } = await ask(world, world.tokenOf("protea"), `/transactions/${uetr}${part}`);
        expect([status, JSON.parse(text)]).toMatchObject([404, { schema: "ErrorDetail", notKnownAsOf: expect.stringMatching(/Z$/) }]);
      }
    }
  });
});

describe("callers", () => {
  const path = "/transactions/outbound/direct-debit";

  test("a token is replaced in the configuration file while all runs: both count for a while, then only the new one [D10 rotation]", async () => {
    const [old, fresh] = [world.tokenOf("karoo"), "a-token-that-is-fresh"];
    const { uetr } = fullOf("on-us", "karoo");
    const judged = async (token: string): Promise<readonly number[]> => {
      const sent = await send(world, token, path, caseOf("on-us", "rotation").message);
      return [sent.status, (await ask(world, token, `/transactions/${uetr}`)).status];
    };
    expect([await judged(old), await judged(fresh)]).toEqual([
      [202, 200],
      [401, 401],
    ]);
    await world.replaceTokens("karoo", [old, fresh]);
    await until(async () =>
      expect([await judged(old), await judged(fresh)]).toEqual([
        [202, 200],
        [202, 200],
      ]),
    );
    await world.replaceTokens("karoo", [fresh]);
    await until(async () =>
      expect([await judged(old), await judged(fresh)]).toEqual([
        [401, 401],
        [202, 200],
      ]),
    );
    await world.replaceTokens("karoo", [old]);
    await until(async () =>
      expect([await judged(old), await judged(fresh)]).toEqual([
        [202, 200],
        [401, 401],
      ]),
    );
  });

  test("a bank and a connector act as themselves alone [D10 agents]", async () => {
    const ofProtea = newCase({ flow: "on-us", bank: "protea", branch: "250657" }).message;
    const offUs = newCase({ flow: "off-us", bank: "karoo", branch: "250655" }).message;
    const [karoo, connector] = [world.tokenOf("karoo"), world.tokenOf(connectorId)];
    const answers = await Promise.all([
      send(world, karoo, path, ofProtea),
      send(world, karoo, "/scheme/inbound/direct-debit", offUs),
      send(world, connector, path, ofProtea),
      send(world, "guessed", path, ofProtea),
    ]);
    expect(answers.map(({ status }) => status)).toEqual([403, 403, 403, 401]);
    for (const { text } of answers) expect(JSON.parse(text)).toMatchObject({ schema: "ErrorDetail" });
  });
});

describe("the close", () => {
  test("I10: what is unresolved becomes an item of the row that its state and answers give [7.3] [7.5] [7.7] [7.8] [7.9] [D7 RECONCILIATION]", async () => {
    await world.closeDay();
    await until(async () => {
      const ended = await Promise.all(unresolved.map(([, name, bank]) => transactionOf(world, caseOf("on-us", name, bank).uetr)));
      expect(ended.map(({ state, items }) => [state, ...items.map(({ row }) => row)])).toEqual(
        unresolved.map(([row]) => ["RECONCILIATION", row]),
      );
    });
  });

  test("I10: an outcome that the connector does not take is told past the close, and is an item until it acknowledges [D7 OUTCOME_UNDELIVERED]", async () => {
    const debit = caseOf("off-us", "untold");
    const items = async () => (await transactionOf(world, debit.uetr)).items;
    await until(async () =>
      expect(await items()).toMatchObject([{ row: 5, cause: "OUTCOME_UNDELIVERED", state: "COMPLETED", settledAtMs: null }]),
    );
    const toldBefore = outcomesOf(world, debit).length;
    await until(() => expect(outcomesOf(world, debit).length).toBeGreaterThan(toldBefore));
    world.connector.script([{ uetr: debit.uetr, answer: acknowledge() }]);
    await until(async () => expect(await items()).toMatchObject([{ settledAtMs: expect.any(Number) }]));
    await untilTold(world, debit, { code: "ACSC" });
  });
});

describe("the whole history", () => {
  test("what a bank refused our old certificate for has come with the new one, once", async () => {
    await untilState(world, waiting().uetr, "CREDIT_AUTH_DELIVERED");
    await takeReport(waiting());
    await untilAllEvents(world, waiting());
    expect(inboundOf(world, waiting()).map(({ status }) => status)).toEqual([202]);
  });

  test("I1, I3, I4, I5, I6, I8, I10: the checker finds nothing, and no service ended by itself", async () => {
    await until(async () => {
      const { violations, counts } = await world.check();
      expect(violations).toEqual([]);
      expect(counts["transactionsFollowed"]).toBeGreaterThanOrEqual(size());
    });
    expect(world.services.lost()).toEqual([]);
  });

  test("everything that was sent to a bank with signing keys is verified by each of them, and nothing else is signed [D8 headers]", async () => {
    const verdicts = await verdictsOf(world, "karoo");
    expect([verdicts.length > 100, new Set(verdicts)]).toEqual([true, new Set(["verified"])]);
    expect(signedBanks(world)).toEqual(new Set(["karoo"]));
  });

  test("everything that was sent and received is as the published document says", () => {
    const { looked, complaints } = documentComplaints(world);
    expect([looked > 300, complaints]).toEqual([true, []]);
  });
});
