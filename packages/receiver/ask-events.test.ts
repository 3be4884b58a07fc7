import * as fc from "fast-check";
import { describe, expect, test } from "vitest";
import { askEvents, catchUp, type AskPorts } from "./ask-events.ts";
import { eventWebhookId, eventBody, signedUetr } from "./signature/signed.fixture.ts";
import { createMemoryInbox } from "./memory-inbox.ts";
import type { Message } from "./message.ts";

/** A console with this many events, in pages of three. */
function consoleWith(newest: number, pageMax = 3): AskPorts & { readonly asked: string[] } {
  const asked: string[] = [];
  return {
    asked,
    consoleUrl: "https://sluice.example",
    token: "bank's own",
    fetch: (url, { headers }) => {
      asked.push(`${headers["authorization"]} ${url.slice("https://sluice.example".length)}`);
      const from = Number(new URL(url).searchParams.get("from"));
      const given = Array.from({ length: newest }, (_, index) => index + 1).filter((sequence) => sequence >= from);
      return Promise.resolve(new Response(page(given.slice(0, pageMax), given[pageMax] ?? null)));
    },
  };
}

function page(sequences: readonly number[], next: number | null): string {
  const webhookIds = JSON.stringify(sequences.map(eventWebhookId));
  return `{"schema":"TransactionEvents","uetr":"${signedUetr}","events":[${sequences.map((one) => eventBody(one)).join(",")}],"webhookIds":${webhookIds},"next":${next}}`;
}

const answering = (text: string, init: ResponseInit = {}): AskPorts => ({
  ...consoleWith(0),
  fetch: () => Promise.resolve(new Response(text, init)),
});

describe("asking for events", () => {
  test("returns them as they would have been posted: ids, places, predecessors, digits", async () => {
    const asked = await askEvents(consoleWith(5), signedUetr.toUpperCase(), 2);
    expect(asked).toMatchObject({
      kind: "events",
      next: 5,
      events: [2, 3, 4].map((sequence) => ({
        webhookId: eventWebhookId(sequence),
        uetr: signedUetr,
        sequence,
        previousId: sequence === 2 ? null : eventWebhookId(sequence - 1),
        path: null,
      })),
    });
    if (asked.kind !== "events") return;
    expect(asked.events.map(({ body }) => new TextDecoder().decode(body))).toEqual([2, 3, 4].map((sequence) => eventBody(sequence)));
  });

  test("returns the bytes of each as they were posted, whatever the order of members", async () => {
    const text = eventBody(1).replace('"value"', '"10":1, "2":"é","value"');
    const asked = await askEvents(answering(page([1], null).replace(eventBody(1), text)), signedUetr, 1);
    expect(asked.kind === "events" && asked.events.map(({ body }) => new TextDecoder().decode(body))).toEqual([text]);
  });

  test.each<[number, Record<string, string>, unknown]>([
    [404, {}, { kind: "unknown" }],
    [401, {}, { kind: "refused", status: 401 }],
    [400, {}, { kind: "refused", status: 400 }],
    [503, { "retry-after": "7" }, { kind: "later", retryAfterMs: 7_000 }],
    [503, { "retry-after": "999999" }, { kind: "later", retryAfterMs: 900_000 }],
    [429, { "retry-after": "soon" }, { kind: "later", retryAfterMs: 1_000 }],
    [500, {}, { kind: "later", retryAfterMs: 1_000 }],
  ])("an answer of %i with %j is reported", async (status, headers, said) => {
    expect(await askEvents(answering("{}", { status, headers }), signedUetr, 1)).toEqual(said);
  });

  test("a request without an answer is tried again later", async () => {
    const fetch = (): Promise<Response> => Promise.reject(new Error("time-out"));
    expect(await askEvents({ ...consoleWith(1), fetch }, signedUetr, 1)).toEqual({ kind: "later", retryAfterMs: 1_000 });
  });

  test("events of another transaction, or without ids, are not taken", async () => {
    const refused = { kind: "refused", status: 200 };
    expect(await askEvents(answering(page([1], null)), signedUetr.replace("6", "7"), 1)).toEqual(refused);
    expect(await askEvents(answering(page([1], null).replace(`["${eventWebhookId(1)}"]`, "[]")), signedUetr, 1)).toEqual(refused);
    expect(await askEvents(answering(page([1], null).replace('"next":null', '"next":0.5')), signedUetr, 1)).toEqual(refused);
  });

  test("no body makes it throw", async () => {
    const text = page([1, 2], 3);
    const damaged = fc
      .tuple(fc.nat(text.length), fc.nat(20), fc.string({ maxLength: 5 }))
      .map(([at, cut, put]) => text.slice(0, at) + put + text.slice(at + cut));
    await fc.assert(
      fc.asyncProperty(fc.oneof(damaged, fc.string(), fc.json()), async (body) => {
        expect(["events", "refused"]).toContain((await askEvents(answering(body), signedUetr, 1)).kind);
      }),
    );
  });
});

describe("catching up", () => {
  test("passes all pages in order to the inbox; an event that was also posted is a repeat", async () => {
    const taken: Message[] = [];
    const inbox = createMemoryInbox({ idsMax: 100, effect: (message) => void taken.push(message) });
    const ports = consoleWith(7);
    expect(await catchUp(ports, inbox, signedUetr, 2)).toEqual({ kind: "all", firsts: 6 });
    expect(taken.map(({ sequence }) => sequence)).toEqual([2, 3, 4, 5, 6, 7]);
    expect(ports.asked).toEqual([2, 5].map((from) => `Bearer bank's own /transactions/${signedUetr}/events?from=${from}`));
    expect(await catchUp(ports, inbox, signedUetr, 1)).toEqual({ kind: "all", firsts: 1 });
    expect(await catchUp(ports, inbox, signedUetr, 8)).toEqual({ kind: "all", firsts: 0 });
  });

  test("an event that is not available yet is asked for again later, from its number on", async () => {
    const inbox = createMemoryInbox({ idsMax: 100, effect: () => undefined });
    expect(await catchUp(answering(page([], 4)), inbox, signedUetr, 4)).toEqual({ kind: "later", firsts: 0, from: 4, retryAfterMs: 1_000 });
    expect(await catchUp(answering("", { status: 503 }), inbox, signedUetr, 4)).toMatchObject({ kind: "later", from: 4 });
    expect(await catchUp(answering("", { status: 404 }), inbox, signedUetr, 4)).toEqual({ kind: "unknown", firsts: 0 });
  });

  test("a console that returns the same page forever is not asked forever", async () => {
    const inbox = createMemoryInbox({ idsMax: 100, effect: () => undefined });
    expect(await catchUp(answering(page([1], 1)), inbox, signedUetr, 1)).toMatchObject({ kind: "later", firsts: 1 });
  });
});
