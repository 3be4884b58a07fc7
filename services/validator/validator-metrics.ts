import type { AccountVerified } from "@sluice/contracts";
import type { Metrics } from "@sluice/kernel";

export interface ValidatorMetrics {
  validated(record: string, verdict: AccountVerified, tookMs: number): void;
  deadLettered(): void;
}

const secondsBuckets = [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10];

export function validatorMetrics(metrics: Metrics): ValidatorMetrics {
  const verdicts = metrics.counter("sluice_validator_verdicts_total", "Debits and credits validated, by record and verdict.", [
    "record",
    "verdict",
  ]);
  const reasons = metrics.counter("sluice_validator_reasons_total", "Reasons of refusal, by ISO 20022 code.", ["code"]);
  const deadLetters = metrics.counter("sluice_validator_dead_letters_total", "Records dead-lettered.");
  const took = metrics.histogram("sluice_validator_verdict_seconds", "From the record to the acknowledged verdict.", [], secondsBuckets);
  return {
    validated(record, verdict, tookMs) {
      verdicts.add({ record, verdict: verdict.verdict });
      for (const { code } of verdict.reasons) reasons.add({ code });
      took.observe(tookMs / 1_000);
    },
    deadLettered: () => deadLetters.add(),
  };
}
