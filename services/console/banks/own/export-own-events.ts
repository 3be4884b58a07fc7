// exportOwnEvents: a bank's events of a time as a file.
//
// #1 csv has a line for each: ids, place, how its posting stands, and the digest of the bytes that are posted. With it
//    a bank finds what it lacks without anybody looking at payments.
// #2 pages has what the bank's own question answers (`GET /events`), page by page, a line each: bodies as posted, with
//    names and accounts. It is the bank's own person's alone: Sluice's operators see no such body (ADR 119).

import { hash } from "node:crypto";
import { refuseWith } from "../../decisions/decision.ts";
import type { ControlHandler } from "../../http/control-handler.ts";
import { postedPage, writePage } from "../../own-transactions/list-events.ts";
import { type EventsSpan, walkEvents } from "../../own-transactions/walk-events.ts";
import { invalidRequest } from "../../views/control-values.ts";
import { csvLine } from "../../views/csv-text.ts";
import { csvFormat, type FileFormat, sendFile } from "../../exports/export-file.ts";
import { loadOwnEvents, type OwnEvent, type OwnEventsPorts, parseEventsSpan, showOwnEvent } from "./own-events.ts";

interface DigestedEvent extends OwnEvent {
  readonly sha256: string;
}

const columns = [
  "webhookId",
  "uetr",
  "stageVersion",
  "at",
  "status",
  "bytes",
  "sha256",
] as const satisfies readonly (keyof DigestedEvent)[];

const csv = { csv: csvFormat<DigestedEvent>(csvLine([...columns]), (row) => csvLine(columns.map((name) => row[name]))) };

const pages: Readonly<Record<"pages", FileFormat<string>>> = {
  pages: { contentType: "application/x-ndjson", begin: () => "", row: (line) => line, end: "" },
};

/** Events of one step of a file; only these are in memory. */
const stepBounds = { eventsMax: 1_000, bytesMax: 8 * 1024 * 1024 } as const;

export function exportOwnEvents(ports: OwnEventsPorts): ControlHandler {
  return async ({ path, query, operator }) => {
    const asked = parseEventsSpan(ports.configuration, path["bank"] ?? "", query);
    if ("kind" in asked) return asked;
    const format = query.get("format") ?? "csv";
    if (format !== "csv" && format !== "pages") return invalidRequest("format: csv or pages.");
    if (format === "csv") return await sendFile(query, csv, ports.brokerNowMs(), readSteps(ports, asked));
    if (operator.bank !== asked.span.bank) return bodiesRefused;
    return await sendFile(query, pages, ports.brokerNowMs(), readPages(ports, asked.span));
  };
}

/** #2 */
const bodiesRefused = refuseWith(
  403,
  "Not allowed",
  "The bodies name persons and accounts. The bank's own person has them, or the bank asks for them: GET /events.",
);

type EventsStep = Awaited<ReturnType<typeof loadOwnEvents<DigestedEvent>>>;

async function* readSteps(ports: OwnEventsPorts, asked: Parameters<typeof loadOwnEvents>[1]): AsyncGenerator<readonly DigestedEvent[]> {
  let after: EventsSpan["after"] | null = asked.span.after;
  while (after !== null) {
    const step: EventsStep = await loadOwnEvents(ports, { ...asked, span: { ...asked.span, after } }, stepBounds, (event, status) => ({
      ...showOwnEvent(event, status),
      sha256: hash("sha256", event.body),
    }));
    yield step.rows;
    after = step.next;
  }
}

/** Each page as one line. */
async function* readPages(ports: OwnEventsPorts, span: EventsSpan): AsyncGenerator<readonly string[]> {
  let after: EventsSpan["after"] | null = span.after;
  while (after !== null) {
    const page = await walkEvents(ports, { ...span, after }, postedPage);
    yield [`${writePage(page)}\n`];
    after = page.next;
  }
}
