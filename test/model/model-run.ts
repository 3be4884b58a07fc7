// A run of the model as its laws see it: the inputs, the record of what the processes did, and the state of each
// endpoint.

import type { Random } from "@sluice/kernel";
import type { createDeliveryTestEnvironment, DeliveryTestProcess } from "@sluice/delivery/delivery-environment";
import { createEndpoint, endpointOrigin, type ModelEndpoint } from "./endpoints.ts";
import type { InputMessage, ModelInputs } from "./inputs.ts";
import type { RecordedAttempt, RecordedRun } from "./recorded.ts";
import type { BankAnswerKind, ModelSettings } from "./steps.ts";

export type ModelEnvironment = ReturnType<typeof createDeliveryTestEnvironment>;

export interface ModelRun {
  readonly settings: ModelSettings;
  readonly environment: ModelEnvironment;
  readonly inputs: ModelInputs;
  readonly recorded: RecordedRun;
  readonly processes: DeliveryTestProcess[];
  /** How a bank answers. Keys are a bank's id, or its id and a UETR. */
  readonly answers: Map<string, BankAnswerKind>;
  /** The time from which no fault of processes, store or broker has an effect. */
  calmFromMs: number;
  /** Milliseconds by which the broker clock of a process may lag, because its first sample came late. */
  readonly lagsMs: Map<string, number>;
  readonly startedAtMs: Map<string, number>;
  /** The names of processes that will crash at a later port call. */
  readonly crashing: Set<string>;
  /** True after a fault whose traces are not visible from outside: a process died, froze or lost a partition. */
  isDisturbed: boolean;
  /** What each process should know of each endpoint, by process, bank and origin. */
  readonly endpoints: Map<string, ModelEndpoint>;
  readonly expectations: DrainExpectation[];
  /** The time by which the last marker of a bank or day, or the end of a pause, has been applied. */
  quietFromMs: number;
  /** Draws faults only. */
  readonly random: Random;
  nowMs(): number;
  nextCause(): bigint;
}

/** Messages waited when the breaker closed, so one of them must be tried in time. */
interface DrainExpectation {
  readonly endpoint: ModelEndpoint;
  readonly heads: readonly InputMessage[];
  readonly fromMs: number;
  readonly untilMs: number;
}

export type AttemptLaw = (run: ModelRun, attempt: RecordedAttempt) => readonly string[];

export function endpointForMessage(run: ModelRun, process: string, message: Pick<InputMessage, "bank" | "operation">): ModelEndpoint {
  return endpointAt(run, process, message.bank, endpointOrigin(message));
}

export function endpointAt(run: ModelRun, process: string, bank: string, origin: string): ModelEndpoint {
  const place = `${process} ${bank} ${origin}`;
  const endpoint = run.endpoints.get(place) ?? createEndpoint(process, bank, origin);
  run.endpoints.set(place, endpoint);
  // The end of a maintenance has the same effect as a resume.
  const endedAtMs = Math.max(
    0,
    ...run.inputs.pauses.map((pause) => (pause.bank === bank ? (pause.untilMs ?? 0) : 0)).filter((ms) => ms <= run.nowMs()),
  );
  if (endedAtMs > endpoint.retryAfterAtMs) endpoint.retryAfterUntilMs = endpoint.retryAfterMayLastUntilMs = 0;
  endpoint.probeDueAtMs = Math.max(endpoint.probeDueAtMs, endedAtMs);
  return endpoint;
}

/** True if no fault affects any process. */
export function isUndisturbed(run: ModelRun): boolean {
  return run.crashing.size === 0 && run.processes.some((process) => process.isAlive()) && run.calmFromMs <= run.nowMs();
}
