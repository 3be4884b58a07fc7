export * from "./api.ts";
export { stateEnteredRecord } from "./analytics/state-entered.ts";
export { amountText } from "./messages/json/amount.ts";
export { sha256Hex } from "./messages/json/canonical-json.ts";
export { failingFromAttempts } from "./control/failing.ts";
export { controlOperations, controlPrefix, secondPersonOperations } from "./control/operations.ts";
export type { ControlOperation, ControlOperationName, ControlRole, SecondPersonOperation } from "./control/operations.ts";
export { isOfSchemes, listNamedTransactions, refuseScheme, refuseTransaction, schemeScopes } from "./control/scheme-scopes.ts";
export type { NamedInRequest } from "./control/scheme-scopes.ts";
export { searchTerms } from "./control/search-terms.ts";
export type { SearchTermName } from "./control/search-terms.ts";
export { type ActionRecord, isOperatorRecord, isSignedByConsole, operatorContentSha256 } from "./wire/operator-content.ts";
export { eventOptionsOf, hasErasedMessage, keepDecoded, readKeptMessages, renderEventsAgain } from "./messages/render/events-again.ts";
export type { PostingSettings } from "./messages/render/events-again.ts";
export { bankMarkerFromRecord, factFromRecord, markerFromRecord } from "./wire/from-wire.ts";
export { deliveryHeaders } from "./messages/delivery-headers.ts";
export type { AttemptHeaders, DeliveryHeader, EventHeaders } from "./messages/delivery-headers.ts";
export * from "./generated/records.ts";
export { messageSchemas } from "./messages/read/message-schemas.ts";
export type { MessageSchemaName } from "./messages/read/message-schemas.ts";
export { minorUnitDigits } from "./messages/read/iso-4217.ts";
export { parseJson } from "./messages/json/json.ts";
export type { Json, JsonNumber, JsonObject } from "./messages/json/json.ts";
export { servedOperations } from "./messages/operations.ts";
export type { ServedOperation, ServedOperationName } from "./messages/operations.ts";
export { findReceiver, outgoingRecord } from "./wire/outgoing-record.ts";
export { partitionFor } from "./wire/partition.ts";
export { readCreditTransfer } from "./messages/read/read-credit-transfer.ts";
export { readCreditsFinal } from "./messages/read/read-credits-final.ts";
export { readDirectDebit } from "./messages/read/read-direct-debit.ts";
export { readStatusReport } from "./messages/read/read-status-report.ts";

export type { PaymentReceived } from "./wire/payment-received.ts";
export { recordKinds } from "./wire/record-kinds.ts";
export type { RecordKind } from "./wire/record-kinds.ts";
export * from "./wire/record-map.ts";
export * from "./rights/broker-rights.ts";

export { eventColumns } from "./messages/render/render-event.ts";
export type { EventShape } from "./messages/render/render-event.ts";
export { renderDispatchBody } from "./messages/render/render-message.ts";
export type { MessageSources } from "./messages/render/message-sources.ts";
export type { RegistryConnection } from "./wire/registry-client.ts";
export { createRegistrySerde, findMissingSchemas, registerSchemas } from "./wire/serde-registry.ts";
export { createFixedSerde, fixedSchemaIds, readSchemaId } from "./wire/serde.ts";
export { eventTypeFor, stateNames, stateTables } from "./messages/render/state-table.ts";

export {
  dispatchChangeRecord,
  dispatchRecord,
  eventRecords,
  recordFromBankMarker,
  recordFromFact,
  recordFromMarker,
  requestRecord,
} from "./wire/to-wire.ts";
export type { AppendedFact, EventOptions } from "./wire/to-wire.ts";
export * from "./wire/topics.ts";
