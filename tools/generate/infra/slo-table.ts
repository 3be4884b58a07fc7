// The service level objectives: what is promised of a share of all cases, and which metrics count the cases that miss
// it. `slos.ts` makes the rules of this table.

export interface Objective {
  /** Part of rule names and labels; words with hyphens. */
  readonly name: string;
  /** Per cent of cases, or of the time, that keep the promise over 30 days. */
  readonly objective: number;
  readonly promise: string;
  /** What to look at first when the budget burns. */
  readonly advice: string;
  /** The share that misses it, as a query over the last `window`, between 0 and 1. */
  errorRatio(window: string): string;
}

export const objectives: readonly Objective[] = [
  {
    name: "requests-accepted",
    objective: 99.9,
    promise: "A request is answered within one second, and not with 5xx",
    advice: "The log acknowledges late or not at all. Look at SluiceLogIsSlow and SluiceIngressRefuses.",
    // An answer 503 that took longer than a second counts twice.
    errorRatio: (window) =>
      ratio(
        `${sum(`sluice_ingress_requests_total{status=~"5.."}`, window)} + ` +
          `${sum("sluice_ingress_answer_seconds_count", window)} - ${sum(`sluice_ingress_answer_seconds_bucket{le="1"}`, window)}`,
        sum("sluice_ingress_requests_total", window),
      ),
  },
  {
    name: "verdicts-in-time",
    objective: 99.9,
    promise: "A debit or credit has its verdict, and its report leaves, within 60 seconds of its receipt",
    advice: "Validator or scheduler is behind. Look at SluicePartitionBehind and SluicePartitionStands.",
    errorRatio: (window) =>
      ratio(
        `${sum("sluice_scheduler_verdict_seconds_count", window)} - ${sum(`sluice_scheduler_verdict_seconds_bucket{le="60"}`, window)}`,
        sum("sluice_scheduler_verdict_seconds_count", window),
      ),
  },
  {
    name: "released-on-time",
    objective: 99.9,
    promise: "A held debit is released before the close of its day",
    advice: "A gate stayed closed, a bank was paused or too slow, or a window was missed. The items name the reason of each.",
    errorRatio: (window) =>
      ratio(
        sum(`sluice_scheduler_items_total{state="HELD"}`, window),
        `${sum(`sluice_scheduler_items_total{state="HELD"}`, window)} + ${sum("sluice_scheduler_releases_total", window)}`,
      ),
  },
  {
    name: "delivered-in-time",
    objective: 99.9,
    promise: "A delivery or posting ends before its deadline: acknowledged, refused or stopped",
    advice: "A receiver takes nothing for days, or is attempted too seldom. Look at SluiceNothingAcknowledged.",
    errorRatio: (window) =>
      ratio(sum(`sluice_delivery_ended_total{outcome="expired"}`, window), sum("sluice_delivery_ended_total", window)),
  },
  {
    name: "conservation",
    objective: 99.99,
    promise: "What was accepted is the sum of what became of it, in every partition, all the time",
    advice: "Transactions may be lost or counted twice. Look at SluiceConservationBroken at once.",
    errorRatio: (window) => `avg_over_time((max(sluice_conservation_broken))[${window}:1m])`,
  },
];

function sum(series: string, window: string): string {
  return `sum(rate(${series}[${window}]))`;
}

/** Without a case there is no share: nothing is burnt, and nothing is shown. */
function ratio(bad: string, all: string): string {
  return `(${bad}) / ((${all}) > 0)`;
}
