// Sample bodies for tests and for the golden bodies of `tools/generate/wire/golden.ts`: one body of every outgoing
// form, and the posting of every state of every flow, made from the samples in data/messages.

import type { DispatchOutput, EventOutput, Flow, MessageForm, State } from "@sluice/domain";
import { changeMember } from "../json/json.fixture.ts";
import {
  parseTimeMs,
  receivedOnUs,
  receivedCredit,
  receivedOffUs,
  receivedReportOn,
  buildMessageSources,
  accountVerified,
} from "./outputs.fixture.ts";
import type { MessageSchemaName } from "../read/message-schemas.ts";
import { messageFromRecord, type PaymentReceived, uetrFromRecord } from "../../wire/payment-received.ts";
import { renderEsmEventBody } from "./render-esm-event.ts";
import { type EventShape, renderEventBody } from "./render-event.ts";
import type { MessageSources } from "./message-sources.ts";
import { renderDispatchBody } from "./render-message.ts";
import { stateRow, stateTables } from "./state-table.ts";

export interface SampleBody {
  readonly name: string;
  readonly schema: MessageSchemaName;
  readonly body: Uint8Array;
}

const refusing = [{ code: "AC02", text: "za-cdv/1 check-digit" }];
const negative = { code: "RJCT", reasonInfo: [{ reason: { schema: "CODE", value: "AM04" }, additionalInformation: "no funds" }] };
const receivedBy: Readonly<Record<Flow, () => PaymentReceived>> = {
  "on-us": receivedOnUs,
  "off-us": receivedOffUs,
  credit: receivedCredit,
};

/** Builds the sources that exist when a transaction enters a state. */
export function sourcesFor(flow: Flow, state: State): MessageSources {
  const message = receivedBy[flow]();
  const isFirst = state === "RECEIVED" || state === "CREDIT_AUTH_RECEIVED";
  const verdict = state.includes("REJECT") ? accountVerified("REFUSED", refusing) : accountVerified("ACCEPTED");
  const positive = { code: "ACSC", outcome: "APPROVED" };
  const isEnd = state === "COMPLETED" || state === "UNPAID" || state === "CREDIT_AUTH_RESPONSE_ACCEPTED";
  return buildMessageSources({
    received: message,
    verdict: isFirst ? null : verdict,
    finalReport: isEnd ? receivedReportOn(message, state === "UNPAID" ? negative : positive) : null,
  });
}

/** Builds the event output of a state as the domain makes it. */
export function eventOutputFor(flow: Flow, state: State, change: Partial<EventOutput> = {}): EventOutput {
  const row = stateRow({ flow, state });
  const payload = row.payload ?? (flow === "credit" ? "inbound-credit" : "inbound-debit");
  const isReceived = payload === "debit-received" || payload === "credit-received";
  const hex = uetrFromRecord(receivedBy[flow]()).replaceAll("-", "");
  return {
    kind: "event",
    flow,
    id: "0123456789abcdef0123456789abcdef",
    stageVersion: Object.keys(stateTables[flow]).indexOf(state) + 1,
    state,
    enteredAtMs: parseTimeMs("2026-11-20T06:00:01.250Z"),
    businessDate: "2026-11-20",
    payload,
    messageIdentification: isReceived
      ? messageFromRecord(receivedBy[flow]()).messageIdentifiers.messageIdentification
      : `${hex}${letters[payload]}`,
    messageMadeAtMs: parseTimeMs("2026-11-20T06:00:01.000Z"),
    httpStatusCode: row.isByExchange ? 202 : null,
    direction: row.direction ?? "INBOUND",
    causedByOffset: 17n,
    wasHeld: false,
    carryOvers: 0,
    ...change,
  };
}

const letters: Readonly<Record<MessageForm, string>> = {
  "debit-received": "",
  "credit-received": "",
  "inbound-debit": "D",
  "inbound-credit": "C",
  "report-accepted": "A",
  "report-rejected": "R",
  "final-report": "",
  "outcome-report": "O1",
  "resolution-outcome": "O2",
  "on-us-outcome": "S",
  "duplicate-refused": "X",
  "report-again": "Y",
};

/** Builds the dispatch output of a form as the domain makes it. */
export function dispatchOutputFor(flow: Flow, form: MessageForm, state: State): DispatchOutput {
  const uetr = uetrFromRecord(receivedBy[flow]());
  const letter = letters[form];
  const isAnswer = letter === "X" || letter === "Y";
  const messageIdentification = isAnswer ? `${letter}${"0".repeat(34)}` : `${uetr.replaceAll("-", "")}${letter}`;
  return {
    kind: "dispatch",
    operation: operationFor(flow, form),
    form,
    state,
    messageIdentification,
    deliveryKey: isAnswer || letter === "S" ? messageIdentification : uetr,
    receiver: form.startsWith("inbound") || flow === "on-us" ? "first" : "clearing",
    businessDate: "2026-11-20",
    reconciliationDay: null,
    deadlineMs: null,
    stopsAtMs: null,
    madeAtMs: parseTimeMs("2026-11-20T06:00:01.000Z"),
    causedByOffset: 18n,
    about: isAnswer ? "SECOND-1" : null,
    resolution: form === "resolution-outcome" ? "made" : null,
  };
}

function operationFor(flow: Flow, form: MessageForm): DispatchOutput["operation"] {
  if (form === "inbound-debit") return "inboundDirectDebit";
  if (form === "inbound-credit") return "inboundCreditTransferAuthorization";
  if (flow === "on-us") return "outboundDirectDebitResponse";
  return flow === "off-us" ? "inboundDirectDebitResponse" : "inboundCreditTransferAuthorizationResponse";
}

/** Builds another message under the same UETR. */
export function furtherMessage(flow: Flow): PaymentReceived {
  const rename = (json: Parameters<typeof changeMember>[0]) =>
    changeMember(json, ["messageIdentifiers", "messageIdentification"], "SECOND-1");
  if (flow === "credit") return receivedCredit(rename);
  return flow === "off-us" ? receivedOffUs(rename) : receivedOnUs(rename);
}

const deliveries: readonly (readonly [Flow, MessageForm, State])[] = [
  ["on-us", "report-accepted", "ACCEPTED"],
  ["on-us", "report-rejected", "REJECTED"],
  ["on-us", "inbound-debit", "RELEASED"],
  ["on-us", "on-us-outcome", "COMPLETED"],
  ["on-us", "on-us-outcome", "UNPAID"],
  ["on-us", "duplicate-refused", "HELD"],
  ["on-us", "report-again", "HELD"],
  ["on-us", "report-again", "REJECTED"],
  ["off-us", "inbound-debit", "RELEASED"],
  ["off-us", "outcome-report", "REJECTED"],
  ["off-us", "outcome-report", "COMPLETED"],
  ["off-us", "outcome-report", "UNPAID"],
  ["off-us", "duplicate-refused", "HELD"],
  ["off-us", "report-again", "UNPAID"],
  ["credit", "inbound-credit", "CREDIT_AUTH_DELIVERY_PENDING"],
  ["credit", "outcome-report", "CREDIT_AUTH_REJECTED"],
  ["credit", "outcome-report", "CREDIT_AUTH_RESPONSE_ACCEPTED"],
  ["credit", "outcome-report", "CREDIT_AUTH_DELIVERY_FAILURE"],
  ["credit", "outcome-report", "CREDIT_AUTH_RECONCILIATION"],
  ["credit", "duplicate-refused", "CREDIT_AUTH_DELIVERED"],
  ["credit", "report-again", "CREDIT_AUTH_REJECTED"],
];

/** Every form of every flow, with the state that it follows from. */
export function deliveryBodies(): readonly SampleBody[] {
  return deliveries.map(([flow, form, state]) => {
    const isAnswer = form === "duplicate-refused" || form === "report-again";
    const given = { ...sourcesFor(flow, state), answered: isAnswer ? furtherMessage(flow) : null };
    const schema = form === "inbound-debit" ? "DirectDebit" : form === "inbound-credit" ? "CreditTransfer" : "PaymentStatusReport";
    return { name: joinName(flow, form, state), schema, body: renderDispatchBody(dispatchOutputFor(flow, form, state), given) };
  });
}

const whole: EventShape = { eventShape: "full", eventPayload: "full" };
const shapes: readonly (readonly [string, EventShape])[] = [
  ["full", whole],
  ["sample", { ...whole, eventShape: "sample" }],
  ["masked", { ...whole, eventPayload: "masked" }],
  ["none", { ...whole, eventPayload: "none" }],
];

/** The posting of every state of every flow in full, in the other shapes, and of class ESM_STATE. */
export function eventBodies(): readonly SampleBody[] {
  return (["on-us", "off-us", "credit"] as const).flatMap((flow) => {
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the keys of a state table are states
    const states = Object.keys(stateTables[flow]) as readonly State[];
    return states.flatMap((state) => {
      const given = sourcesFor(flow, state);
      const output = eventOutputFor(flow, state);
      const postings = shapes.map(([shape, options]): SampleBody => {
        const name = joinName("event", shape, flow, state);
        return { name, schema: "TransactionStateEvent", body: renderEventBody(output, given, options) };
      });
      const esm = shapes
        .slice(0, 1)
        .concat(shapes.slice(2))
        .map(([shape, options]): SampleBody => {
          const name = joinName("esm-event", shape, flow, state);
          return { name, schema: "EsmStateEvent", body: renderEsmEventBody(output, given, options) };
        });
      return [...postings, ...esm];
    });
  });
}

/**
 * The bodies committed as golden files: every delivery, every full posting, and one posting of each other shape of each
 * flow.
 */
export function goldenBodies(): readonly SampleBody[] {
  const shownStates = /-(held|unpaid|credit-auth-received|credit-auth-response-accepted)$/;
  const events = eventBodies().filter(({ name }) => name.startsWith("event-full-") || shownStates.test(name));
  return [...deliveryBodies(), ...events];
}

function joinName(...parts: readonly string[]): string {
  return parts.join("-").toLowerCase().replaceAll("_", "-");
}
