// The terms of a search for transactions, as one table: the console checks them, the command line offers them as
// options, and the control API's document describes them.

interface SearchTerm {
  readonly name: string;
  /** What a value must be, as a refusal says it. */
  readonly form: string;
  /** What the term finds. */
  readonly text: string;
  readonly example: string;
}

const date = "a date, YYYY-MM-DD";
const instant = "an instant with its offset, for example 2026-11-20T08:00:00+02:00";

export const searchTerms = [
  {
    name: "identification",
    form: "1 to 35 printable ASCII characters",
    text: "Equal to the message, end-to-end, transaction or instruction identification, or the final report's.",
    example: "E2E-1",
  },
  {
    name: "identificationStart",
    form: "6 to 35 printable ASCII characters",
    text: "How its UETR, in either case, or one of these identifications begins, at least 6 characters.",
    example: "FILE-2026",
  },
  { name: "sender", form: "the id of a bank or connector", text: "Who sent it: configured id.", example: "sample" },
  { name: "bank", form: "the id of a bank", text: "Configured id of a bank or connector.", example: "sample" },
  { name: "flow", form: "on-us, off-us, credit", text: "on-us, off-us or credit.", example: "on-us" },
  { name: "state", form: "a state, for example HELD or CREDIT_AUTH_DELIVERED", text: "State of the transaction.", example: "HELD" },
  { name: "scheme", form: "a scheme code, for example ZA_EFT", text: "Scheme code.", example: "ZA_EFT" },
  { name: "businessDate", form: date, text: "Business date.", example: "2026-11-20" },
  { name: "dateFrom", form: date, text: "Business date from.", example: "2026-11-20" },
  { name: "dateTo", form: date, text: "Business date to, included.", example: "2026-11-27" },
  {
    name: "reconciliationDay",
    form: "a day, for example ZA_EFT:2026-11-20",
    text: "The business day, scheme:date, whose reconciliation close is the deadline.",
    example: "ZA_EFT:2026-11-20",
  },
  {
    name: "account",
    form: "the last four characters of an account, never more",
    text: "The last four characters of the debtor's or creditor's account.",
    example: "6789",
  },
  { name: "amount", form: "an amount, for example 1250.50", text: "Exact amount, decimal.", example: "1250.50" },
  { name: "amountFrom", form: "an amount, for example 1000", text: "Amount from, decimal.", example: "1000" },
  { name: "amountTo", form: "an amount, for example 2000.50", text: "Amount to, included, decimal.", example: "2000.50" },
  { name: "currency", form: "a currency, for example ZAR", text: "Currency code.", example: "ZAR" },
  { name: "receivedFrom", form: instant, text: "Received at this instant or later.", example: "2026-11-20T06:00:00Z" },
  { name: "receivedTo", form: instant, text: "Received at this instant or earlier.", example: "2026-11-20T06:30:00Z" },
  {
    name: "reason",
    form: "a reason code, for example AC02",
    text: "A reason code of a refusal or a bank's report.",
    example: "AC02",
  },
  {
    name: "observation",
    form: "a kind of observation, for example report-foreign",
    text: "A kind among its last ten messages that had no effect.",
    example: "report-foreign",
  },
  { name: "quarantined", form: "true or false", text: "true: it has dead letters.", example: "true" },
] as const satisfies readonly SearchTerm[];

export type SearchTermName = (typeof searchTerms)[number]["name"];
