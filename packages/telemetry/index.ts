export * from "./log-pino.ts";
export * from "./metrics-prometheus.ts";
export * from "./port.ts";
