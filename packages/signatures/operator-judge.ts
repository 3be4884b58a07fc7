// Judges operators' records for a service, and counts and logs those that do not count: they have no effect, and nobody
// would see them otherwise.

import type { Logger, Metrics } from "@sluice/kernel";
import {
  type AppendedRecord,
  createRecordJudge,
  type OperatorSignatures,
  type RecordRefusalReason,
  recordRefusalReasons,
} from "./operator-records.ts";

export interface OperatorJudge {
  /** Why an operator's record does not count; null: it counts. */
  judge(record: AppendedRecord): RecordRefusalReason | null;
  /** Tells whether it counts, and reports it if not. */
  counts(record: PlacedRecord, kind: string): boolean;
  /** The same for a request to skip a record, which is a dead letter. */
  readonly countsLetter: (letter: PlacedRecord) => boolean;
  report(record: RefusedRecord, reason: string): void;
}

interface PlacedRecord extends AppendedRecord {
  readonly partition: number;
  readonly offset: bigint;
}

interface RefusedRecord {
  readonly kind: string;
  readonly partition: number;
  readonly offset: bigint;
}

interface JudgePorts {
  /** What it has counts at each record. */
  readonly configuration: { readonly operatorSignatures: OperatorSignatures | null };
  readonly logger: Logger;
  readonly metrics: Metrics;
}

export function openOperatorJudge({ configuration, logger, metrics }: JudgePorts, service: string): OperatorJudge {
  const judge = createRecordJudge(() => configuration.operatorSignatures);
  const refused = metrics.counter("sluice_operator_records_refused_total", "Operators' records without a good signature", [
    "service",
    "reason",
  ]);
  // An alarm asks for the increase.
  for (const reason of recordRefusalReasons) refused.add({ service, reason }, 0);
  const report = ({ kind, partition, offset }: RefusedRecord, reason: string): void => {
    refused.add({ service, reason });
    logger.error("operator-record.refused", { kind, partition, offset, reason });
  };
  const counts = (record: PlacedRecord, kind: string): boolean => {
    const reason = judge(record);
    if (reason !== null) report({ kind, partition: record.partition, offset: record.offset }, reason);
    return reason === null;
  };
  return { judge, report, counts, countsLetter: (letter) => counts(letter, "DeadLetter") };
}
