// Sequences of records for the properties: the good journey of one flow with anything else in between, and markers in
// any order.

import * as fc from "fast-check";
import {
  bank,
  completedSteps,
  connector,
  credit,
  creditFinal,
  creditReport,
  creditVerdict,
  date,
  dayClosed,
  dayReconciled,
  dayTimes,
  deadlinePassed,
  debit,
  digest,
  ended,
  gateOpened,
  hex,
  identity,
  nextDate,
  offUsCompleted,
  offUsDebit,
  offUsVerdict,
  release,
  report,
  scheme,
  type SequenceStep,
  today,
  tomorrow,
  uetr,
  verdict,
  windowClosed,
  windowOpened,
} from "../given.fixture.ts";
import {
  isReceiverPaused,
  bankResumed,
  confirmation,
  rejection,
  dayVoid,
  deadLettersReplayed,
  lastClosed,
  recordDeadLettered,
  redrive,
  resolution,
  stopDelivery,
  withdrawal,
} from "./decisions.fixture.ts";
import { answerIdentification, eventId } from "../ids.ts";
import type { Flow } from "./transaction.ts";

export const thirdDate = "2026-11-24";
const nextDates = { [date]: nextDate, [nextDate]: thirdDate };
const otherUetr = "00000000-0000-4000-8000-000000000001";
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

const anyMessage: fc.Arbitrary<SequenceStep> = fc.oneof(
  fc.tuple(names, contents, senders).map(([name, content, sender]) => debit({ message: identity(name, content, sender) })),
  fc.tuple(names, contents, callers).map(([name, content, sender]) => offUsDebit({ message: identity(name, content, sender) })),
  fc.tuple(names, contents, callers).map(([name, content, sender]) => credit({ message: identity(name, content, sender) })),
);
const anyVerdict: fc.Arbitrary<SequenceStep> = fc.oneof(
  fc.tuple(verdicts, days, fc.boolean(), fc.nat(2)).map(([kind, reconciliationDay, wantsOutcomeReport, carryOversMax]) => {
    const businessDate = reconciliationDay.slice(scheme.length + 1);
    return verdict({ verdict: kind, reconciliationDay, businessDate, wantsOutcomeReport, carryOversMax });
  }),
  fc.tuple(verdicts, days, fc.nat(2)).map(([kind, reconciliationDay, carryOversMax]) => {
    const businessDate = reconciliationDay.slice(scheme.length + 1);
    return offUsVerdict({ verdict: kind, reconciliationDay, businessDate, carryOversMax });
  }),
  fc.tuple(verdicts, deadlines).map(([kind, atMs]) => creditVerdict({ verdict: kind, deadlineMs: atMs })),
);
const anyEnd: fc.Arbitrary<SequenceStep> = fc.oneof(
  fc
    .tuple(letters, ends, fc.boolean(), fc.boolean())
    .map(([letter, outcome, anyAnswer, mayHaveBeenTaken]) => ended(letter, outcome, { anyAnswer, mayHaveBeenTaken })),
  ends.map((outcome) => ({ ...ended("O", outcome), messageIdentification: `${hex}O2` })),
  fc.constant({
    ...ended("A"),
    messageIdentification: answerIdentification("duplicate-refused", bank, "outboundDirectDebit", uetr, "M2", digest),
  }),
);
const anyReport: fc.Arbitrary<SequenceStep> = fc
  .tuple(fc.boolean(), outcomes, fc.constantFrom("R1", "R2", "R3"), contents, senders)
  .map(([isOnCredit, outcome, name, content, sender]) =>
    (isOnCredit ? creditReport : report)(outcome, { message: identity(name, content, sender) }),
  );

const operators = fc.constantFrom("thandi", "sipho");
const actions = fc.nat(7).map((number) => `a${number}`);
const sent = fc.constantFrom("A", "R", "D", "C", "O1", "O2").map((letter) => `${hex}${letter}`);
const events = fc.nat(9).map((stageVersion) => eventId(uetr, stageVersion, digest));

/** Any request of an operator, dead letter or replay of dead letters. */
export const anyDecision: fc.Arbitrary<SequenceStep> = fc.oneof(
  actions.map((id) => withdrawal(id)),
  { weight: 2, arbitrary: fc.tuple(sent, actions).map(([identification, id]) => redrive(identification, id)) },
  fc.tuple(events, actions).map(([identification, id]) => redrive(identification, id, "posting")),
  { weight: 2, arbitrary: fc.tuple(sent, actions).map(([identification, id]) => stopDelivery(identification, id)) },
  fc.tuple(events, actions).map(([identification, id]) => stopDelivery(identification, id, "posting")),
  {
    weight: 4,
    arbitrary: fc
      .tuple(days, fc.constantFrom("made", "not-made", "replaced"), fc.boolean(), actions, operators)
      .map(([day, kind, needsSecondPerson, id, operator]) =>
        resolution({ day, resolution: kind, needsSecondPerson, replacedBy: otherUetr }, id, operator),
      ),
  },
  fc.tuple(actions, actions, operators).map(([confirms, id, operator]) => confirmation(confirms, id, operator)),
  fc.tuple(actions, actions, operators).map(([rejects, id, operator]) => rejection(rejects, id, operator)),
  fc.constantFrom(null, "debit" as const, "credit" as const).map((holds) => recordDeadLettered(holds)),
  actions.map((id) => deadLettersReplayed(id)),
);

export const anyFact: fc.Arbitrary<SequenceStep> = fc.oneof(
  anyMessage,
  anyVerdict,
  fc
    .tuple(fc.constantFrom(1, 2), senders, fc.constantFrom(date, date, nextDate))
    .map(([windowNumber, to, businessDate]) => release({ windowNumber, bank: to, businessDate })),
  { weight: 2, arbitrary: anyDecision },
  { weight: 2, arbitrary: anyEnd },
  { weight: 2, arbitrary: anyReport },
  days.map(dayClosed),
  deadlines.map((atMs) => deadlinePassed(atMs)),
);
export const anyMarker: fc.Arbitrary<SequenceStep> = fc.oneof(
  fc.tuple(fc.constantFrom(1, 2), fc.constantFrom(date, date, nextDate)).map(([number, of]) => windowOpened(number, of)),
  fc.constant(windowClosed(1)),
  fc.constantFrom(date, nextDate).map((of) => lastClosed(of, nextDates[of])),
  fc.constantFrom(date, nextDate).map((of) => dayVoid(of, nextDates[of])),
  fc.constantFrom([], [bank]).map((except) => gateOpened({ except })),
  fc.constantFrom(date, nextDate, thirdDate).map(dayReconciled),
  fc.constantFrom(1, 2).map((number) => dayTimes(number, number * 50_000)),
  fc
    .tuple(fc.boolean(), fc.constantFrom(bank, bank, "bank-b"), fc.nat(9), fc.constantFrom(null, 5_000, 15_000, 40_000))
    .map(([isPause, of, number, untilMs]) => (isPause ? isReceiverPaused(number, of, untilMs) : bankResumed(number, of))),
);

export const journeys: Readonly<Record<Flow, readonly SequenceStep[]>> = {
  "on-us": completedSteps,
  "off-us": [...offUsCompleted, ended("O")],
  credit: [...creditFinal, ended("O")],
};

const flowLetters = { "on-us": ["A", "R", "D"], "off-us": ["D", "O"], credit: ["C", "O"] } as const;

/** Any fact, with a preference for those that leave the good journey of this flow. */
function arbitraryFact(flow: Flow): fc.Arbitrary<SequenceStep> {
  const buildVerdict = { "on-us": verdict, "off-us": offUsVerdict, credit: creditVerdict }[flow];
  const buildReport = flow === "credit" ? creditReport : report;
  const departures: fc.Arbitrary<SequenceStep> = fc.oneof(
    fc.constant(buildVerdict({ verdict: "refused" })),
    fc
      .tuple(fc.constantFrom(...flowLetters[flow]), ends, fc.boolean())
      .map(([letter, outcome, mayHaveBeenTaken]) => ended(letter, outcome, { mayHaveBeenTaken })),
    outcomes.map((outcome) => buildReport(outcome)),
  );
  return fc.oneof({ weight: 3, arbitrary: anyFact }, { weight: 2, arbitrary: departures }, { weight: 1, arbitrary: anyDecision });
}

/** The good journey with anything in between: a `null` choice takes the journey's next step. */
export function arbitrarySequence(flow: Flow): fc.Arbitrary<readonly SequenceStep[]> {
  const choice = fc.oneof(
    { weight: 6, arbitrary: fc.constant(null) },
    { weight: 4, arbitrary: arbitraryFact(flow) },
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

/** How it may end before operators look at it: refused, withdrawn or closed, in any order. */
function arbitraryEnding(flow: Flow): fc.Arbitrary<readonly SequenceStep[]> {
  return fc
    .array(
      fc.oneof(
        fc.tuple(fc.constantFrom(...flowLetters[flow]), fc.boolean(), fc.boolean()).map(([letter, mayHaveBeenTaken, isRedriven]) => {
          const refused = ended(letter, "refused", { mayHaveBeenTaken });
          return isRedriven ? [refused, redrive(refused.messageIdentification, `early-${letter}`)] : [refused];
        }),
        fc
          .constantFrom(confirmation("early-i", "early-c"), rejection("early-i", "early-x"))
          .map((second) => [resolution({ needsSecondPerson: true }, "early-i"), second]),
        fc.constant([dayReconciled(), dayClosed()]),
        fc.constant([deadlinePassed()]),
        fc.constant([withdrawal("early")]),
      ),
      { maxLength: 4 },
    )
    .map((endings) => endings.flat());
}

/** A part of the good journey, an ending, then mostly requests of operators. */
export function arbitraryDecidedSequence(flow: Flow): fc.Arbitrary<readonly SequenceStep[]> {
  const after = fc.oneof({ weight: 5, arbitrary: anyDecision }, { weight: 2, arbitrary: anyEnd }, { weight: 1, arbitrary: anyMarker });
  return fc
    .tuple(fc.nat(journeys[flow].length), arbitraryEnding(flow), fc.array(after, { maxLength: 16, size: "medium" }))
    .map(([length, ending, decisions]) => [...journeys[flow].slice(0, length), ...ending, ...decisions]);
}
