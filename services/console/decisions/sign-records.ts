// Signs operators' records on their way to the log.
//
// #1 Where the configuration asks for signatures nothing of an operator leaves unsigned: it would be answered 202 and
//    have no effect. Without a key, or with one that the configuration does not have, it is refused, and can be sent
//    again.
// #2 A replayed dead letter keeps the signature that it has, or has none. Signed here, the record of a stranger would
//    become an operator's.

import type { Configuration } from "@sluice/config";
import { headers, topics } from "@sluice/contracts";
import { Fault, type Logger } from "@sluice/kernel";
import type { OutgoingRecord, Producer } from "@sluice/messaging";
import { findOwnKeyId, operatorSignatureHeader, type OwnKey, signRecord } from "@sluice/signatures";

export interface RecordSigningPorts {
  readonly configuration: Pick<Configuration, "operatorSignatures">;
  readonly logger: Logger;
  /** The newest key; null: there is none. */
  readonly operatorKey: () => OwnKey | null;
}

/** Topics whose records of an operator are judged by another service. */
const judgedTopics: ReadonlySet<string> = new Set([topics.journal, topics.dispatch, topics.events, topics.deadLetters]);

/** Returns a producer that signs; `close` is that of the given one. */
export function signRecords(producer: Producer, ports: RecordSigningPorts): Producer {
  const sign = (record: OutgoingRecord): OutgoingRecord => {
    const isReplay = record.headers[headers.deadLetter] !== undefined;
    return isReplay || !judgedTopics.has(record.topic) ? record : signOne(record, ports);
  };
  return { send: async (records) => await producer.send(records.map(sign)), close: () => producer.close() };
}

/** #1 */
function signOne(record: OutgoingRecord, { configuration, operatorKey, logger }: RecordSigningPorts): OutgoingRecord {
  const { operatorSignatures } = configuration;
  if (operatorSignatures === null) return record;
  const key = operatorKey();
  const keyId = key === null ? null : findOwnKeyId(key, operatorSignatures);
  if (key === null || keyId === null) {
    const reason = key === null ? "no-key" : "key-not-configured";
    logger.error("operator-record.not-signed", { reason });
    throw new Fault("messaging.refused", `an operator's record cannot be signed: ${reason}`, { isRetryable: true });
  }
  return { ...record, headers: { ...record.headers, [operatorSignatureHeader]: signRecord(key, keyId, record) } };
}
