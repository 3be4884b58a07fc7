// Sequences of records for the properties: a good journey of one flow with anything thrown in between, markers in any order.

import * as fc from "fast-check";
import {
  bank,
  completed,
  connector,
  credit,
  creditFinal,
  creditReport,
  creditVerdict,
  dayClosed,
  dayReconciled,
  dayTimes,
  deadlinePassed,
  debit,
  digest,
  ended,
  gateOpened,
  identity,
  offUsCompleted,
  offUsDebit,
  offUsVerdict,
  release,
  report,
  scheme,
  today,
  tomorrow,
  uetr,
  verdict,
  windowClosed,
  windowOpened,
} from "./given.ts";
import type { Step } from "./given.ts";
import { answerIdentification } from "./ids.ts";
import type { Flow } from "./transaction.ts";

const names = fc.constantFrom("M1", "M2", "M3", "M4");
const contents = fc.constantFrom("c1", "c2");
const senders = fc.constantFrom("bank-a", "bank-a", "bank-b");
const callers = fc.constantFrom(connector, connector, "other-connector");
const days = fc.constantFrom(today, today, tomorrow);
const letters = fc.constantFrom("A", "R", "D", "C", "O", "S");
const ends = fc.constantFrom("acknowledged", "refused", "stopped");
const outcomes = fc.constantFrom("made", "not-made", "pending");
const verdicts = fc.constantFrom("accepted", "refused");
const deadlines = fc.constantFrom(2_000, 3_000, 9_000);

const anyMessage: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(names, contents, senders).map(([name, content, sender]) => debit({ message: identity(name, content, sender) })),
  fc.tuple(names, contents, callers).map(([name, content, sender]) => offUsDebit({ message: identity(name, content, sender) })),
  fc.tuple(names, contents, callers).map(([name, content, sender]) => credit({ message: identity(name, content, sender) })),
);
const anyVerdict: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(verdicts, days, fc.boolean()).map(([kind, closesWith, wantsOutcomeReport]) => {
    const businessDate = closesWith.slice(scheme.length + 1);
    return verdict({ verdict: kind, closesWith, businessDate, wantsOutcomeReport });
  }),
  fc.tuple(verdicts, days).map(([kind, closesWith]) => {
    const businessDate = closesWith.slice(scheme.length + 1);
    return offUsVerdict({ verdict: kind, closesWith, businessDate });
  }),
  fc.tuple(verdicts, deadlines).map(([kind, atMs]) => creditVerdict({ verdict: kind, deadlineMs: atMs })),
);
const anyEnd: fc.Arbitrary<Step> = fc.oneof(
  fc
    .tuple(letters, ends, fc.boolean(), fc.boolean())
    .map(([letter, outcome, anyAnswer, mayHaveBeenTaken]) => ended(letter, outcome, { anyAnswer, mayHaveBeenTaken })),
  fc.constant({
    ...ended("A"),
    messageIdentification: answerIdentification("X", bank, "outboundDirectDebit", uetr, "M2", digest),
  }),
);
const anyReport: fc.Arbitrary<Step> = fc
  .tuple(fc.boolean(), outcomes, fc.constantFrom("R1", "R2", "R3"), contents, senders)
  .map(([isOnCredit, outcome, name, content, sender]) =>
    (isOnCredit ? creditReport : report)(outcome, { message: identity(name, content, sender) }),
  );

export const anyFact: fc.Arbitrary<Step> = fc.oneof(
  anyMessage,
  anyVerdict,
  fc.tuple(fc.constantFrom(1, 2), senders).map(([windowNumber, to]) => release({ windowNumber, bank: to })),
  { weight: 2, arbitrary: anyEnd },
  { weight: 2, arbitrary: anyReport },
  days.map(dayClosed),
  deadlines.map((atMs) => deadlinePassed(atMs)),
);
export const anyMarker: fc.Arbitrary<Step> = fc.oneof(
  fc.constantFrom(1, 2).map((number) => windowOpened(number)),
  fc.constantFrom(1, 2).map((number) => windowClosed(number)),
  fc.constantFrom([], [bank]).map((except) => gateOpened({ except })),
  fc.constantFrom("2026-11-20", "2026-11-23").map(dayReconciled),
  fc.constantFrom(1, 2).map((number) => dayTimes(number, number * 50_000)),
);

export const journeys: Readonly<Record<Flow, readonly Step[]>> = {
  "on-us": completed,
  "off-us": [...offUsCompleted, ended("O")],
  credit: [...creditFinal, ended("O")],
};

/** What this flow can meet, and more often than anything else what leaves its good journey. */
function factsOf(flow: Flow): fc.Arbitrary<Step> {
  const verdictOf = { "on-us": verdict, "off-us": offUsVerdict, credit: creditVerdict }[flow];
  const reportOf = flow === "credit" ? creditReport : report;
  const lettersOf = { "on-us": ["A", "R", "D"], "off-us": ["D", "O"], credit: ["C", "O"] } as const;
  const departures: fc.Arbitrary<Step> = fc.oneof(
    fc.constant(verdictOf({ verdict: "refused" })),
    fc
      .tuple(fc.constantFrom(...lettersOf[flow]), ends, fc.boolean())
      .map(([letter, outcome, mayHaveBeenTaken]) => ended(letter, outcome, { mayHaveBeenTaken })),
    outcomes.map((outcome) => reportOf(outcome)),
  );
  return fc.oneof({ weight: 3, arbitrary: anyFact }, { weight: 1, arbitrary: departures });
}

/** The good journey goes on where `null` stands; anything else comes in between. */
export function sequencesOf(flow: Flow): fc.Arbitrary<readonly Step[]> {
  const choice = fc.oneof(
    { weight: 6, arbitrary: fc.constant(null) },
    { weight: 4, arbitrary: factsOf(flow) },
    { weight: 1, arbitrary: anyMarker },
  );
  return fc.array(choice, { minLength: 4, maxLength: 28, size: "medium" }).map((choices) => {
    const journey = journeys[flow].values();
    return choices.flatMap((chosen) => {
      if (chosen !== null) return [chosen];
      const next = journey.next();
      return next.done === true ? [] : [next.value];
    });
  });
}
