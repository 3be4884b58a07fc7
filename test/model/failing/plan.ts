// The plan of one run with a bank that takes all but k messages, as data, and how plans are drawn.
//
// #1 k is drawn evenly by its order of magnitude, from 1 to 10,000, so that small numbers are frequent.
// #2 k changes while the run goes on: more failing messages come in each round, and some of the earlier ones are taken.
// #3 The bank can take what is offered: the attempts of a round that say something about it fill half of its
//    connections until the next round.

import * as fc from "fast-check";

export interface FailingPlan {
  readonly seed: number;
  readonly partitionCount: number;
  /** Receivers in the configuration, with the bank and the crowds. */
  readonly configured: number;
  /** Receivers that never answer, and receivers that take 2 to 4 s for a 202. */
  readonly silent: number;
  readonly slow: number;
  /** Requests at once that the bank with failing messages bears. */
  readonly connections: number;
  readonly answerMs: number;
  readonly rounds: readonly FailingRound[];
}

export interface FailingRound {
  /** Messages that come and fail for ever: k, and then more. */
  readonly failing: number;
  /** Messages that come among them and are taken. */
  readonly taken: number;
  /** The share of all failing messages so far that the bank takes from the beginning of this round. */
  readonly healedShare: number;
}

const logSteps = 1_000;
const failingMax = 10_000;
const answerMsMax = 1_000;
const evidenceAttempts = 3;
/** What an attempt takes in the test environment beside the bank's answer: the store is read and written. */
const attemptMsMin = 5;
/** #3 */
const workMsMax = 15_000;

/** #1. Steps of a thousandth of the logarithm; without the bias of fast-check, which would draw mostly 1. */
function anyLogUniform(max: number): fc.Arbitrary<number> {
  return fc.noBias(fc.nat(logSteps)).map((step) => Math.round(max ** (step / logSteps)));
}

const anyLaterRound = fc.record({
  failing: fc.oneof(fc.constant(0), anyLogUniform(1_000)),
  taken: fc.integer({ min: 1, max: 40 }),
  healedShare: fc.constantFrom(0, 0, 0.3, 1),
});

export const anyFailingPlan: fc.Arbitrary<FailingPlan> = fc
  .record({
    seed: fc.nat(),
    partitionCount: fc.constantFrom(1, 4, 12),
    others: anyLogUniform(999),
    crowdShare: fc.constantFrom(0, 0.1, 0.3),
    connections: fc.constantFrom(1, 2, 4, 16),
    answerMs: fc.oneof(fc.constant(5), anyLogUniform(answerMsMax)),
    failing: anyLogUniform(failingMax),
    taken: fc.integer({ min: 1, max: 100 }),
    later: fc.array(anyLaterRound, { minLength: 1, maxLength: 3 }),
  })
  .map(({ others, crowdShare, failing, taken, later, ...given }) => {
    const crowd = Math.floor(others * crowdShare);
    const rounds = [{ failing, taken, healedShare: 0 }, ...later];
    return bearable({ ...given, configured: others + 1, silent: crowd, slow: crowd, rounds });
  });

/** #3. Answers come sooner where many messages fail. */
function bearable(plan: FailingPlan): FailingPlan {
  const attemptsMax = Math.max(...plan.rounds.map(({ failing, taken }) => evidenceAttempts * failing + 2 * taken));
  const answerMs = Math.floor((workMsMax * plan.connections) / attemptsMax);
  return {
    ...plan,
    answerMs: Math.max(1, Math.min(plan.answerMs, answerMs)),
    rounds: plan.rounds.map((round) => bearableRound(round, plan)),
  };
}

/** With few connections even answers within a millisecond bear only so many messages. */
function bearableRound(round: FailingRound, { connections }: FailingPlan): FailingRound {
  return { ...round, failing: Math.min(round.failing, Math.floor((workMsMax * connections) / (evidenceAttempts * attemptMsMin))) };
}
