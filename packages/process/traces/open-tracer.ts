// Opens the tracer that the environment asks for.

import type { ServiceEnvironment } from "@sluice/config";
import { createOtlpTracer, type OtlpTracer, type OtlpTracerOptions } from "./otlp-tracer.ts";

export const traceVariables = ["SLUICE_TRACES_URL", "SLUICE_TRACES_RATIO", "SLUICE_TRACES_UETRS"] as const;
export type TraceEnvironment = Pick<ServiceEnvironment, (typeof traceVariables)[number]>;

/** Null: nothing is traced. */
export function openTracer(
  service: string,
  { SLUICE_TRACES_URL: url, SLUICE_TRACES_RATIO: ratio, SLUICE_TRACES_UETRS: marked }: TraceEnvironment,
  { time, random, logger, metrics }: Pick<OtlpTracerOptions, "time" | "random" | "logger" | "metrics">,
): OtlpTracer | null {
  return url === null ? null : createOtlpTracer({ service, url, ratio, marked: marked ?? [], time, random, logger, metrics });
}
