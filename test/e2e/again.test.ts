// Repeats messages, and sends reports that are early, late, wrong or foreign: each row of D4
// (docs/spec/decisions.md) in all
// three flows, on real processes and real HTTP. One message is sent a thousand times at once, and everything again
// after each service was killed. Each bank declares the credits of the day final for itself.

import { invalidAccount, refuse, staySilent } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCases } from "./parties/cases.ts";
import {
  findDocumentViolations,
  findReceived,
  observationKinds,
  enteredStates,
  loadTransaction,
  untilHolds,
  untilState,
  omitMembers,
  type RecordedMessage,
} from "./recorded/evidence.ts";
import {
  anotherMessage,
  flows,
  outgoingIdentification,
  createCase,
  pathTo,
  senderId,
  type E2eCase,
  type FlowName,
} from "./parties/flows.ts";
import { sendConcurrently, type ConcurrentAnswers } from "./parties/concurrent-copies.ts";
import { openE2eEnvironment, type E2eEnvironment } from "./environment/environment.ts";

const allFlows = ["on-us", "off-us", "credit"] as const;
const debitFlows = ["on-us", "off-us"] as const;
const banks = [
  { id: "karoo", branch: "250655" },
  { id: "protea", branch: "250656" },
];
const opened = new AsyncDisposableStack();
let environment: E2eEnvironment;
const { caseFor, submit, submitReport, size } = createCases(() => environment, banks);

beforeAll(async () => {
  environment = opened.use(await openE2eEnvironment(banks, "bank"));
});
afterAll(() => opened.disposeAsync());

/** The state that a transaction reaches before the gate opens. */
const restsIn: Readonly<Record<FlowName, string>> = { "on-us": "HELD", "off-us": "HELD", credit: "CREDIT_AUTH_DELIVERED" };
const endsIn: Readonly<Record<FlowName, string>> = { "on-us": "COMPLETED", "off-us": "COMPLETED", credit: "CREDIT_AUTH_RESPONSE_ACCEPTED" };

async function submitToRest(message: E2eCase): Promise<void> {
  await submit(message);
  await untilState(environment, message.uetr, restsIn[message.flow]);
}

async function untilObserved(message: E2eCase, kind: string): Promise<void> {
  await untilHolds(async () =>
    expect(observationKinds(await loadTransaction(environment, message.uetr), message.messageIdentification)).toContain(kind),
  );
}

/** Waits for observations of a kind, because reports have identifications of their own. */
async function untilReportObserved({ uetr }: E2eCase, kind: string, count = 1): Promise<void> {
  await untilHolds(async () => {
    const { observations } = await loadTransaction(environment, uetr);
    expect(observations.last.filter((observation) => observation.kind === kind)).toHaveLength(count);
  });
}

/** Finds answers to further messages, which have identifications of their own. */
function furtherAnswers(message: E2eCase, receiver = senderId(message)): readonly RecordedMessage[] {
  return findReceived(environment, receiver, flows[message.flow].answer, message.uetr).filter(({ webhookId }) => /^[XY]/.test(webhookId));
}

async function sendMany(message: E2eCase, copies: number): Promise<ConcurrentAnswers> {
  const sender = senderId(message);
  const { operation } = flows[message.flow];
  return await sendConcurrently(environment, environment.tokenOf(sender), { ...message, sender, operation, copies });
}

describe("a message sent many times", () => {
  test.each([
    ["on-us", 1_000],
    ["off-us", 250],
    ["credit", 250],
  ] as const)(
    "I3: %s: the same message %i times at once is answered 202 each time, and takes effect once [D4 repeat]",
    async (flow, copies) => {
      const message = caseFor(flow, "many");
      const { unanswered, bodies } = await sendMany(message, copies);
      expect([unanswered, [...bodies]]).toEqual([0, [""]]);
      await untilHolds(async () => {
        const transaction = await loadTransaction(environment, message.uetr);
        expect(transaction.observations.count).toBeGreaterThanOrEqual(copies - 1);
        expect(enteredStates(transaction)).toEqual(pathTo(flow, restsIn[flow]));
        expect(new Set(transaction.observations.last.map(({ kind }) => kind))).toEqual(new Set(["repeat"]));
      });
      expect(furtherAnswers(message)).toEqual([]);
    },
  );
});

describe("further messages under one UETR", () => {
  test.each(allFlows)(
    "%s: same identity, other content: 202, a conflict that the operator sees, and no report [D4 conflict]",
    async (flow) => {
      const first = caseFor(flow, "conflict");
      await submitToRest(first);
      const { messageIdentification, uetr, bank, branch } = first;
      await submit(createCase({ flow, bank, branch, uetr, messageIdentification, amount: "999.99" }));
      await untilObserved(first, "conflict");
      const transaction = await loadTransaction(environment, uetr);
      expect([transaction.amountTenThousandths, transaction.notices]).toEqual([12_505_000n, []]);
    },
  );

  test("on-us: another identification, otherwise equal: the report is sent again and names this message [D4 repeat-other-identification]", async () => {
    const first = caseFor("on-us", "equal");
    await submitToRest(first);
    const again = anotherMessage(first);
    await submit(again);
    const [answer] = await untilHolds(() => {
      const found = furtherAnswers(first);
      expect(found).toHaveLength(1);
      return found;
    });
    expectSentAgain(answer, outgoingIdentification(first, "A"), again);
  });

  test.each(["off-us", "credit"] as const)(
    "%s: another identification is only a repeat before the outcome report, and gets the report again after it [D4 repeat-other-identification]",
    async (flow) => {
      const undecided = caseFor(flow, "undecided");
      await submitToRest(undecided);
      const early = anotherMessage(undecided);
      await submit(early);
      await untilObserved(early, "repeat-other-identification");
      expect((await loadTransaction(environment, undecided.uetr)).notices).toEqual([]);

      const account = invalidAccount(7);
      const refused = caseFor(flow, "equal", "karoo", { account });
      await submit(refused);
      await untilState(environment, refused.uetr, flow === "credit" ? "CREDIT_AUTH_REJECTED" : "REJECTION_REPORTED");
      const again = createCase({ ...refused, messageIdentification: `${refused.messageIdentification}-B`, account });
      await submit(again);
      const [answer] = await untilHolds(() => {
        const found = furtherAnswers(refused);
        expect(found).toHaveLength(1);
        return found;
      });
      expectSentAgain(answer, outgoingIdentification(refused, "O1"), again);
    },
  );

  function expectSentAgain(answer: RecordedMessage | undefined, firstId: string, again: E2eCase): void {
    const [first] = findReceived(environment, senderId(again), flows[again.flow].answer, again.uetr).filter(
      ({ webhookId }) => webhookId === firstId,
    );
    expect(answer?.webhookId).toMatch(/^Y[0-9a-f]{34}$/);
    const { messageIdentification } = again;
    expect(answer?.message).toMatchObject({ originalMessageIdentifiers: { messageIdentification } });
    const own = ["messageIdentifiers", "originalMessageIdentifiers"];
    expect(omitMembers(answer?.message ?? {}, ...own)).toEqual(omitMembers(first?.message ?? {}, ...own));
  }

  test.each(allFlows)(
    "%s: other content: RJCT AM05 names the refused message, and the first message is unaffected [D4 duplicate-refused]",
    async (flow) => {
      const first = caseFor(flow, "refused");
      await submitToRest(first);
      const other = anotherMessage(first, "77.01");
      await submit(other);
      await expectRefused(other, senderId(other), "77.01");
      expect(enteredStates(await loadTransaction(environment, first.uetr))).toEqual(pathTo(flow, restsIn[flow]));
    },
  );

  test.each([
    ["on-us", "on-us", "protea"],
    ["off-us", "on-us", "protea"],
    ["credit", "off-us", "karoo"],
  ] as const)(
    "%s: a debit %s of %s comes under its UETR: its sender gets RJCT AM05 [D4 duplicate-refused]",
    async (flow, otherFlow, bank) => {
      const { uetr } = caseFor(flow, "refused");
      const other = createCase({ flow: otherFlow, bank, branch: banks.find(({ id }) => id === bank)?.branch ?? "", uetr, amount: "55.05" });
      await submit(other);
      await expectRefused(other, senderId(other), "55.05");
      expect(enteredStates(await loadTransaction(environment, uetr))).toEqual(pathTo(flow, restsIn[flow]));
    },
  );

  async function expectRefused(other: E2eCase, receiver: string, amount: string): Promise<void> {
    const { messageIdentification } = other;
    const answer = await untilHolds(() => {
      const found = furtherAnswers(other, receiver).find(({ text }) => text.includes(messageIdentification));
      expect(found).toBeDefined();
      return found;
    });
    expect(answer?.webhookId).toMatch(/^X[0-9a-f]{34}$/);
    expect(answer?.text).toContain(`"value":${amount},`);
    expect(answer?.message).toMatchObject({
      schema: "PaymentStatusReport",
      originalMessageIdentifiers: { messageIdentification },
      status: { code: "RJCT", outcome: "REJECTED", reasonInfo: [{ reason: { value: "AM05" } }] },
    });
  }
});

describe("unexpected reports", () => {
  test.each(debitFlows)(
    "%s: a report before the release has no effect and is recorded as contradicting [D4 report-early]",
    async (flow) => {
      const debit = caseFor(flow, "early");
      await submitToRest(debit);
      await submitReport(debit);
      await untilReportObserved(debit, "report-early");
      expect(enteredStates(await loadTransaction(environment, debit.uetr))).toEqual(pathTo(flow, "HELD"));
    },
  );

  test.each(allFlows)("%s: another bank's report has no effect and is recorded as foreign [D4 report-foreign]", async (flow) => {
    const message = caseFor(flow, "conflict");
    await submitReport(message, { by: "protea" });
    await untilReportObserved(message, "report-foreign");
    expect(enteredStates(await loadTransaction(environment, message.uetr))).toEqual(pathTo(flow, restsIn[flow]));
  });

  test.each(["off-us", "credit"] as const)("%s: a report for an unknown UETR is kept for the operator [D4 report-orphan]", async (flow) => {
    const unknown = createCase({ flow, bank: "karoo", branch: "250655" });
    await submitReport(unknown);
    await untilReportObserved(unknown, "report-orphan");
    expect(await loadTransaction(environment, unknown.uetr)).toMatchObject({ state: "ORPHAN", transitions: [] });
  });
});

describe("every service is killed", () => {
  const during = (): E2eCase => caseFor("on-us", "during");

  test("I1, I3: a message sent before, while and after all services were killed has one effect and the same answer [7.1] [7.2] [7.10] [D4 repeat]", async () => {
    const sending = sendMany(during(), 500);
    await untilHolds(() =>
      expect(environment.recorded.sentEntries().filter(({ uetr }) => uetr === during().uetr).length).toBeGreaterThan(50),
    );
    await environment.services.killAll();
    const reported = caseFor("credit", "undecided");
    const reporting = submitReport(reported);
    await environment.services.startAll();
    await reporting;
    await untilState(environment, reported.uetr, "CREDIT_AUTH_RESPONSE_ACCEPTED");
    const { unanswered, bodies } = await sending;
    expect([unanswered, [...bodies]]).toEqual([0, [""]]);
    for (const flow of allFlows) {
      const many = caseFor(flow, "many");
      const before = (await loadTransaction(environment, many.uetr)).observations.count;
      const { counts, unanswered: none } = await sendMany(many, 20);
      expect([none, [...counts.keys()]]).toEqual([0, [202]]);
      await untilHolds(async () => {
        const { observations, transitions } = await loadTransaction(environment, many.uetr);
        expect(observations.count).toBeGreaterThanOrEqual(before + 20);
        expect(transitions.map(({ state }) => state)).toEqual(pathTo(flow, restsIn[flow]));
      });
    }
    const { transitions } = await untilState(environment, during().uetr, "HELD");
    expect(transitions).toHaveLength(4);
  });

  test.each(allFlows)("I3: %s: a refused message that is sent again is not refused again [D4 duplicate-refused]", async (flow) => {
    const first = caseFor(flow, "refused");
    const noticesBefore = (await loadTransaction(environment, first.uetr)).notices;
    const refusal = [...(await loadTransaction(environment, first.uetr)).observations.last].find(
      ({ kind }) => kind === "duplicate-refused",
    );
    const { bank, branch, uetr } = first;
    await submit(createCase({ flow, bank, branch, uetr, messageIdentification: refusal?.messageIdentification ?? "", amount: "77.01" }));
    await untilHolds(async () => {
      const transaction = await loadTransaction(environment, uetr);
      expect(observationKinds(transaction, refusal?.messageIdentification ?? "")).toEqual(["duplicate-refused", "repeat"]);
      expect(transaction.notices).toEqual(noticesBefore);
    });
  });
});

describe("each bank declares its credits final", () => {
  test("I8: a declaration opens the gate of the bank that made it, and of no other [D9 credits-final]", async () => {
    const { connector, businessDate } = environment;
    expect((await connector.declareCreditsFinal({ businessDate })).status).toBe(422);
    const ofProtea = caseFor("on-us", "of protea", "protea");
    await submitToRest(ofProtea);
    for (const flow of debitFlows) {
      for (const name of ["acted", "differs", "second", "unpaid"]) await submitToRest(caseFor(flow, name));
      const { uetr } = caseFor(flow, "acted");
      environment.bank("karoo").addRules([{ operation: "inboundDirectDebit", uetr, answer: staySilent }]);
    }
    const released = environment.recorded.receivedEntries().filter(({ operation }) => operation === "inboundDirectDebit");
    expect(released).toEqual([]);

    for (const name of ["many", "conflict", "refused"]) await endCredit(caseFor("credit", name));
    expect((await environment.bank("karoo").declareCreditsFinal({ businessDate })).status).toBe(202);
    for (const flow of debitFlows) await untilState(environment, caseFor(flow, "many").uetr, "DELIVERED");
    expect((await loadTransaction(environment, ofProtea.uetr)).state).toBe("HELD");
    expect((await environment.bank("protea").declareCreditsFinal({ businessDate })).status).toBe(202);
    await untilState(environment, ofProtea.uetr, "DELIVERED");
  });

  async function endCredit(credit: E2eCase): Promise<void> {
    await submitReport(credit);
    await untilState(environment, credit.uetr, "CREDIT_AUTH_RESPONSE_ACCEPTED");
  }
});

describe("reports on delivered messages", () => {
  test.each(allFlows)("%s: a report before our acknowledgement proves the delivery, and stops it [D4 report-in-released]", async (flow) => {
    const message = caseFor(flow, "acted");
    const { bank, uetr } = message;
    const { inbound, letter } = flows[flow];
    if (flow === "credit") {
      environment.bank(bank).addRules([{ operation: inbound, uetr, answer: refuse(503, "1") }]);
      await submit(message);
    }
    await untilHolds(() => expect(findReceived(environment, bank, inbound, uetr).length).toBeGreaterThan(0));
    expect(["RELEASED", "CREDIT_AUTH_DELIVERY_PENDING"]).toContain((await loadTransaction(environment, uetr)).state);
    await submitReport(message);
    const { transitions } = await untilState(environment, uetr, endsIn[flow]);
    expect(transitions.map(({ state }) => state)).toEqual(flows[flow].path);
    expect(transitions.at(-2)).toMatchObject({ httpStatusCode: null });
    const id = outgoingIdentification(message, letter);
    // The stopped delivery may stay for a while, so that its record is recognized if it is read again.
    await untilHolds(async () => expect(["stopped", undefined]).toContain((await environment.store.deliveries.load([id])).get(id)?.ended));
  });

  test.each(allFlows)(
    "%s: a report with a wrong original identification is applied with a warning [D4 report-original-differs]",
    async (flow) => {
      const message = caseFor(flow, "differs");
      if (flow === "credit") await submit(message);
      await untilState(environment, message.uetr, flow === "credit" ? "CREDIT_AUTH_DELIVERED" : "DELIVERED");
      await submitReport(message, { originalMessageIdentification: "SOMETHING-ELSE" });
      await untilReportObserved(message, "report-original-differs");
      expect((await loadTransaction(environment, message.uetr)).state).toBe(endsIn[flow]);
    },
  );

  test.each(allFlows)(
    "%s: a second report is a repeat or a contradiction by its outcome, and changes no state [D4 report-repeat] [D4 report-contradicting]",
    async (flow) => {
      const message = caseFor(flow, "second");
      if (flow === "credit") await submit(message);
      await untilState(environment, message.uetr, flow === "credit" ? "CREDIT_AUTH_DELIVERED" : "DELIVERED");
      await submitReport(message, { messageIdentification: "PSR-SECOND" });
      const { transitions } = await untilState(environment, message.uetr, endsIn[flow]);
      await submitReport(message, { messageIdentification: "PSR-SECOND" });
      await untilReportObserved(message, "report-repeat", 1);
      await submitReport(message);
      await untilReportObserved(message, "report-repeat", 2);
      await submitReport(message, { outcome: "not-made" });
      await untilReportObserved(message, "report-contradicting");
      const after = await loadTransaction(environment, message.uetr);
      expect([after.state, after.finalOutcome, after.transitions]).toEqual([endsIn[flow], "made", transitions]);
    },
  );

  test.each(debitFlows)("%s: a negative report without a reason ends UNPAID, and is shown as MS03 [D6 MS03]", async (flow) => {
    const message = caseFor(flow, "unpaid");
    await untilState(environment, message.uetr, "DELIVERED");
    await submitReport(message, { outcome: "not-made", reason: null });
    await untilState(environment, message.uetr, "UNPAID");
    const events = await untilHolds(() => {
      const found = findReceived(environment, message.bank, "events", message.uetr).filter(
        ({ message: { type } }) => type === "DIRECT_DEBIT_UNPAID",
      );
      expect(found.length).toBeGreaterThan(0);
      return found;
    });
    expect(events[0]?.message).toMatchObject({
      state: { financialTransactionState: "UNPAID", transactionState: "SENT" },
      transactionInfo: { returnType: "UNPAID" },
      payload: { status: { code: "RJCT", reasonInfo: [{ reason: { value: "MS03" } }] } },
    });
  });
});

describe("the whole history", () => {
  test("I1, I3, I4, I5, I6, I8: the checker finds nothing, and no service ended by itself", async () => {
    await untilHolds(async () => {
      const { violations, counts } = await environment.check();
      expect(violations).toEqual([]);
      expect(counts["transactionsFollowed"]).toBeGreaterThanOrEqual(size());
    });
    expect(environment.services.lost()).toEqual([]);
  });

  test("all requests and answers match the published document", () => {
    const { looked, complaints } = findDocumentViolations(environment);
    expect(looked).toBeGreaterThan(2_000);
    expect(complaints).toEqual([]);
  });
});
