import { type RuleBook, shippedRules } from "@sluice/account-validation";
import type { Configuration } from "@sluice/config";
import type { AccountVerified } from "@sluice/contracts";
import { type DirectDebitOptions, invalidAccount, sampleBank, sampleConfiguration, sampleScheme, validAccount } from "@sluice/testkit";
import { expect, test } from "vitest";
import { receivedCredit, receivedOffUsDebit, receivedOnUsDebit } from "./payments.fixture.ts";
import { validatePayment } from "./validate-payment.ts";

const noonMs = Temporal.Instant.from("2026-11-20T12:00:00+02:00").epochMilliseconds;
const hourMs = 3_600_000;
const configuration = sampleConfiguration();
const blocked = sampleConfiguration({ banks: [sampleBank({ id: "first", isBlocked: true })] });
const flows = { "on-us": receivedOnUsDebit, "off-us": receivedOffUsDebit, credit: receivedCredit };

interface Given {
  readonly flow?: keyof typeof flows;
  readonly options?: Partial<DirectDebitOptions>;
  readonly scheme?: string;
  readonly bank?: string;
  readonly receivedAtMs?: number;
  readonly appendedAtMs?: number;
  readonly configuration?: Configuration;
  readonly rules?: RuleBook;
}

function validate(given: Given = {}): AccountVerified {
  const receivedAtMs = given.receivedAtMs ?? noonMs;
  const place = { appendedAtMs: given.appendedAtMs ?? receivedAtMs + 3 };
  const received = flows[given.flow ?? "on-us"]({ ...given, receivedAtMs });
  return validatePayment(received, place, given.configuration ?? configuration, given.rules ?? shippedRules);
}

function reasons(given: Given): readonly string[] {
  const verdict = validate(given);
  expect(verdict.verdict).toBe(verdict.reasons.length === 0 ? "ACCEPTED" : "REFUSED");
  return verdict.reasons.map(({ code, text }) => `${code} ${text}`);
}

const account = (value: string, type: string | null = "CACC", schema = "GENERIC") => ({
  identification: { schema, value },
  ...(type === null ? {} : { type: { schema: "CODE", value: type } }),
});

test("a good debit is accepted with every value that was taken from the configuration", () => {
  expect(validate()).toEqual({
    sender: "first",
    messageIdentification: "ACME-20261120-000001",
    contentHash: receivedOnUsDebit({ receivedAtMs: noonMs }).value.contentHash,
    verdict: "ACCEPTED",
    reasons: [],
    decisions: [
      { account: "debtor", rule: "za-cdv", version: "1", result: "valid", reason: null },
      { account: "creditor", rule: "za-cdv", version: "1", result: "valid", reason: null },
    ],
    bank: "first",
    businessDate: "2026-11-20",
    reconciliationDay: "ZA_EFT:2026-11-20",
    subService: "SAME_DAY",
    calendarVersion: "sample-1",
    deadlineMs: null,
    onUsOutcomeReport: false,
    carryOversMax: 0,
  });
});

test("a wrong account number is AC02 on the debtor's side and AC03 on the creditor's, with rule and data version [4 step-3] [7.6] [D6 AC02] [D6 AC03] [D6.14] [D6.19]", () => {
  expect(reasons({ options: { debtorAccount: invalidAccount(7) } })).toEqual(["AC02 za-cdv/1 check-digit"]);
  expect(reasons({ options: { creditorAccount: invalidAccount(7) } })).toEqual(["AC03 za-cdv/1 check-digit"]);
  expect(reasons({ options: { debtorAccount: "0000" } })).toEqual(["AC02 za-cdv/1 zero"]);
  expect(reasons({ options: { creditorAccount: "12345678901234" } })).toEqual(["AC03 za-cdv/1 too-long"]);
});

test("an account that takes no debits is AC13, and may be credited [D6 AC13]", () => {
  const african = sampleConfiguration({ banks: [sampleBank({ id: "first", branch: "430000" })] });
  const creditOnly = account("80000000797", "SVGS");
  const agents = { debtorBranch: "430000", creditorBranch: "430000" };
  const good = { debtorAccount: account("10000000008", "SVGS"), creditorAccount: creditOnly };
  expect(
    reasons({ options: { ...agents, members: { debtorAccount: creditOnly, creditorAccount: creditOnly } }, configuration: african }),
  ).toEqual(["AC13 za-cdv/1 direction"]);
  expect(validate({ options: { ...agents, members: good }, configuration: african }).decisions[1]).toMatchObject({
    account: "creditor",
    result: "valid",
  });
});

test("a branch that is given but not six digits is AC08; one that is missing or unknown refuses nothing [D6 AC08] [D5.32]", () => {
  const agent = (identification: string) => ({ memberId: "250655", branch: { identification } });
  expect(reasons({ options: { members: { debtorAgent: agent("25065") } } })).toEqual(["AC08 za-cdv/1 branch-form"]);
  expect(reasons({ options: { members: { creditorAgent: agent("25-655") } } })).toEqual(["AC08 za-cdv/1 branch-form"]);
  expect(reasons({ options: { members: { debtorAgent: agent("810000") } } })).toEqual([]);
  expect(reasons({ options: { members: { debtorAgent: { memberId: "250655" } } } })).toEqual([]);
});

test("an IBAN is checked by rule iban, whatever the scheme's rule and the branch [D6 iban]", () => {
  const iban = (value: string) => ({
    members: { debtorAccount: account(value, null, "IBAN"), debtorAgent: { memberId: "250655", branch: { identification: "X" } } },
  });
  const { version } = shippedRules.iban[0]!;
  expect(validate({ options: iban("DE89370400440532013000") }).decisions[0]).toEqual({
    account: "debtor",
    rule: "iban",
    version,
    result: "valid",
    reason: null,
  });
  expect(reasons({ options: iban("DE88370400440532013000") })).toEqual([`AC02 iban/${version} check-digit`]);
  const none = sampleConfiguration({ schemes: [sampleScheme({ accountRule: "none" })] });
  expect(reasons({ options: iban("DE88370400440532013000"), configuration: none })).toEqual([`AC02 iban/${version} check-digit`]);
});

test("a number of the schema GENERIC is checked by the scheme's rule: za-cdv, uk-modulus or none", () => {
  const notAsked = { account: "debtor", version: "none", result: "not-verifiable", reason: "no-rule" };
  const by = (accountRule: "uk-modulus" | "none") =>
    validate({
      options: { debtorAccount: invalidAccount(7) },
      configuration: sampleConfiguration({ schemes: [sampleScheme({ accountRule })] }),
    });
  expect(by("none").decisions[0]).toEqual({ ...notAsked, rule: "none" });
  expect(by("uk-modulus").decisions[0]).toEqual({ ...notAsked, rule: "uk-modulus" });
  expect([by("none").verdict, by("uk-modulus").verdict]).toEqual(["ACCEPTED", "ACCEPTED"]);
});

test("the data in force on the date of receipt, in the scheme's zone, decides and is named", () => {
  const [first] = shippedRules["za-cdv"];
  const later = { ...first!, version: "2", effectiveFrom: "2026-11-21", origin: "imported" } as const;
  const rules: RuleBook = { ...shippedRules, "za-cdv": [{ ...first!, effectiveTo: "2026-11-21" }, later] };
  const versionAt = (text: string) =>
    validate({ rules, receivedAtMs: Temporal.Instant.from(text).epochMilliseconds }).decisions.map(({ version }) => version);
  expect(versionAt("2026-11-20T21:59:59Z")).toEqual(["1", "1"]);
  expect(versionAt("2026-11-20T22:00:00Z")).toEqual(["2", "2"]);
});

test("a proxy alone is not verifiable and passes; without a creditor's account only the debtor's is checked [D6.17] [D6.19] [D6.23]", () => {
  const proxy = validate({
    options: { members: { debtorAccount: { proxy: { schema: "CODE", value: "someone" } }, creditorAccount: undefined } },
  });
  expect(proxy.decisions).toEqual([{ account: "debtor", rule: "proxy", version: "none", result: "not-verifiable", reason: "no-rule" }]);
  expect(proxy.verdict).toBe("ACCEPTED");
});

test("an unknown account type is tried as each type of the bank; a failing rule of medium confidence refuses only if the operator asks for it", () => {
  expect(reasons({ options: { members: { debtorAccount: account(validAccount(9), null) } } })).toEqual([]);
  expect(reasons({ options: { members: { debtorAccount: account(invalidAccount(9), "CASH") } } })).toEqual(["AC02 za-cdv/1 check-digit"]);
  const capitec = { banks: [sampleBank({ id: "first", branch: "470010" })] };
  const given = {
    options: { debtorBranch: "470010", creditorBranch: "470010", debtorAccount: "1234567891", members: { creditorAccount: undefined } },
  };
  expect(reasons({ ...given, configuration: sampleConfiguration(capitec) })).toEqual([]);
  const strict = sampleConfiguration({ ...capitec, cdv: { refuseOn: "medium" } });
  expect(reasons({ ...given, configuration: strict })).toEqual(["AC02 za-cdv/1 check-digit"]);
});

test("a value of 0 is AM01, a currency that is not the scheme's AM03, a blocked bank AG01 [D6 AM01] [D6 AM03] [D6 AG01]", () => {
  expect(reasons({ options: { amount: "0.00" } })).toEqual(["AM01 scheme/sample zero-amount"]);
  expect(reasons({ options: { currency: "USD" } })).toEqual(["AM03 scheme/sample currency"]);
  expect(reasons({ configuration: blocked })).toEqual(["AG01 configuration/sample bank-blocked"]);
});

test("a bank that left the configuration is AG01, and the report goes to the sender", () => {
  const without = sampleConfiguration({ banks: [sampleBank({ id: "other", branch: "632005" })] });
  expect(reasons({ configuration: without })).toEqual(["AG01 configuration/sample unknown-bank"]);
  expect(validate({ configuration: without }).bank).toBe("first");
});

test("a named date that cannot be used is DT01, today after the cut-off TM01, with the calendar's version [D6 DT01] [D6 TM01]", () => {
  expect(reasons({ options: { requestedCollectionDate: "2026-11-19" } })).toEqual([
    "DT01 calendar/sample-1 requestedCollectionDate is past",
  ]);
  const late = noonMs + 4 * hourMs;
  expect(reasons({ options: { requestedCollectionDate: "2026-11-20" }, receivedAtMs: late })).toEqual([
    "TM01 calendar/sample-1 received after the cut-off of 2026-11-20",
  ]);
  expect(validate({ receivedAtMs: late })).toMatchObject({ verdict: "ACCEPTED", businessDate: "2026-11-21", subService: "ONE_DAY" });
});

test("a date that does not work is refused or moved, as the bank is configured", () => {
  const { times, ...scheme } = configuration.schemes[0]!;
  const closedOn23 = { ...times, calendar: { ...times.calendar, holidays: ["2026-11-23"] } };
  const schemes = [{ ...scheme, times: closedOn23 }];
  const options = { requestedCollectionDate: "2026-11-23" };
  expect(reasons({ options, configuration: { ...configuration, schemes } })).toEqual([
    "DT01 calendar/sample-1 requestedCollectionDate is not a working day",
  ]);
  const moving = { ...configuration, schemes, banks: [sampleBank({ id: "first", onNonWorkingDay: "next" })] };
  expect(validate({ options, configuration: moving })).toMatchObject({
    verdict: "ACCEPTED",
    businessDate: "2026-11-24",
    reconciliationDay: "ZA_EFT:2026-11-24",
  });
});

test("the dates are those at receipt, or at the append time if that is more than a minute later", () => {
  const cutOffMs = Temporal.Instant.from("2026-11-20T15:45:00+02:00").epochMilliseconds;
  const options = { requestedCollectionDate: "2026-11-20" };
  expect(reasons({ options, receivedAtMs: cutOffMs, appendedAtMs: cutOffMs + 60_000 })).toEqual([]);
  expect(reasons({ options, receivedAtMs: cutOffMs, appendedAtMs: cutOffMs + 60_001 })).toHaveLength(1);
});

test("a refused debit keeps its date and ends with the first close at least an hour after receipt; a refused date takes that close's", () => {
  const bad = { debtorAccount: invalidAccount(1), requestedCollectionDate: "2026-11-25" };
  expect(validate({ options: bad })).toMatchObject({
    businessDate: "2026-11-25",
    reconciliationDay: "ZA_EFT:2026-11-20",
    subService: "TWO_DAY",
  });
  const past = { requestedCollectionDate: "2026-11-19" };
  expect(validate({ options: past })).toMatchObject({
    businessDate: "2026-11-20",
    reconciliationDay: "ZA_EFT:2026-11-20",
    subService: "SAME_DAY",
  });
  const evening = Temporal.Instant.from("2026-11-20T16:30:00.001+02:00").epochMilliseconds;
  expect(validate({ options: past, receivedAtMs: evening })).toMatchObject({
    businessDate: "2026-11-21",
    reconciliationDay: "ZA_EFT:2026-11-21",
    subService: "ONE_DAY",
  });
});

test("an account that its bank blocked is AG01, with or without its branch, in any notation [D6 AG01]", () => {
  const blocking = (branch: string | null, value: string) =>
    sampleConfiguration({ banks: [sampleBank({ id: "first", blockedAccounts: [{ branch, account: value }] })] });
  const [debtor, creditor] = ["AG01 configuration/sample debtor-account-blocked", "AG01 configuration/sample creditor-account-blocked"];
  const number = validAccount(1);
  expect(reasons({ configuration: blocking(null, number) })).toEqual([debtor]);
  expect(reasons({ configuration: blocking("250655", number) })).toEqual([debtor]);
  expect(reasons({ configuration: blocking("250656", number) })).toEqual([]);
  expect(reasons({ configuration: blocking(null, `00${number}`) })).toEqual([debtor]);
  expect(reasons({ configuration: blocking(null, validAccount(2)) })).toEqual([]);
  const noBranch = { members: { debtorAgent: { memberId: "250655" } } };
  expect(reasons({ configuration: blocking("250655", number), options: noBranch })).toEqual([debtor]);
  expect(reasons({ configuration: blocking(null, "62001872440") })).toEqual([creditor]);
  expect(reasons({ configuration: blocking(null, "62001872440"), flow: "credit" })).toEqual([creditor]);
  expect(reasons({ configuration: blocking(null, number), flow: "credit" })).toEqual([]);
  expect(reasons({ configuration: blocking(null, number), flow: "off-us" })).toEqual([debtor]);
  expect(reasons({ configuration: blocking(null, "62001872440"), flow: "off-us" })).toEqual([]);
});

test("an item above the smaller of the bank's and the scheme's limit is AM14, exactly [7.6] [D6 AM14]", () => {
  const limited = (bank: bigint | null, scheme: bigint | null) => {
    const of = (sum: bigint | null) => (sum === null ? [] : [{ scheme: "ZA_EFT", currency: "ZAR", amountTenThousandths: sum }]);
    return sampleConfiguration({
      banks: [sampleBank({ id: "first", itemLimits: of(bank) })],
      schemes: [sampleScheme({ itemLimits: of(scheme) })],
    });
  };
  const found = (amount: string, bank: bigint | null, scheme: bigint | null) =>
    reasons({ options: { amount }, configuration: limited(bank, scheme) });
  expect(found("100.00", 1_000_000n, null)).toEqual([]);
  expect(found("100.01", 1_000_000n, null)).toEqual(["AM14 bank/sample item-limit"]);
  expect(found("100.01", null, 1_000_000n)).toEqual(["AM14 scheme/sample item-limit"]);
  expect(found("100.01", 1_000_000n, 999_999n)).toEqual(["AM14 scheme/sample item-limit"]);
  expect(found("100.01", 999_999n, 1_000_000n)).toEqual(["AM14 bank/sample item-limit"]);
  expect(found("90071992547409.94", 900_719_925_474_099_300n, null)).toEqual(["AM14 bank/sample item-limit"]);
  expect(found("90071992547409.93", 900_719_925_474_099_300n, null)).toEqual([]);
  const others = [
    { scheme: "ZA_EFT", currency: "USD", amountTenThousandths: 1n },
    { scheme: "ZA_RTC", currency: "ZAR", amountTenThousandths: 1n },
  ];
  expect(reasons({ configuration: sampleConfiguration({ banks: [sampleBank({ id: "first", itemLimits: others })] }) })).toEqual([]);
});

test("an off-us debit is checked by the debtor's account alone, for the bank that ingress found [D6.17] [D6.19]", () => {
  const options = { creditorAccount: invalidAccount(2) };
  expect(validate({ flow: "off-us", options })).toMatchObject({
    sender: "clearing",
    verdict: "ACCEPTED",
    bank: "first",
    decisions: [{ account: "debtor", result: "valid" }],
    reconciliationDay: "ZA_EFT:2026-11-20",
    deadlineMs: null,
    onUsOutcomeReport: false,
  });
  expect(reasons({ flow: "off-us", options: { debtorAccount: invalidAccount(1) } })).toEqual(["AC02 za-cdv/1 check-digit"]);
  expect(validate({ flow: "off-us", bank: "gone" })).toMatchObject({
    verdict: "REFUSED",
    bank: "gone",
    reasons: [{ code: "AG01", text: "configuration/sample unknown-bank" }],
  });
});

test("an off-us debit is never refused for its date; one that cannot be used becomes the next [D9 business-date-off-us]", () => {
  const dated = (settlementDate: string | undefined, receivedAtMs = noonMs) =>
    validate({ flow: "off-us", options: { requestedCollectionDate: "2026-11-01", members: { settlementDate } }, receivedAtMs });
  const accepted = (date: string) => ({ verdict: "ACCEPTED", businessDate: date, reconciliationDay: `ZA_EFT:${date}` });
  expect(dated("2026-11-25")).toMatchObject(accepted("2026-11-25"));
  // However far ahead: an earlier date would take money before it is due.
  expect(dated("2099-12-31")).toMatchObject(accepted("2099-12-31"));
  expect(dated(undefined)).toMatchObject(accepted("2026-11-20"));
  expect(dated("2026-11-19")).toMatchObject(accepted("2026-11-20"));
  expect(dated("2026-11-20", noonMs + 4 * hourMs)).toMatchObject(accepted("2026-11-21"));
});

test("a refused off-us debit ends with the first close at least an hour after receipt", () => {
  const bad = { debtorAccount: invalidAccount(1), members: { settlementDate: "2026-11-25" } };
  expect(validate({ flow: "off-us", options: bad })).toMatchObject({
    verdict: "REFUSED",
    businessDate: "2026-11-25",
    reconciliationDay: "ZA_EFT:2026-11-20",
  });
});

test("a credit is checked by the creditor's account, has no reconciliation day and a deadline after its receipt [D7 credit deadline] [D6.18]", () => {
  expect(validate({ flow: "credit", options: { debtorAccount: invalidAccount(1) } })).toMatchObject({
    sender: "clearing",
    verdict: "ACCEPTED",
    bank: "first",
    decisions: [{ account: "creditor", rule: "za-cdv", result: "valid" }],
    businessDate: "2026-11-20",
    subService: "SAME_DAY",
    reconciliationDay: null,
    deadlineMs: noonMs + 2 * hourMs,
    onUsOutcomeReport: false,
  });
  expect(validate({ flow: "credit", appendedAtMs: noonMs + 60_000 }).deadlineMs).toBe(noonMs + 2 * hourMs);
  expect(validate({ flow: "credit", appendedAtMs: noonMs + 60_001 }).deadlineMs).toBe(noonMs + 60_001 + 2 * hourMs);
  const short = sampleConfiguration({ schemes: [sampleScheme({ creditDeadlineMs: 30_000 })] });
  expect(validate({ flow: "credit", configuration: short }).deadlineMs).toBe(noonMs + 30_000);
});

test("a credit is refused for its account, its amount, its limits and its bank, and never for a date", () => {
  const options = { creditorAccount: invalidAccount(2), amount: "0", currency: "USD", requestedCollectionDate: "2026-11-19" };
  const verdict = validate({ flow: "credit", options, configuration: blocked, receivedAtMs: noonMs + 8 * hourMs });
  expect(verdict.reasons.map(({ code }) => code)).toEqual(["AG01", "AC03", "AM01", "AM03"]);
  expect(verdict).toMatchObject({ businessDate: "2026-11-20", reconciliationDay: null, deadlineMs: noonMs + 10 * hourMs });
});

test("a credit's business date is its date of receipt if that works, otherwise the next working day of its scheme", () => {
  const weekdays = {
    ...configuration.schemes[0]!.times,
    calendar: { ...configuration.schemes[0]!.times.calendar, workingDays: [1, 2, 3, 4, 5] },
  };
  const schemes = [sampleScheme({ times: weekdays }), sampleScheme({ id: "ZA_RTC" })];
  const saturdayMs = noonMs + 24 * hourMs;
  const of = (scheme: string) =>
    validate({ flow: "credit", scheme, receivedAtMs: saturdayMs, configuration: sampleConfiguration({ schemes }) });
  expect(of("ZA_EFT")).toMatchObject({ businessDate: "2026-11-23", subService: "ONE_DAY" });
  expect(of("ZA_RTC")).toMatchObject({ businessDate: "2026-11-21", subService: "SAME_DAY" });
});

test("an on-us verdict shows whether the initiating bank wants an outcome report", () => {
  const telling = sampleConfiguration({ banks: [sampleBank({ id: "first", onUsOutcomeReport: true })] });
  const wants = (flow: keyof typeof flows) => validate({ flow, configuration: telling }).onUsOutcomeReport;
  expect([wants("on-us"), wants("off-us"), wants("credit")]).toEqual([true, false, false]);
});

test("a payment of a scheme that is not configured, or a debit of one without windows, cannot be validated", () => {
  const without = sampleConfiguration({ schemes: [sampleScheme({ id: "ZA_RTC" })] });
  for (const flow of ["on-us", "off-us", "credit"] as const)
    expect(() => validate({ flow, configuration: without })).toThrow("configured schemes");
  const windowless = sampleConfiguration({ schemes: [sampleScheme({ takesDebits: false })] });
  expect(() => validate({ configuration: windowless })).toThrow("windows");
});

test("every failing rule is named, and no text repeats a value of the message [D6.15] [D3.22]", () => {
  const options = {
    debtorAccount: invalidAccount(1),
    creditorAccount: invalidAccount(2),
    amount: "0",
    currency: "USD",
    requestedCollectionDate: "2026-11-19",
  };
  const found = reasons({ options, configuration: blocked });
  expect(found.map((text) => text.slice(0, 4))).toEqual(["AG01", "AC02", "AC03", "AM01", "AM03", "DT01"]);
  for (const value of [invalidAccount(1), invalidAccount(2), "USD", "2026-11-19"]) expect(found.join()).not.toContain(value);
});

test("I3: the same record gives the same verdict again, in every flow", () => {
  for (const flow of ["on-us", "off-us", "credit"] as const) expect(validate({ flow })).toEqual(validate({ flow }));
});
