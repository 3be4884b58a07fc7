export * from "./api.ts";
export { amountText } from "./amount.ts";
export { canonicalJson, hashesOf, sha256Hex } from "./canonical-json.ts";
export { controlBodies, gateCreditsMax, readControlBody } from "./control-bodies.ts";
export type { ControlBody, ControlDecisionName } from "./control-bodies.ts";
export { controlAnswers } from "./control-answers.ts";
export type { ControlAnswerName } from "./control-answers.ts";
export { controlOperations, controlPrefix } from "./control-operations.ts";
export type { ControlOperation, ControlOperationName, ControlRole } from "./control-operations.ts";
export { bankMarkerFromRecord, factFromRecord, markerFromRecord } from "./from-wire.ts";
export * from "./generated/records.ts";
export { messageJsonSchema, messageSchemas } from "./message-schemas.ts";
export type { MessageSchemaName } from "./message-schemas.ts";
export { minorUnitsOf } from "./iso-4217.ts";
export { isJsonObject, numberText, parseJson } from "./json.ts";
export type { Json, JsonNumber, JsonObject, ParsedJson } from "./json.ts";
export { servedOperations } from "./operations.ts";
export type { CallerKind, ServedOperation, ServedOperationName } from "./operations.ts";
export { outgoingRecord } from "./outgoing-record.ts";
export type { KeyedRecord, OutgoingOptions } from "./outgoing-record.ts";
export { partitionOf } from "./partition.ts";
export { readCreditTransfer } from "./read-credit-transfer.ts";
export { readCreditsFinal } from "./read-credits-final.ts";
export type { CreditsFinal } from "./read-credits-final.ts";
export { readDirectDebit } from "./read-direct-debit.ts";
export { readStatusReport } from "./read-status-report.ts";
export { flowOf, isCredit, messageIn, uetrOf } from "./received-message.ts";
export type { Received } from "./received-message.ts";
export * from "./record-map.ts";
export { eventColumns, renderEventBody } from "./render-event.ts";
export type { EventColumns, EventShape } from "./render-event.ts";
export { renderDispatchBody, utcText } from "./render-message.ts";
export type { MessageSources } from "./render-message.ts";
export { registrySerde, subjects } from "./serde-registry.ts";
export type { RegistryOptions } from "./serde-registry.ts";
export { fixedSerde, schemaIdOf } from "./serde.ts";
export { eventTypeOf, stateTables } from "./state-table.ts";
export { outcomeOf } from "./status-meaning.ts";
export {
  dispatchChangeRecord,
  dispatchRecord,
  eventRecords,
  recordFromBankMarker,
  recordFromFact,
  recordFromMarker,
  redriveRecord,
} from "./to-wire.ts";
export type { AppendedFact, EventOptions } from "./to-wire.ts";
export * from "./topics.ts";
