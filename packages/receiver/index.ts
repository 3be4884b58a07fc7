// For banks: what takes Sluice's postings on a bank's side. Take the folder; it stands on Web standards alone and imports nothing.

export { askEvents, catchUp, type AskedEvents, type AskPorts, type CaughtUp } from "./ask-events.ts";
export { ExactNumber, isExactObject, minorUnits, parseExact, type ExactJson, type ExactObject } from "./exact-json.ts";
export type { HeaderSource } from "./header-of.ts";
export type { Inbox, Taken } from "./inbox.ts";
export { createMemoryInbox } from "./memory-inbox.ts";
export { readMessage, type Message } from "./message.ts";
export { nodeListener } from "./node-listener.ts";
export { createReceiver, type Receiver, type ReceiverOptions, type ReceiverOutcome } from "./receiver.ts";
export { readKeys, type ReceiverKey } from "./keys.ts";
export { keptOf, placeOf, proveComplete, type Completeness, type Kept, type Place } from "./sequence.ts";
export { verify, type SignatureRefusal, type Verdict } from "./verify.ts";
