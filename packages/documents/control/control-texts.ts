// The texts of the control API's document: each operation and each error. The error texts are the
// console's own: services/console/http/documented-control.test.ts provokes each error.

import type { ControlOperationName } from "@sluice/contracts";

export const controlGuide = `For people, and programs of people, who run Sluice. It has an address of its own, and tokens of its own (\`operators\` in the configuration file); those of banks and connectors are not known here. With \`operatorSignIn.commandLineClient\` it also takes access tokens of the operators' provider, with a proof (DPoP).

**Roles.** \`read\`: every question. \`act\`: every decision. \`approve\`: confirming or rejecting what somebody else proposed.

**A bank's own person** is an operator with a \`bank\` and the role \`read\`. It has \`GET /me\` and what shows
the bank its own (\`/banks/{bank}/own\`, \`/banks/{bank}/transactions\`, \`/banks/{bank}/deliveries\`,
\`/banks/{bank}/events\`), of that bank alone; everything else is 403.

**An operator of some schemes** is one with \`schemes\`. It has the days, lists and transactions of these
schemes, and decides about them alone. Another scheme, and what is about every scheme, is 403.

**A decision** is a record of the journal with who, why and when. 202 means that it is appended; it takes effect, or is refused, where its transaction, day or bank comes to it. What became of it: \`GET /actions/{action}?key=…\` with \`action\` and \`key\` of the answer, usually within a second. A decision that could have no effect as things stand is answered 409 and not appended.

**Two persons.** A decision that moves money may need a second person (\`secondPerson\` in the configuration file). Then 202 answers with a \`DecisionProposed\`, and nothing has taken effect. Another person, with the role approve, looks at it (\`GET /proposals\`) and confirms or rejects it by its offset and hash. The person who proposed it can retract it. Of several such records the first one in the log counts. A proposal that nobody confirms in time expires.

**Safe twice.** \`Idempotency-Key\` (chosen by you; left out: one is made) is the decision's id. After 503, or no answer, send the same decision again under the same id: it counts once. The id of another decision is refused (409).

**Lists** are paged: \`limit\` (1 to 1000, 100 where it is not given) and \`after\`, the \`next\` of the page before; \`next: null\` ends the list. Amounts are decimal text beside their currency, times are UTC, offsets and counts that may be large are text. Of an account the last four characters are shown, of a person nothing.

**Bounds.** 50 requests a second and 32 connections of each operator (429), 16 questions of each and 128 in all under way (503).`;

export const controlTexts: Readonly<Record<ControlOperationName, string>> = {
  showMe: "The operator behind the token, its roles, the schemes with their zones, and which decisions need a second person.",
  showOverview:
    "Today's windows and gates, what is held and why, what is not delivered, open items, dead letters, proposals, and how far the services are. Answers within a second of each other are the same. An operator of some schemes has the counts and sums of these alone, of what is not delivered only what a day of these awaits, and the services as everybody.",
  streamOverview:
    "Server-sent events: `overview`, with what `GET /overview` answers, at once and each time it has changed, within 2 s of the change; a comment every 10 s. It ends after a minute; ask again. An operator has 4 of them, all operators 32 (503).",
  showSeries:
    "Each minute of the last four hours, as this console has seen it: what was accepted and delivered in it, what is held and what is not acknowledged, of all or of one bank; and when it is over at the rate of the last five minutes. Of one receiver also a day of its addresses in quarters of an hour: within how long each acknowledged, and what limited it. A console that restarts begins again.",
  listAlarms:
    "What the configured Alertmanager says of the alarms of Sluice, with the runbook of each. The console asks it every 15 s, and nobody waits for it: the answer says when it was given, and since when nobody gives one.",
  controlStatus:
    "Every partition with its position, its distance to the log's end and its owner's epoch; banks that are paused; days that are not reconciled.",
  listServices:
    "What each process says of itself at its operations port: release, configuration, readiness with its reasons and since when, and the partitions that it owns with their lag. Of services that keep positions the lag is known also while no process answers. Answers within a second of each other are the same.",
  searchTransactions:
    "All terms given must hold; at least what is asked for, never more. By UETR, or with `sort=newest` the last received first. A parameter that does not exist is refused.",
  countTransactions:
    "How many transactions match the terms of a search, with their sums, by state and bank. It reads all of them: with few terms and very many transactions the answer may be 503.",
  showTransaction:
    "The timeline that `./sluice tx` prints, what it waits for and what comes next, which decisions are possible now and why others are not, the reconciliation items with evidence and resolution, and what operators decided.",
  showSentRequest:
    "The body that every attempt of one delivery or posting sends, with the digest of its bytes. Persons, free texts and accounts are masked; signature, token and time of an attempt are kept nowhere. The place of a message is `dispatchOffset` in the timeline, that of an event `offset`. What receivers answered is in the timeline, masked too. 404: the log does not keep it any more.",
  listWindows:
    "Each planned business day: planned and actual times, windows missed, closes extended, and of each bank the gate with the reason why it is closed. Without `from`: from today; without `to`: a week.",
  showDayOutlook:
    "The held debits of the day by bank, and when none is left at the rate of the last five minutes, as this console has seen it: before the last window closes, or after it, or after the reconciliation close. A projection, and no promise. A console that has just started does not know a rate.",
  listCalendar:
    "By the configuration in force, whether it is planned yet or not: each date's windows, cut-off and reconciliation close, or the holiday or weekday that closes it. Without `from`: from today; without `to`: a month; at most 400 dates.",
  compareCalendar:
    "Against the configuration in force: which dates get other times or stop being business dates, if `closed` were holidays too and each date had these `windows`, and where held debits would go. Nothing is planned by it: the configuration file is what counts. Without `from`: from today; without `to`: a year; at most 400 dates.",
  compareCalendarFile:
    "What `./sluice calendar diff` says of two files, for the file in the body against the configuration in force: the dates that change of each scheme, and where held debits would go. Only `calendars` and `schemes` are read, as a configuration file has them, and no variable; a file without `schemes` has the default one. A file with errors is answered with them, each with its line. Nothing is written, and the file is not kept. Without `from`: from today; without `to`: a year; at most 400 dates.",
  listHeld: "Of each bank and day: how many debits are held, their sum, the oldest, why they wait and how long.",
  listUndelivered:
    "Without `bank`: of each bank the messages that it has not taken, since when, and why nothing moves. With it: those messages, with attempts and answers.",
  listFailing:
    "Messages that were attempted three times or more and are not acknowledged, with the last answer, since when, and the next attempt: first deliveries, then event postings, each by bank and in the order of the topic.",
  listReconciliation: "Items with their row, cause, evidence, late answers and resolution.",
  summariseReconciliation: "Counts and sums of a day's items by bank, currency, row and cause.",
  listTopics: "From the map of records that the services are held to. `GET /topics/{topic}` has the fields.",
  showTopic: "Every field with its type, its text and the first version that has it, from the Avro schemas of this release.",
  exportTransactions: "All that match, sorted by UETR, as CSV or JSON.",
  exportReconciliation: "A day's items as CSV, JSON or ISO 20022 (pacs.002).",
  exportItemEvidence:
    "The transaction's item of this `day` with everything about it: its decisions and its timeline with their places in the journal, and the SHA-256 of the content. Of accounts it has four characters, and numbers in reasons are masked. 404: the transaction has no such item.",
  listBanks:
    "How it stands as a receiver (active, throttled, breaker-open, paused, maintenance) and why, by address; what waits for it and since when; who paused or resumed it last; the totals of the day against their alarms.",
  showBank:
    "What `GET /banks` says of it, its addresses as configured, its gates on the days that are near, its unresolved credits, what is held for it, what fails often, and what it refused last. 404: nobody knows it.",
  showOwnBank:
    "How the bank stands as a receiver, what it has not taken, the windows and closes that are near, and what it sent and was sent on running days, by state. Nothing of another bank, and no word of an operator. An operator of the bank (`bank` in the configuration file) has this, and so has every operator.",
  listOwnTransactions:
    "Those that it sent (`side=sent`, where it is not given), or that were or will be sent to it (`side=received`). Without `identification`: received within the last 31 days.",
  showOwnTransaction: "404: it has no such transaction, which says nothing of other banks.",
  listOwnEvents:
    "Counts at most 10,000 events of a time of at most 31 days, in no order between transactions; `next` goes on behind them. What a bank acknowledged is not posted to it again: it asks for it by `GET /events`, and gets the same bytes under the same ids.",
  exportOwnEvents:
    "`csv`: a line for each event, with its `webhook-id`, how its posting stands, and length and SHA-256 of its body. `pages`: what `GET /events` answers the bank, page by page, a line each, with names and accounts; only for the bank's own person (403).",
  listOwnDeliveries: "Messages, first deliveries and then event postings, with its own answers.",
  listRefused:
    "Messages, or with `target` POSTING events, that it answered with a code after which nothing is tried any more: the first 500 in the order of the topic, with the sum of their transactions.",
  showConservation: "By bank, currency and column, in count and sum: accepted = completed + rejected + unpaid + reconciled + open.",
  listActions:
    "Decisions about transactions (the last ten of each), days and banks (the last twenty of each), and proposals with how they ended. Without `from`: the last seven days. `from` and `to` are instants.",
  exportActions: "The same as CSV or JSON. 400 where there is more than one file has: give a shorter time.",
  showAction:
    "`result`: applied, ignored (it was so already) or refused, and `why`. 404: it has not been judged yet, or is older than the last ten of a transaction, twenty of a day or bank.",
  listProposals:
    "The newest first: what would be decided, by whom and why, and what a confirmation must name. Every body is shown as it would be sent.",
  withdrawDebit:
    "In ACCEPTED, REPORTED or HELD. The debit ends in RECONCILIATION, cause WITHDRAWN, and is never released. It cannot be undone.",
  redriveDelivery:
    "A delivery that was answered with a code after which nothing is tried any more is tried again: same id, same bytes. Or the posting of an event (`target: POSTING`), which can change no outcome.",
  stopDelivery:
    "A delivery that its transaction waits for is tried no more, however often it failed. Its state stays, for the receiver may have taken it: at its close or deadline it becomes an item, and until then it can be redriven. What follows under its UETR is sent. Or the posting of an event (`target: POSTING`), which can change no outcome.",
  checkOwnBank:
    "What checkBank does, for the bank's own person: each of its addresses is called once by OPTIONS, with a `webhook-id` that begins with `check-`. No transaction changes. Once in 30 s for each bank (409). What came of it: `endpoints` of `GET /banks/{bank}/own`. An operator of Sluice needs the role act.",
  redriveBank:
    "What redriveDelivery does, for each of at most 500 messages of one bank, as one decision that a second person confirms at once. Each is judged by itself and has its own outcome and its own id; 409 if none is possible. Sent again under the same id each counts once.",
  withdrawDebits:
    "What withdrawDebit does, for each of at most 500 debits, as one decision that a second person confirms at once. Each is judged by itself and has its own outcome and its own id; 409 if none is possible. Sent again under the same id each counts once.",
  resolveItems:
    "What resolveItem does, for each of at most 500 items of which people found the same. Each is judged by itself and has its own outcome and its own id; 409 if none is possible. Where the configuration needs a second person each waits for one.",
  confirmResolutions:
    "What confirmResolution does, for each of at most 500 requests, each named by its offset and hash. Each is judged by itself; 409 if none is possible.",
  rejectResolutions:
    "What rejectResolution does, for each of at most 500 requests, each named by its offset and hash. Each is judged by itself; 409 if none is possible.",
  pauseBanks:
    "What pauseBank does, for each of the banks and connectors that are named: all of them stop everything. Each has its own outcome and its own id; 409 if none is possible.",
  resumeBanks: "What resumeBank does, for each of the banks and connectors that are named.",
  resolveItem:
    "What people found out about an item of a close, a deadline, a withdrawal, or an outcome that a connector does not take. No state changes; for a debit from elsewhere and a credit the outcome is reported to the connector once. Where the configuration needs a second person it is a proposal until it is confirmed; a further request before that takes its place.",
  confirmResolution:
    "By a person other than the one who asked for it. `offset` and `contentSha256` name that request, as the item shows it.",
  rejectResolution:
    "By a person other than the one who asked for it, with the role approve, while it waits for its confirmation. `offset` and `contentSha256` name that request, as the item shows it. The item is open again, and nothing is sent. Of a confirmation and a rejection the first in the journal counts.",
  noteItem:
    "The note is `reason`. It changes no state, and nobody has to confirm it. The newest note of an item counts, with who sees to it; the item can be settled or resolved.",
  extendClose:
    "A processing window's close, or with `window: 0` the reconciliation close, by 24 hours at most. Deadlines move with it; a later calendar version does not bring it forward again.",
  declareCreditsFinal:
    "The configuration says who declares them. It cannot be withdrawn. The gates open when every partition has answered and no earlier credit is unresolved.",
  openGate:
    "After the declaration. Every unresolved credit that keeps the gate closed must be named (`GET /windows` names them); if one is not, 409 says which. Debits to that bank may then leave while those credits are unresolved.",
  checkBank:
    "Dispatcher and event-publisher call each of its addresses by OPTIONS, without a message and with the credentials of one, also while it is paused. Any answer says that the address is reached; nothing else follows from it. `GET /banks/{bank}` shows what came, in `check` of each endpoint, usually within two seconds.",
  pauseBank:
    "From its place in the log on nothing is released, delivered or posted to it. What is under way ends. With `until` it is a maintenance, which ends by itself at that time as by a resume. Of a bank that is paused already the last request wins: it changes the end, gives one or takes it away; one that says the same is ignored.",
  resumeBank: "Everything that waited is due at once, in order.",
  listDeadLetters:
    "Partition by partition, the oldest first. A page may have fewer rows than asked for and a `next` all the same: go on with it. Never the content of a record.",
  showDeadLetter:
    "Whether it could be read now and as what, how far the partition has come, and whether records of its transaction are dead-lettered. Never its content.",
  eraseMonth:
    "What the bank's messages of that month said of persons cannot be read again, in the log, in the store and in any copy of them. Refused with 409 before the month has been over for two days, while a transaction of that month is unresolved, parked or undelivered, without a key service, and without a second person: `erase` must be among `secondPerson.actions`. Every process forgets the key within ten minutes. Sent again it is done already.",
  skipStuckRecord:
    "Only the record at which the partition stands (409 otherwise; `GET /status` names positions), such as one whose schema no registry has. The partition goes on past it within ten seconds; under a UETR the transaction is marked and what follows is dead-lettered too, until it is replayed. A batch that cannot be read is skipped whole, by its first and last offset: so is every transaction in it whose UETR could be made out. Sent again under the same id it is one letter.",
  replayDeadLetter:
    "A letter of another topic, of a day's or a bank's key, or of the validator, appended again as it was, to its own partition. Sent again it is appended again: each reader does so once. One whose schema is not known is refused: it would stop the partition again.",
  replayTransaction:
    "Every record of the transaction since the first that was dead-lettered, in its order, as it was, behind one record that takes the mark away. Only while the mark stands: a second replay finds nothing. One that is still unreadable is dead-lettered again; one whose schema is not known is refused, with all of them. Those that `leave` names stay in the dead letters for good, and the rest is applied; the record keeps which, who and why.",
  replayDeadLetters:
    "What replayDeadLetter and replayTransaction do, for each of at most 50 in turn, as one decision that a second person confirms at once. `records` says how many records they have, as a dry run answers: if one of them would be refused, or they have another number by now, nothing is appended. After 503 send it again under the same id.",
  confirmProposal:
    "By a person other than the one who proposed it, and in time. `offset` and `contentSha256` name the proposal as the list shows it. The decision is judged as things stand now, and then sent under the proposal's id: the answer is that of the decision. What became of it: `GET /actions/{action}?key=…` with `action` and `key` of the answer.",
  rejectProposal:
    "By a person other than the one who proposed it, and in time, with the role approve. `offset` and `contentSha256` name the proposal as the list shows it. Its decision is never sent: a confirmation that lies behind the rejection in the log confirms nothing. One that lies before it counts, and the rejection is answered 409.",
  retractProposal:
    "By the person who proposed it, with whichever token, and in time. As a rejection it ends the proposal, and its decision is never sent.",
};

/** Each query parameter: its description, and an example value. */
export interface ControlError {
  readonly name: string;
  readonly status: number;
  readonly summary: string;
  readonly message: string;
  readonly detail: string;
  /** The operations that may return it: all, those of a kind, those with a body, or those with that path parameter. */
  readonly of: "all" | "question" | "decision" | "body" | "approve" | "uetr" | "date" | "bank" | "letter" | "action";
}

const badQuestion = "Not a question that can be answered";

export const controlErrors: readonly ControlError[] = [
  {
    name: "not-a-part",
    status: 400,
    summary: "A part of the address is none",
    message: badQuestion,
    detail: "The address: uetr must be a UUID of the form 8-4-4-4-12.",
    of: "uetr",
  },
  {
    name: "no-such-parameter",
    status: 400,
    summary: "A parameter that is not known",
    message: badQuestion,
    detail: "There is no parameter here.",
    of: "question",
  },
  {
    name: "bad-idempotency-key",
    status: 400,
    summary: "An Idempotency-Key that is none",
    message: badQuestion,
    detail: "Idempotency-Key: 1 to 64 printable ASCII characters.",
    of: "decision",
  },
  {
    name: "reason-missing",
    status: 400,
    summary: "No reason",
    message: "The message does not fit the schema.",
    detail: "/reason: is required",
    of: "decision",
  },
  {
    name: "not-authenticated",
    status: 401,
    summary: "No token, or one that is not an operator's",
    message: "Not authenticated",
    detail: "A bearer token of an operator is needed: a configured one, or that of a sign-in (./sluice login PROFILE).",
    of: "all",
  },
  {
    name: "role-missing",
    status: 403,
    summary: "The operator lacks the role",
    message: "Not allowed",
    detail: "This needs the role act.",
    of: "decision",
  },
  {
    name: "approve-missing",
    status: 403,
    summary: "The operator lacks the role approve",
    message: "Not allowed",
    detail: "This needs the role approve.",
    of: "approve",
  },
  {
    name: "read-missing",
    status: 403,
    summary: "The operator lacks the role read",
    message: "Not allowed",
    detail: "This needs the role read.",
    of: "question",
  },
  {
    name: "another-bank",
    status: 403,
    summary: "The operator is one bank's, and this is not of that bank",
    message: "Not allowed",
    detail: "An operator of one bank has only what is below that bank.",
    of: "all",
  },
  {
    name: "unknown-uetr",
    status: 404,
    summary: "Nothing is known of the UETR",
    message: "Not known",
    detail: "Nothing is known of this UETR.",
    of: "uetr",
  },
  {
    name: "unknown-day",
    status: 404,
    summary: "A day that is not planned",
    message: "Not known",
    detail: "This business day is not planned. Days are planned a week ahead.",
    of: "date",
  },
  {
    name: "unknown-bank",
    status: 404,
    summary: "No bank or connector has the id",
    message: "Not known",
    detail: "No bank or connector has this id.",
    of: "bank",
  },
  {
    name: "unknown-proposal",
    status: 404,
    summary: "No such proposal",
    message: "Not known",
    detail: "There is no such proposal.",
    of: "action",
  },
  {
    name: "unknown-letter",
    status: 404,
    summary: "There is no such dead letter",
    message: "Not known",
    detail: "There is no such dead letter.",
    of: "letter",
  },
  { name: "method-not-allowed", status: 405, summary: "Another method", message: "Method not allowed", detail: "Only GET.", of: "all" },
  {
    name: "not-possible",
    status: 409,
    summary: "It would have no effect as things stand",
    message: "Not possible now",
    detail: "not-in-this-state: the transaction's state does not allow it.",
    of: "decision",
  },
  {
    name: "another-decision",
    status: 409,
    summary: "The Idempotency-Key stands for another decision",
    message: "Another decision",
    detail: "This Idempotency-Key was used for another decision. Take a new one.",
    of: "decision",
  },
  {
    name: "length-required",
    status: 411,
    summary: "A body without a length",
    message: "Length required",
    detail: "Send the body with a content-length header and without chunks.",
    of: "body",
  },
  {
    name: "too-large",
    status: 413,
    summary: "A body of more than 128 KiB",
    message: "Too large",
    detail: "A body may have at most 131072 bytes.",
    of: "body",
  },
  {
    name: "not-json",
    status: 415,
    summary: "Another media type",
    message: "Unsupported media type",
    detail: "Send application/json in UTF-8, as it is.",
    of: "body",
  },
  {
    name: "no-replacement",
    status: 422,
    summary: "Well-formed, and cannot be processed",
    message: "The message cannot be processed.",
    detail: "/replacedBy: is required with REPLACED",
    of: "decision",
  },
  {
    name: "too-many",
    status: 429,
    summary: "More than 50 requests a second",
    message: "Too many",
    detail: "You send too many requests a second.",
    of: "all",
  },
  {
    name: "failed",
    status: 500,
    summary: "A fault of Sluice's own",
    message: "Internal error",
    detail: "The question could not be answered.",
    of: "all",
  },
  {
    name: "store-away",
    status: 503,
    summary: "What is needed for an answer is away",
    message: "Not available now",
    detail: "The store does not answer. Ask again.",
    of: "all",
  },
  {
    name: "outcome-unknown",
    status: 503,
    summary: "It is not known whether the decision was stored",
    message: "Not available now",
    detail: "It is not known whether the decision was stored. Send it again with the Idempotency-Key pause-4711: it counts once.",
    of: "decision",
  },
  {
    name: "not-recorded",
    status: 503,
    summary: "The audit cannot be written",
    message: "Not available now",
    detail: "It could not be recorded in the audit, so nothing was done. Ask again; a decision under the same Idempotency-Key.",
    of: "decision",
  },
];
