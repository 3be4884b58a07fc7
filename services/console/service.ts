// The console has two sides, each with its own address and callers. It keeps no state; everything comes from the store
// and the topics.
//
//   GET /transactions/{uetr}                 get-transaction-status.ts   banks and connectors: the scheduler's snapshot
//   GET /transactions/{uetr}/events?from=N   get-transaction-events.ts   banks and connectors: the events topic
//   GET /events?from=…&to=…                  list-events.ts              banks: all their events of a time
//   /control/v1/…                            control-handlers.ts         operators: decisions
//                                            control-queries.ts          operators: queries
//   any other path beside the control API    web/web-app.ts              operators: pages for a browser
//
// #1 A bank or connector sees its own transactions. Another caller's transaction is answered like one that does not
//    exist, in the same way and time.
// #2 "Not known" is answered only with the time up to which that is certain (`known-as-of.ts`), else 503.
// #3 Banks, connectors and operators, their credentials and limits can be replaced while it runs.
// #4 An operator's decision is a record of the journal, and takes effect only through it.
// #5 Who came, asked and decided, and what the configuration changed, is in the audit, which each console seals.
// #6 It is ready while the store answers, and names partitions of the journal that do not. Without the broker the store
//    still answers most questions, and that is when people ask. No decision is taken then.

import type { AuditKeys } from "@sluice/audit";
import { type Bank, createLiveConfiguration, findBank, listCallers, type ConfiguredOperator } from "@sluice/config";
import { controlPrefix } from "@sluice/contracts";
import {
  createCallerMeter,
  createCallers,
  createRefusals,
  createTokens,
  identifyAtCommandLine,
  identifySignedIn,
  type ClientConnection,
  type ServedRoute,
  type SignedIn,
  type SignInPorts,
  type TokenPorts,
} from "@sluice/service";
import { createSignIn } from "@sluice/service/sign-in";
import { openAccessTokens } from "@sluice/service/access-tokens";
import type { Readiness } from "@sluice/kernel";
import type { AskAlarms, AskProcesses, ConfiguredService, ServicePorts } from "@sluice/process";
import { createJournalProbe, createProbe, startBrokerClock } from "@sluice/messaging";
import { createSearchHashes, type KeyService } from "@sluice/secrecy";
import type { OwnKey } from "@sluice/signatures";
import { createStoreProbe, type Store } from "@sluice/store";
import { createControlApi } from "./http/control-api.ts";
import { watchAlarms } from "./outlook/alarms/watch-alarms.ts";
import { startConsoleAudit } from "./start-audit.ts";
import { createControlAudit } from "./http/control-audit.ts";
import { createOperatorTrail } from "./http/operator-trail.ts";
import { createControlHandlers } from "./http/control-handlers.ts";
import { transactionEvents } from "./own-transactions/get-transaction-events.ts";
import { bankEvents } from "./own-transactions/list-events.ts";
import { transactionStatus } from "./own-transactions/get-transaction-status.ts";
import { createBankApi } from "./http/bank-api.ts";
import { createKnownAsOf } from "./own-transactions/known-as-of.ts";
import { createOutlook } from "./outlook/outlook.ts";
import { createProposalBook } from "./proposals/proposal-book.ts";
import { watchProposals } from "./proposals/watch-proposals.ts";
import { createQuestionReport } from "./http/request-report.ts";
import { showTokenEnds } from "./http/show-token-ends.ts";
import { watchDayTotals } from "./queries/watch-day-totals.ts";
import { watchOldItems } from "./items/watch-old-items.ts";
import { signRecords } from "./decisions/sign-records.ts";
import { createWebApp } from "./web/web-app.ts";

export interface ConsoleServicePorts extends ServicePorts {
  /** Left out: access tokens are not judged, and who has nothing else is unknown. */
  readonly tokenPorts?: TokenPorts;
  /** Left out: nobody signs in at a provider. */
  readonly signInPorts?: SignInPorts;
  readonly store: Store;
  /** The keys that seal the audit, null while there are none; left out: this console does not seal. */
  readonly auditKeys?: () => AuditKeys | null;
  /** The key that signs operators' records, null while there is none; left out: this console signs nothing. */
  readonly operatorKey?: () => OwnKey | null;
  /** Holds the keys that personal data is sealed with; null, or left out: there is none. */
  readonly keyService?: KeyService | null;
  /** Text of the control API's OpenAPI document; null: it is not served. */
  readonly controlDocument?: string | null;
  /** Asks the processes of all services how they are; null, or left out: nobody said where they are. */
  readonly askProcesses?: AskProcesses | null;
  /** Asks which alarms fire; null, or left out: nobody said who knows. */
  readonly askAlarms?: AskAlarms | null;
  /** Address of the page of a trace, with `{traceId}` in it; null, or left out: there is none. */
  readonly tracePage?: string | null;
  /** Folder of the documentation site; null: there is none. */
  readonly helpFolder?: string | null;
}

export interface Console extends ConfiguredService {
  /** What it serves to banks and connectors, to programs of operators, and to their browsers. */
  readonly routes: Readonly<Record<"banks" | "control" | "pages", readonly ServedRoute[]>>;
  fetch(request: Request, connection?: ClientConnection): Promise<Response>;
  /** Answers operators, on the control API's own address. */
  fetchControl(request: Request, connection?: ClientConnection): Promise<Response>;
}

/** Limits of one operator. */
const operatorLimits = { requestsPerSecond: 50, inboundConnections: 32 } as const;

export async function startConsole(given: ConsoleServicePorts): Promise<Console> {
  const live = createLiveConfiguration(given.configuration);
  const ports = { ...given, configuration: live.view };
  const { time, logger, messaging, store, serde, configuration, partitionCount } = ports;
  const producer = await messaging.producer("console");
  const brokerClock = startBrokerClock({ time, logger, metrics: ports.metrics, probe: createProbe(producer) });
  const configured = listCallers(configuration);
  const nowMs = () => time.nowMs();
  const accessTokens = openAccessTokens(configuration.tokenIssuers, ports);
  const callers = createCallers(configured, nowMs, accessTokens);
  const meter = createCallerMeter(configured, () => time.monotonicMs());
  const operators = createTokens(configuration.operators, nowMs, accessTokens, (judged, { certificate }) =>
    identifyAtCommandLine(judged, configuration, certificate, nowMs()),
  );
  const trail = createOperatorTrail(configuration.operators, ports);
  const operatorMeter = createCallerMeter(configuration.operators.map(toOperatorLimits), () => time.monotonicMs());
  const knownAsOf = createKnownAsOf({ time, messaging, partitions: store.partitions, brokerClock, partitionCount });
  const findSettings = (bank: string): Bank | undefined => findBank(configuration, bank);
  const answering = { time, messaging, store, serde, knownAsOf, partitionCount, findSettings };
  const refusals = createRefusals(ports, "console");
  const audit = startConsoleAudit(ports, given.auditKeys);
  const report = createQuestionReport({ ...ports, audit }, refusals);
  const api = createBankApi({ time, logger, callers, meter, operations: answerBanks(answering), report });
  const book = createProposalBook(ports);
  const outlook = createOutlook({ ...ports, book, brokerNowMs: () => brokerClock.nowMs() });
  const alarms = watchAlarms({ time, logger, brokerNowMs: () => brokerClock.nowMs(), askAlarms: ports.askAlarms ?? null });
  const keyService = ports.keyService ?? null;
  const searchHashes = keyService === null ? null : createSearchHashes({ service: keyService, time });
  const signing = signRecords(producer, { configuration, logger, operatorKey: ports.operatorKey ?? (() => null) });
  const handlers = createControlHandlers({ ...ports, searchHashes, producer: signing, brokerClock, knownAsOf, book, outlook, alarms });
  const document = ports.controlDocument ?? null;
  const doors = openDoors(ports);
  const serving = { time, logger, operators, identifySignedIn: doors.identify, meter: operatorMeter, handlers, report, document };
  const control = createControlApi({ ...serving, audit: createControlAudit(audit) });
  const web = createWebApp({ time, random: ports.random, logger, control, helpFolder: ports.helpFolder ?? null, report, ...doors });
  const probes = { store: createStoreProbe({ store, time }), journal: createJournalProbe({ time, messaging, partitionCount }) };
  showTokenEnds(ports);
  const totals = watchDayTotals({ ...ports, dates: outlook.dates });
  const watches = [alarms, totals, watchProposals({ ...ports, brokerClock, book }), watchOldItems({ ...ports, brokerClock })];
  let stopped: Promise<void> | null = null;
  return {
    routes: { banks: api.routes, control: control.routes, pages: web.routes },
    fetch: (request, connection) => api.fetch(request, connection ?? null),
    fetchControl: (request, connection) => (isControl(request) ? control : web).fetch(request, connection ?? null),
    replaceConfiguration(next) {
      audit.replaced(next);
      live.replace(next);
      accessTokens?.replace(next.tokenIssuers);
      callers.replace(listCallers(next));
      meter.replace(listCallers(next));
      operators.replace(next.operators);
      trail.replaced(next.operators);
      operatorMeter.replace(next.operators.map(toOperatorLimits));
    },
    readiness() {
      if (stopped !== null) return { isReady: false, reasons: ["stopping"] };
      return readReadiness(brokerClock.nowMs() !== null, probes.store.trouble(), probes.journal.silent(), partitionCount);
    },
    stop() {
      for (const watch of watches) watch.stop();
      outlook.stop();
      brokerClock.stop();
      refusals.stop();
      stopped ??= audit.stop().then(() => producer.close());
      return stopped;
    },
  };
}

function answerBanks(answering: Parameters<typeof transactionStatus>[0] & Parameters<typeof bankEvents>[0]) {
  return {
    transactionStatus: transactionStatus(answering),
    transactionEvents: transactionEvents(answering),
    bankEvents: bankEvents(answering),
  };
}

/** How people sign in at the provider, by the configuration in force. */
function openDoors({ signInPorts, configuration, time, random, logger, metrics }: ConsoleServicePorts) {
  const provider = () => configuration.operatorSignIn;
  return {
    provider,
    signIn: signInPorts === undefined ? null : createSignIn({ ...signInPorts, time, random, logger, metrics, provider }),
    identify: (person: SignedIn, connection: ClientConnection | null) =>
      identifySignedIn(person, configuration, connection?.certificate ?? null, time.nowMs()),
  };
}

/** #6 */
function readReadiness(isTimeKnown: boolean, storeTrouble: string | null, silent: readonly number[], partitionCount: number): Readiness {
  const missing = [
    ...(isTimeKnown ? [] : ["broker clock: no time known yet"]),
    ...(storeTrouble === null ? [] : [`store: ${storeTrouble}`]),
  ];
  const isAway = silent.length === partitionCount;
  const parts = isAway ? ["journal: no partition answers"] : silent.map((partition) => `journal: partition ${partition} does not answer`);
  return { isReady: missing.length === 0, reasons: [...missing, ...parts] };
}

/** Everything else on the control API's address is a page. */
function isControl({ url }: Request): boolean {
  const { pathname } = new URL(url);
  return pathname === controlPrefix || pathname.startsWith(`${controlPrefix}/`);
}

function toOperatorLimits({ id }: ConfiguredOperator) {
  return { id, ...operatorLimits };
}
