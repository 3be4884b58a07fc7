// The verdict of a demo day in five sentences, each with the promises that it stands for.
//
// #1 A sentence is right if no problem is of its promises. A problem without a promise is one of the plan, and belongs
//    to the first sentence.

export interface VerdictLine {
  readonly text: string;
  readonly isRight: boolean;
}

interface Verdict {
  readonly problems: readonly string[];
  /** How much was checked, by kind. */
  readonly counts: Readonly<Record<string, number>>;
  /** Final states with their counts. */
  readonly states: readonly { readonly state: string; readonly count: number }[];
  /** Items that were left for the person who stays. */
  readonly leftOpen?: number;
}

const promises = {
  ends: ["I1", "I2", "I5", "I6", "I7", "I11", "I16"],
  order: ["I4", "I12"],
  once: ["I3"],
  hold: ["I8", "I9"],
  list: ["I10", "I13", "I14", "I15"],
} as const;

export function buildVerdict({ problems, counts, states, leftOpen = 0 }: Verdict): readonly VerdictLine[] {
  const count = (name: string): number => counts[name] ?? 0;
  const sums = [...Map.groupBy(states, ({ state }) => stateWords[state] ?? state)].map(
    ([words, rows]) => `${rows.reduce((sum, row) => sum + row.count, 0)} ${words}`,
  );
  const resolved = leftOpen === 0 ? "" : `${count("itemsAtClose") - leftOpen} `;
  const resolvedText = `${resolved}resolved by two people${leftOpen === 0 ? "" : `, ${leftOpen} left open for you`}`;
  const lines: readonly (readonly [keyof typeof promises, string])[] = [
    ["ends", `${count("transactions")} accepted = ${sums.join(" + ")}`],
    ["order", `${count("eventsInSequence")} events, each in its order, none missing`],
    ["once", `${count("messagesStored")} messages, each with one effect, however often it was sent`],
    ["hold", `${count("debitsReleased")} debits released, none before its window and its gate`],
    ["list", `${count("unresolvedAtClose")} unresolved at the close, ${count("itemsAtClose")} on the list, ${resolvedText}`],
  ];
  return lines.map(([about, text]) => ({ text, isRight: !problems.some((problem) => aboutOf(problem) === about) }));
}

/** #1 */
function aboutOf(problem: string): keyof typeof promises {
  const promise = /^I\d+(?=[ :])/.exec(problem)?.[0] ?? "";
  if (promises.order.some((one) => one === promise)) return "order";
  if (promises.once.some((one) => one === promise)) return "once";
  if (promises.hold.some((one) => one === promise)) return "hold";
  return promises.list.some((one) => one === promise) ? "list" : "ends";
}

const stateWords: Readonly<Record<string, string>> = {
  COMPLETED: "completed",
  UNPAID: "unpaid",
  REJECTION_REPORTED: "refused",
  RECONCILIATION: "to reconcile",
  HELD: "held",
  CREDIT_AUTH_RESPONSE_ACCEPTED: "credits answered",
  CREDIT_AUTH_REJECTED: "refused",
  CREDIT_AUTH_RECONCILIATION: "to reconcile",
};

export function formatVerdict(lines: readonly VerdictLine[]): string {
  return lines.map(({ text, isRight }) => `  ${isRight ? "✓" : "✗"} ${text}`).join("\n");
}
