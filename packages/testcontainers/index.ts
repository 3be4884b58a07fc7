// For tests of a bank's side: starts all of Sluice, as a container or as a process, and asks it.

export { SluiceEnvironment } from "./environment.ts";
export type { TestBank, TestConnector, WindowOptions } from "./settings.ts";
export type { GivenServers, ServerImages } from "./servers.ts";
export type { RunningSluice } from "./running.ts";
export type { ClockView, SentMessage, TransactionTimeline, ExchangedMessage, EnteredState } from "./answers.ts";
export type { Duration } from "./duration.ts";
