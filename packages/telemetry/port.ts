// Logs and metrics as services see them. Adapters: pino and prom-client in `index.ts`; silent ones for tests.

export type LogValue = string | number | boolean | bigint | null | undefined | readonly string[];
export type LogFields = Readonly<Record<string, LogValue>>;

/** Like LogFields, and under `error` whatever was caught. (The compiler cannot except one name, so the adapter drops other objects.) */
export type ErrorFields = Readonly<Record<string, unknown>>;

/** One wide line per unit of work. `event` is a stable dotted name such as `debit.accepted`. Never an account number, a name or a token. */
export interface Log {
  debug(event: string, fields?: LogFields): void;
  info(event: string, fields?: LogFields): void;
  warn(event: string, fields?: LogFields): void;
  error(event: string, fields?: ErrorFields): void;
}

export interface Counter {
  add(labels?: Readonly<Record<string, string>>, by?: number): void;
}
export interface Gauge {
  set(value: number, labels?: Readonly<Record<string, string>>): void;
}
export interface Histogram {
  observe(value: number, labels?: Readonly<Record<string, string>>): void;
}

/** Names start with `sluice_` and end with their unit. Asking twice for a name gives the same metric. */
export interface Metrics {
  counter(name: string, help: string, labels?: readonly string[]): Counter;
  gauge(name: string, help: string, labels?: readonly string[]): Gauge;
  histogram(name: string, help: string, labels?: readonly string[], buckets?: readonly number[]): Histogram;
  /** Prometheus text. */
  text(): Promise<string>;
}
