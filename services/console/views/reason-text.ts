// Explains in a sentence why a decision had no effect, for the codes that aggregates leave in their notes.

const texts: Readonly<Record<string, string>> = {
  "already-decided": "this decision was taken before.",
  "already-confirmed": "another person has confirmed it.",
  "already-declared": "the credits are declared final already.",
  "already-rejected": "another person has rejected it.",
  "already-resolved": "the item has a final resolution, and that does not change.",
  "already-retracted": "the person who proposed it has retracted it.",
  "already-so": "it was so already.",
  "checked-just-now": "the addresses of the bank were called in the last 30 seconds.",
  "close-reached": "that close has come, or its time is now.",
  "day-over": "the day's reconciliation close has come.",
  "end-reached": "its end is not ahead.",
  "id-used": "this id was used for another decision.",
  "gate-open": "the bank's gate is open.",
  "partitions-awaited": "not every partition has answered the declaration yet; ask again in a moment.",
  "no-item":
    "there is no item that people could resolve; one is made at the close, by a withdrawal, or when a connector refuses an outcome report.",
  "no-replacement": "the UETR that took its place is missing, or is its own.",
  "no-such-event": "it is no event of this transaction, or its events are posted to nobody.",
  "no-such-window": "the day has no such window.",
  "not-declared": "the credits are not declared final.",
  "not-in-this-state": "the transaction's state does not allow it.",
  "not-later": "it is not later than the close in force.",
  "not-planned": "the day is not planned.",
  "not-quarantined": "the transaction is not quarantined: it has no dead letters.",
  "nothing-received": "nothing is known under this UETR.",
  "nothing-refused": "there is no such delivery that was refused or stopped and is awaited.",
  "nothing-tried": "there is no such delivery that is awaited and still tried.",
  "nothing-to-reject": "nothing with this offset and content waits for a confirmation.",
  "nothing-to-confirm": "nothing with this offset and content waits for a confirmation.",
  "other-person": "only the person who proposed it can retract it.",
  "other-day": "the item is of another day.",
  "plan-out-of-order": "the window would end after the next one opens, or after the reconciliation close, which has to be extended first.",
  "proposal-expired": "nobody confirmed it in time; it has to be proposed again.",
  "proposer-gone": "the operator who proposed it may no longer decide it.",
  "same-person": "the person who asked for it can neither confirm nor reject it.",
  "too-far": "a close is extended by 24 hours at most.",
  "too-many": "it was done too often on this transaction.",
  "too-many-decisions": "too many decisions were taken about it.",
  "too-many-declarations": "the day has too many declarations.",
  "too-many-proposals": "too many proposals of this person wait for a confirmation, or were retracted.",
  "too-many-extensions": "the day's closes were extended too often.",
};

export function explainReason(why: string): string {
  return texts[why] ?? "it would have no effect.";
}
