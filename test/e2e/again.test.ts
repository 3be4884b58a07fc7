// The same message again, and reports that are early, late, wrong or foreign: each row of the decisions' section 4 in all three flows, on real
// processes and real HTTP. One message a thousand times at once, and everything again after each service was killed. Here each bank declares
// the credits of the day final for itself.

import { badAccount, refuse, staySilent } from "@sluice/testkit";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { createCast } from "./cast.ts";
import {
  documentComplaints,
  receivedBy,
  remarksOn,
  statesOf,
  transactionOf,
  until,
  untilState,
  without,
  type Received,
} from "./evidence.ts";
import { anotherMessage, flows, identificationOf, newCase, pathTo, senderOf, type Case, type FlowName } from "./flows.ts";
import { sendManyAtOnce, type ManyAnswers } from "./many-at-once.ts";
import { openWorld, type World } from "./world.ts";

const allFlows = ["on-us", "off-us", "credit"] as const;
const debitFlows = ["on-us", "off-us"] as const;
const banks = [
  { id: "karoo", branch: "250655" },
  { id: "protea", branch: "250656" },
];
const opened = new AsyncDisposableStack();
let world: World;
const { caseOf, take, takeReport, size } = createCast(() => world, banks);

beforeAll(async () => {
  world = opened.use(await openWorld(banks, "bank"));
});
afterAll(() => opened.disposeAsync());

/** As far as it gets before the gate opens. */
const restsIn: Readonly<Record<FlowName, string>> = { "on-us": "HELD", "off-us": "HELD", credit: "CREDIT_AUTH_DELIVERED" };
const endsIn: Readonly<Record<FlowName, string>> = { "on-us": "COMPLETED", "off-us": "COMPLETED", credit: "CREDIT_AUTH_RESPONSE_ACCEPTED" };

async function atRest(message: Case): Promise<void> {
  await take(message);
  await untilState(world, message.uetr, restsIn[message.flow]);
}

async function untilRemark(message: Case, kind: string): Promise<void> {
  await until(async () => expect(remarksOn(await transactionOf(world, message.uetr), message.messageIdentification)).toContain(kind));
}

/** Remarks of reports have their own identifications. */
async function untilReportRemark({ uetr }: Case, kind: string, count = 1): Promise<void> {
  await until(async () => {
    const { remarks } = await transactionOf(world, uetr);
    expect(remarks.last.filter((remark) => remark.kind === kind)).toHaveLength(count);
  });
}

/** Answers to further messages, which have identifications of their own. */
function furtherAnswers(message: Case, receiver = senderOf(message)): readonly Received[] {
  return receivedBy(world, receiver, flows[message.flow].answer, message.uetr).filter(({ webhookId }) => /^[XY]/.test(webhookId));
}

async function sendMany(message: Case, copies: number): Promise<ManyAnswers> {
  const sender = senderOf(message);
  const { operation } = flows[message.flow];
  return await sendManyAtOnce(world, world.tokenOf(sender), { ...message, sender, operation, copies });
}

describe("a message sent many times", () => {
  test.each([
    ["on-us", 1_000],
    ["off-us", 250],
    ["credit", 250],
  ] as const)("I3: %s: the same message %i times at once is answered 202 each, and takes effect once [D4 repeat]", async (flow, copies) => {
    const message = caseOf(flow, "many");
    const { unanswered, bodies } = await sendMany(message, copies);
    expect([unanswered, [...bodies]]).toEqual([0, [""]]);
    await until(async () => {
      const transaction = await transactionOf(world, message.uetr);
      expect(transaction.remarks.count).toBeGreaterThanOrEqual(copies - 1);
      expect(statesOf(transaction)).toEqual(pathTo(flow, restsIn[flow]));
      expect(new Set(transaction.remarks.last.map(({ kind }) => kind))).toEqual(new Set(["repeat"]));
    });
    expect(furtherAnswers(message)).toEqual([]);
  });
});

describe("further messages under one UETR", () => {
  test.each(allFlows)("%s: same identity, other content: 202, a conflict for the operator, and no report [D4 conflict]", async (flow) => {
    const first = caseOf(flow, "conflict");
    await atRest(first);
    const { messageIdentification, uetr, bank, branch } = first;
    await take(newCase({ flow, bank, branch, uetr, messageIdentification, amount: "999.99" }));
    await untilRemark(first, "conflict");
    const transaction = await transactionOf(world, uetr);
    expect([transaction.amountTenThousandths, transaction.told]).toEqual([12_505_000n, []]);
  });

  test("on-us: another identification, otherwise equal: the report is sent once more and names this message [D4 repeat-other-identification]", async () => {
    const first = caseOf("on-us", "equal");
    await atRest(first);
    const again = anotherMessage(first);
    await take(again);
    const [answer] = await until(() => {
      const found = furtherAnswers(first);
      expect(found).toHaveLength(1);
      return found;
    });
    expectSentAgain(answer, identificationOf(first, "A"), again);
  });

  test.each(["off-us", "credit"] as const)(
    "%s: nothing was told yet, so another identification is a repeat alone; once an outcome was told, it is told once more [D4 repeat-other-identification]",
    async (flow) => {
      const undecided = caseOf(flow, "undecided");
      await atRest(undecided);
      const early = anotherMessage(undecided);
      await take(early);
      await untilRemark(early, "repeat-other-identification");
      expect((await transactionOf(world, undecided.uetr)).told).toEqual([]);

      const account = badAccount(7);
      const refused = caseOf(flow, "equal", "karoo", { account });
      await take(refused);
      await untilState(world, refused.uetr, flow === "credit" ? "CREDIT_AUTH_REJECTED" : "REJECTION_REPORTED");
      const again = newCase({ ...refused, messageIdentification: `${refused.messageIdentification}-B`, account });
      await take(again);
      const [answer] = await until(() => {
        const found = furtherAnswers(refused);
        expect(found).toHaveLength(1);
        return found;
      });
      expectSentAgain(answer, identificationOf(refused, "O1"), again);
    },
  );

  function expectSentAgain(answer: Received | undefined, firstId: string, again: Case): void {
    const [first] = receivedBy(world, senderOf(again), flows[again.flow].answer, again.uetr).filter(
      ({ webhookId }) => webhookId === firstId,
    );
    expect(answer?.webhookId).toMatch(/^Y[0-9a-f]{34}$/);
    const { messageIdentification } = again;
    expect(answer?.message).toMatchObject({ originalMessageIdentifiers: { messageIdentification } });
    const own = ["messageIdentifiers", "originalMessageIdentifiers"];
    expect(without(answer?.message ?? {}, ...own)).toEqual(without(first?.message ?? {}, ...own));
  }

  test.each(allFlows)(
    "%s: other content: RJCT AM05 that names the refused message, and nothing on the first [D4 duplicate-refused]",
    async (flow) => {
      const first = caseOf(flow, "refused");
      await atRest(first);
      const other = anotherMessage(first, "77.01");
      await take(other);
      await expectRefused(other, senderOf(other), "77.01");
      expect(statesOf(await transactionOf(world, first.uetr))).toEqual(pathTo(flow, restsIn[flow]));
    },
  );

  test.each([
    ["on-us", "on-us", "protea"],
    ["off-us", "on-us", "protea"],
    ["credit", "off-us", "karoo"],
  ] as const)(
    "%s: under its UETR comes a debit %s of %s: RJCT AM05 to who sent that [D4 duplicate-refused]",
    async (flow, otherFlow, bank) => {
      const { uetr } = caseOf(flow, "refused");
      const other = newCase({ flow: otherFlow, bank, branch: banks.find(({ id }) => id === bank)?.branch ?? "", uetr, amount: "55.05" });
      await take(other);
      await expectRefused(other, senderOf(other), "55.05");
      expect(statesOf(await transactionOf(world, uetr))).toEqual(pathTo(flow, restsIn[flow]));
    },
  );

  async function expectRefused(other: Case, receiver: string, amount: string): Promise<void> {
    const { messageIdentification } = other;
    const answer = await until(() => {
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

describe("reports that nothing waits for", () => {
  test.each(debitFlows)(
    "%s: a report before the release has no effect and is recorded as contradicting [D4 report-early]",
    async (flow) => {
      const debit = caseOf(flow, "early");
      await atRest(debit);
      await takeReport(debit);
      await untilReportRemark(debit, "report-early");
      expect(statesOf(await transactionOf(world, debit.uetr))).toEqual(pathTo(flow, "HELD"));
    },
  );

  test.each(allFlows)("%s: another bank's report has no effect and is recorded as foreign [D4 report-foreign]", async (flow) => {
    const message = caseOf(flow, "conflict");
    await takeReport(message, { by: "protea" });
    await untilReportRemark(message, "report-foreign");
    expect(statesOf(await transactionOf(world, message.uetr))).toEqual(pathTo(flow, restsIn[flow]));
  });

  test.each(["off-us", "credit"] as const)("%s: a report for an unknown UETR is kept for the operator [D4 report-orphan]", async (flow) => {
    const unknown = newCase({ flow, bank: "karoo", branch: "250655" });
    await takeReport(unknown);
    await untilReportRemark(unknown, "report-orphan");
    expect(await transactionOf(world, unknown.uetr)).toMatchObject({ state: "ORPHAN", transitions: [] });
  });
});

describe("every service is killed", () => {
  const during = (): Case => caseOf("on-us", "during");

  test("I1, I3: what was sent before, while and after all services were killed has one effect and the same answer [7.1] [7.2] [7.10] [D4 repeat]", async () => {
    const sending = sendMany(during(), 500);
    await until(() => expect(world.recorded.sentEntries().filter(({ uetr }) => uetr === during().uetr).length).toBeGreaterThan(50));
    await world.services.killAll();
    const reported = caseOf("credit", "undecided");
    const reporting = takeReport(reported);
    await world.services.startAll();
    await reporting;
    await untilState(world, reported.uetr, "CREDIT_AUTH_RESPONSE_ACCEPTED");
    const { unanswered, bodies } = await sending;
    expect([unanswered, [...bodies]]).toEqual([0, [""]]);
    for (const flow of allFlows) {
      const many = caseOf(flow, "many");
      const before = (await transactionOf(world, many.uetr)).remarks.count;
      const { counts, unanswered: none } = await sendMany(many, 20);
      expect([none, [...counts.keys()]]).toEqual([0, [202]]);
      await until(async () => {
        const { remarks, transitions } = await transactionOf(world, many.uetr);
        expect(remarks.count).toBeGreaterThanOrEqual(before + 20);
        expect(transitions.map(({ state }) => state)).toEqual(pathTo(flow, restsIn[flow]));
      });
    }
    const { transitions } = await untilState(world, during().uetr, "HELD");
    expect(transitions).toHaveLength(4);
  });

  test.each(allFlows)("I3: %s: a refused message that is sent again is not refused a second time [D4 duplicate-refused]", async (flow) => {
    const first = caseOf(flow, "refused");
    const toldBefore = (await transactionOf(world, first.uetr)).told;
    const again = [...(await transactionOf(world, first.uetr)).remarks.last].find(({ kind }) => kind === "duplicate-refused");
    const { bank, branch, uetr } = first;
    await take(newCase({ flow, bank, branch, uetr, messageIdentification: again?.messageIdentification ?? "", amount: "77.01" }));
    await until(async () => {
      const transaction = await transactionOf(world, uetr);
      expect(remarksOn(transaction, again?.messageIdentification ?? "")).toEqual(["duplicate-refused", "repeat"]);
      expect(transaction.told).toEqual(toldBefore);
    });
  });
});

describe("each bank declares its credits final", () => {
  test("I8: a declaration opens the gate of the bank that made it, and of no other [D9 credits-final]", async () => {
    const { connector, businessDate } = world;
    expect((await connector.declareCreditsFinal({ businessDate })).status).toBe(422);
    const ofProtea = caseOf("on-us", "of protea", "protea");
    await atRest(ofProtea);
    for (const flow of debitFlows) {
      for (const name of ["acted", "differs", "second", "unpaid"]) await atRest(caseOf(flow, name));
      const { uetr } = caseOf(flow, "acted");
      world.bank("karoo").script([{ operation: "inboundDirectDebit", uetr, answer: staySilent }]);
    }
    const released = world.recorded.receivedEntries().filter(({ operation }) => operation === "inboundDirectDebit");
    expect(released).toEqual([]);

    for (const name of ["many", "conflict", "refused"]) await endCredit(caseOf("credit", name));
    expect((await world.bank("karoo").declareCreditsFinal({ businessDate })).status).toBe(202);
    for (const flow of debitFlows) await untilState(world, caseOf(flow, "many").uetr, "DELIVERED");
    expect((await transactionOf(world, ofProtea.uetr)).state).toBe("HELD");
    expect((await world.bank("protea").declareCreditsFinal({ businessDate })).status).toBe(202);
    await untilState(world, ofProtea.uetr, "DELIVERED");
  });

  async function endCredit(credit: Case): Promise<void> {
    await takeReport(credit);
    await untilState(world, credit.uetr, "CREDIT_AUTH_RESPONSE_ACCEPTED");
  }
});

describe("reports on what was sent", () => {
  test.each(allFlows)("%s: a report before our acknowledgement proves the delivery, and stops it [D4 report-in-released]", async (flow) => {
    const message = caseOf(flow, "acted");
    const { bank, uetr } = message;
    const { inbound, letter } = flows[flow];
    if (flow === "credit") {
      world.bank(bank).script([{ operation: inbound, uetr, answer: refuse(503, "1") }]);
      await take(message);
    }
    await until(() => expect(receivedBy(world, bank, inbound, uetr).length).toBeGreaterThan(0));
    expect(["RELEASED", "CREDIT_AUTH_DELIVERY_PENDING"]).toContain((await transactionOf(world, uetr)).state);
    await takeReport(message);
    const { transitions } = await untilState(world, uetr, endsIn[flow]);
    expect(transitions.map(({ state }) => state)).toEqual(flows[flow].path);
    expect(transitions.at(-2)).toMatchObject({ httpStatusCode: null });
    const id = identificationOf(message, letter);
    // It may stay for a while, so that its record is known should it come once more.
    await until(async () => expect(["stopped", undefined]).toContain((await world.store.deliveries.load([id])).get(id)?.ended));
  });

  test.each(allFlows)("%s: a wrong original identification is applied with a warning [D4 report-original-differs]", async (flow) => {
    const message = caseOf(flow, "differs");
    if (flow === "credit") await take(message);
    await untilState(world, message.uetr, flow === "credit" ? "CREDIT_AUTH_DELIVERED" : "DELIVERED");
    await takeReport(message, { originalMessageIdentification: "SOMETHING-ELSE" });
    await untilReportRemark(message, "report-original-differs");
    expect((await transactionOf(world, message.uetr)).state).toBe(endsIn[flow]);
  });

  test.each(allFlows)(
    "%s: a second report of the same outcome is a repeat, one of another outcome contradicts; neither changes the state [D4 report-repeat] [D4 report-contradicting]",
    async (flow) => {
      const message = caseOf(flow, "second");
      if (flow === "credit") await take(message);
      await untilState(world, message.uetr, flow === "credit" ? "CREDIT_AUTH_DELIVERED" : "DELIVERED");
      await takeReport(message, { messageIdentification: "PSR-SECOND" });
      const { transitions } = await untilState(world, message.uetr, endsIn[flow]);
      await takeReport(message, { messageIdentification: "PSR-SECOND" });
      await untilReportRemark(message, "report-repeat", 1);
      await takeReport(message);
      await untilReportRemark(message, "report-repeat", 2);
      await takeReport(message, { outcome: "not-made" });
      await untilReportRemark(message, "report-contradicting");
      const after = await transactionOf(world, message.uetr);
      expect([after.state, after.finalOutcome, after.transitions]).toEqual([endsIn[flow], "made", transitions]);
    },
  );

  test.each(debitFlows)("%s: a negative report without a reason ends UNPAID, and is shown as MS03 [D6 MS03]", async (flow) => {
    const message = caseOf(flow, "unpaid");
    await untilState(world, message.uetr, "DELIVERED");
    await takeReport(message, { outcome: "not-made", reason: null });
    await untilState(world, message.uetr, "UNPAID");
    const events = await until(() => {
      const found = receivedBy(world, message.bank, "events", message.uetr).filter(
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
    await until(async () => {
      const { violations, counts } = await world.check();
      expect(violations).toEqual([]);
      expect(counts["transactionsFollowed"]).toBeGreaterThanOrEqual(size());
    });
    expect(world.services.lost()).toEqual([]);
  });

  test("everything that was sent and received is as the published document says", () => {
    const { looked, complaints } = documentComplaints(world);
    expect(looked).toBeGreaterThan(2_000);
    expect(complaints).toEqual([]);
  });
});
