// The receiver for banks: it takes Sluice's postings on the bank's side. Copy the folder; it imports nothing and needs
// Web standards only.

export { askEvents, catchUp, type EventsAnswer, type AskPorts, type CatchUpResult } from "./ask-events.ts";
export { ExactNumber, isExactObject, minorUnits, parseExact, type ExactJson, type ExactObject } from "./json/exact-json.ts";
export type { HeaderSource } from "./read-header.ts";
export type { Inbox, InboxResult } from "./inbox.ts";
export { createMemoryInbox } from "./memory-inbox.ts";
export { readMessage, type Message } from "./message.ts";
export { nodeListener } from "./node-listener.ts";
export { createReceiver, type Receiver, type ReceiverOptions, type ReceiverOutcome } from "./receiver.ts";
export { readKeys, type ReceiverKey } from "./signature/keys.ts";
export { readProgress, placeEvent, proveComplete, type Completeness, type EventProgress, type SequencePlace } from "./sequence.ts";
export { verify, type SignatureRefusal, type VerifyResult } from "./signature/verify.ts";
