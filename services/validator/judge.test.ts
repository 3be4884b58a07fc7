import { zaCdv } from "@sluice/account-validation";
import type { Configuration } from "@sluice/config";
import { readDirectDebit } from "@sluice/contracts";
import type { AccountVerified, DirectDebitReceived } from "@sluice/contracts";
import { badAccount, bodyOf, directDebit, goodAccount, sampleBank, sampleConfiguration } from "@sluice/testkit";
import type { DirectDebitOptions } from "@sluice/testkit";
import { expect, test } from "vitest";
import { judge } from "./judge.ts";

const noonMs = Temporal.Instant.from("2026-11-20T12:00:00+02:00").epochMilliseconds;
const hourMs = 3_600_000;
const configuration = sampleConfiguration();
const blocked = sampleConfiguration({ banks: [sampleBank({ id: "first", isBlocked: true })] });

function received(options: Partial<DirectDebitOptions> = {}, receivedAtMs = noonMs): DirectDebitReceived {
  const reading = readDirectDebit(bodyOf(directDebit(options)));
  if (!reading.ok) throw new Error(JSON.stringify(reading.error));
  const { message: debit, contentHash, substanceHash } = reading.read;
  return { sender: "first", contentHash, substanceHash, receivedAtMs, closesWith: "ZA_EFT:2026-11-20", closesAtMs: 0, debit };
}

interface Given {
  readonly options?: Partial<DirectDebitOptions>;
  readonly receivedAtMs?: number;
  readonly appendedAtMs?: number;
  readonly configuration?: Configuration;
}

function judged(given: Given = {}): AccountVerified {
  const receivedAtMs = given.receivedAtMs ?? noonMs;
  const place = { appendedAtMs: given.appendedAtMs ?? receivedAtMs + 3 };
  return judge(received(given.options, receivedAtMs), place, given.configuration ?? configuration, zaCdv);
}

function reasons(given: Given): readonly string[] {
  const verdict = judged(given);
  expect(verdict.verdict).toBe(verdict.reasons.length === 0 ? "ACCEPTED" : "REFUSED");
  return verdict.reasons.map(({ code, text }) => `${code} ${text}`);
}

const account = (value: string, type: string | null = "CACC", schema = "GENERIC") => ({
  identification: { schema, value },
  ...(type === null ? {} : { type: { schema: "CODE", value: type } }),
});

test("a good debit is accepted with everything that was taken from configuration", () => {
  const debit = received();
  expect(judged()).toEqual({
    sender: "first",
    messageIdentification: "ACME-20261120-000001",
    contentHash: debit.contentHash,
    verdict: "ACCEPTED",
    reasons: [],
    decisions: [
      { account: "debtor", rule: "za-cdv", version: "1", result: "valid", reason: null },
      { account: "creditor", rule: "za-cdv", version: "1", result: "valid", reason: null },
    ],
    bank: "first",
    businessDate: "2026-11-20",
    closesWith: "ZA_EFT:2026-11-20",
    subService: "SAME_DAY",
    calendarVersion: "sample-1",
  });
});

test("a wrong account number is AC02 on the debtor's side and AC03 on the creditor's, with rule and data version", () => {
  expect(reasons({ options: { debtorAccount: badAccount(7) } })).toEqual(["AC02 za-cdv/1 check-digit"]);
  expect(reasons({ options: { creditorAccount: badAccount(7) } })).toEqual(["AC03 za-cdv/1 check-digit"]);
  expect(reasons({ options: { debtorAccount: "0000" } })).toEqual(["AC02 za-cdv/1 zero"]);
  expect(reasons({ options: { creditorAccount: "12345678901234" } })).toEqual(["AC03 za-cdv/1 too-long"]);
});

test("an account that takes no debits is AC13, and may be credited", () => {
  const african = sampleConfiguration({ banks: [sampleBank({ id: "first", branch: "430000" })] });
  const creditOnly = account("80000000797", "SVGS");
  const agents = { debtorBranch: "430000", creditorBranch: "430000" };
  const good = { debtorAccount: account("10000000008", "SVGS"), creditorAccount: creditOnly };
  expect(
    reasons({ options: { ...agents, members: { debtorAccount: creditOnly, creditorAccount: creditOnly } }, configuration: african }),
  ).toEqual(["AC13 za-cdv/1 direction"]);
  expect(judged({ options: { ...agents, members: good }, configuration: african }).decisions[1]).toMatchObject({
    account: "creditor",
    result: "valid",
  });
});

test("a branch that is given but not six digits is AC08; one that is missing or unknown refuses nothing", () => {
  const agent = (identification: string) => ({ memberId: "250655", branch: { identification } });
  expect(reasons({ options: { members: { debtorAgent: agent("25065") } } })).toEqual(["AC08 za-cdv/1 branch-form"]);
  expect(reasons({ options: { members: { creditorAgent: agent("25-655") } } })).toEqual(["AC08 za-cdv/1 branch-form"]);
  expect(reasons({ options: { members: { debtorAgent: agent("810000") } } })).toEqual([]);
  expect(reasons({ options: { members: { debtorAgent: { memberId: "250655" } } } })).toEqual([]);
});

test("an account that no rule can judge is not verifiable and passes; without a creditor's account only the debtor's is asked", () => {
  const iban = judged({ options: { members: { debtorAccount: account("DE89370400440532013000", null, "IBAN") } } });
  expect(iban.decisions[0]).toEqual({ account: "debtor", rule: "iban", version: "none", result: "not-verifiable", reason: "no-rule" });
  expect(iban.verdict).toBe("ACCEPTED");
  const proxy = judged({
    options: { members: { debtorAccount: { proxy: { schema: "CODE", value: "someone" } }, creditorAccount: undefined } },
  });
  expect(proxy.decisions).toEqual([{ account: "debtor", rule: "proxy", version: "none", result: "not-verifiable", reason: "no-rule" }]);
});

test("an unknown account type is tried as any type of the bank, a failing rule of medium confidence refuses only where that is wanted", () => {
  expect(reasons({ options: { members: { debtorAccount: account(goodAccount(9), null) } } })).toEqual([]);
  expect(reasons({ options: { members: { debtorAccount: account(badAccount(9), "CASH") } } })).toEqual(["AC02 za-cdv/1 check-digit"]);
  const capitec = { banks: [sampleBank({ id: "first", branch: "470010" })] };
  const given = {
    options: { debtorBranch: "470010", creditorBranch: "470010", debtorAccount: "1234567891", members: { creditorAccount: undefined } },
  };
  expect(reasons({ ...given, configuration: sampleConfiguration(capitec) })).toEqual([]);
  const strict = sampleConfiguration({ ...capitec, cdv: { refuseOn: "medium" } });
  expect(reasons({ ...given, configuration: strict })).toEqual(["AC02 za-cdv/1 check-digit"]);
});

test("a value of 0 is AM01, a currency that is not the scheme's AM03, a blocked bank AG01", () => {
  expect(reasons({ options: { amount: "0.00" } })).toEqual(["AM01 scheme/sample zero-amount"]);
  expect(reasons({ options: { currency: "USD" } })).toEqual(["AM03 scheme/sample currency"]);
  expect(reasons({ configuration: blocked })).toEqual(["AG01 configuration/sample bank-blocked"]);
});

test("a bank that left the configuration is AG01, and the report goes to the sender", () => {
  const without = sampleConfiguration({ banks: [sampleBank({ id: "other", branch: "632005" })] });
  expect(reasons({ configuration: without })).toEqual(["AG01 configuration/sample unknown-bank"]);
  expect(judged({ configuration: without }).bank).toBe("first");
});

test("a named date that cannot be used is DT01, today after the cut-off TM01, with the calendar's version", () => {
  expect(reasons({ options: { requestedCollectionDate: "2026-11-19" } })).toEqual([
    "DT01 calendar/sample-1 requestedCollectionDate is past",
  ]);
  const late = noonMs + 4 * hourMs;
  expect(reasons({ options: { requestedCollectionDate: "2026-11-20" }, receivedAtMs: late })).toEqual([
    "TM01 calendar/sample-1 received after the cut-off of 2026-11-20",
  ]);
  expect(judged({ receivedAtMs: late })).toMatchObject({ verdict: "ACCEPTED", businessDate: "2026-11-21", subService: "ONE_DAY" });
});

test("a date that does not work is refused or moved as the bank wants", () => {
  const { times, ...scheme } = configuration.schemes[0]!;
  const closedOn23 = { ...times, calendar: { ...times.calendar, holidays: ["2026-11-23"] } };
  const schemes = [{ ...scheme, times: closedOn23 }];
  const options = { requestedCollectionDate: "2026-11-23" };
  expect(reasons({ options, configuration: { ...configuration, schemes } })).toEqual([
    "DT01 calendar/sample-1 requestedCollectionDate is not a working day",
  ]);
  const moving = { ...configuration, schemes, banks: [sampleBank({ id: "first", onNonWorkingDay: "next" })] };
  expect(judged({ options, configuration: moving })).toMatchObject({
    verdict: "ACCEPTED",
    businessDate: "2026-11-24",
    closesWith: "ZA_EFT:2026-11-24",
  });
});

test("dates are judged at receipt, but at the append time where that is more than a minute later", () => {
  const cutOffMs = Temporal.Instant.from("2026-11-20T15:45:00+02:00").epochMilliseconds;
  const options = { requestedCollectionDate: "2026-11-20" };
  expect(reasons({ options, receivedAtMs: cutOffMs, appendedAtMs: cutOffMs + 60_000 })).toEqual([]);
  expect(reasons({ options, receivedAtMs: cutOffMs, appendedAtMs: cutOffMs + 60_001 })).toHaveLength(1);
});

test("a refused debit keeps its date and ends with the first close at least an hour after receipt; a refused date takes that close's", () => {
  const bad = { debtorAccount: badAccount(1), requestedCollectionDate: "2026-11-25" };
  expect(judged({ options: bad })).toMatchObject({ businessDate: "2026-11-25", closesWith: "ZA_EFT:2026-11-20", subService: "TWO_DAY" });
  const past = { requestedCollectionDate: "2026-11-19" };
  expect(judged({ options: past })).toMatchObject({ businessDate: "2026-11-20", closesWith: "ZA_EFT:2026-11-20", subService: "SAME_DAY" });
  const evening = Temporal.Instant.from("2026-11-20T16:30:00.001+02:00").epochMilliseconds;
  expect(judged({ options: past, receivedAtMs: evening })).toMatchObject({
    businessDate: "2026-11-21",
    closesWith: "ZA_EFT:2026-11-21",
    subService: "ONE_DAY",
  });
});

test("every failing rule is named, and no text repeats a value of the message", () => {
  const options = {
    debtorAccount: badAccount(1),
    creditorAccount: badAccount(2),
    amount: "0",
    currency: "USD",
    requestedCollectionDate: "2026-11-19",
  };
  const found = reasons({ options, configuration: blocked });
  expect(found.map((text) => text.slice(0, 4))).toEqual(["AG01", "AC02", "AC03", "AM01", "AM03", "DT01"]);
  for (const value of [badAccount(1), badAccount(2), "USD", "2026-11-19"]) expect(found.join()).not.toContain(value);
});

test("I3: the same record gives the same verdict again", () => {
  expect(judged()).toEqual(judged());
});
