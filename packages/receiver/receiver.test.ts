import { createServer, type IncomingMessage } from "node:http";
import { connect, type AddressInfo } from "node:net";
import * as fc from "fast-check";
import { Hono } from "hono";
import { afterEach, describe, expect, test } from "vitest";
import {
  utf8,
  ed25519Signer,
  eventWebhookId,
  eventBody,
  signedHeaders,
  signedAtMs,
  placeHeaders,
  signedPosting,
  symmetricSigner,
  signedUetr,
  type TestSigner,
} from "./signature/signed.fixture.ts";
import type { Inbox } from "./inbox.ts";
import { readKeys, type ReceiverKey } from "./signature/keys.ts";
import type { Message } from "./message.ts";
import { nodeListener } from "./node-listener.ts";
import { createReceiver, type Receiver, type ReceiverOptions, type ReceiverOutcome } from "./receiver.ts";

const signer = symmetricSigner(1);

interface Setup {
  readonly receiver: Receiver;
  readonly taken: readonly Message[];
  readonly outcomes: readonly ReceiverOutcome[];
}

async function loadKeys(...signers: readonly TestSigner[]): Promise<readonly ReceiverKey[]> {
  const read = await readKeys(signers.map(({ key }) => key));
  if (!read.ok) throw new Error(read.reason);
  return read.keys;
}

async function openReceiver(options: Partial<ReceiverOptions> = {}): Promise<Setup> {
  const taken: Message[] = [];
  const outcomes: ReceiverOutcome[] = [];
  const inbox: Inbox = {
    take(message) {
      const isFirst = taken.every(({ webhookId }) => webhookId !== message.webhookId);
      if (isFirst) taken.push(message);
      return isFirst ? "first" : "repeat";
    },
  };
  const onOutcome = (outcome: ReceiverOutcome): void => void outcomes.push(outcome);
  return {
    receiver: createReceiver({ keys: await loadKeys(signer), inbox, nowMs: () => signedAtMs, onOutcome, ...options }),
    taken,
    outcomes,
  };
}

interface Sent {
  readonly id?: string;
  readonly body?: string;
  readonly headers?: Record<string, string>;
  readonly by?: TestSigner;
  readonly path?: string;
}

function request({
  id = signedPosting.webhookId,
  body = '{"value":1250.50}',
  headers = {},
  by = signer,
  path = "/inbound/direct-debit",
}: Sent): Request {
  const signed = signedHeaders({ webhookId: id, atMs: signedAtMs, body: utf8(body) }, [by]);
  return new Request(`http://bank.example${path}?x=1`, { method: "POST", headers: { ...signed, ...headers }, body });
}

describe("the receiver", () => {
  test("answers 202 with an empty body once the inbox has the message, and again for a repeat [D4.20] [D4.21]", async () => {
    const { receiver, taken, outcomes } = await openReceiver();
    for (const reason of ["first", "repeat"]) {
      const answer = await receiver(request({}));
      expect([answer.status, await answer.text()]).toEqual([202, ""]);
      expect(outcomes.at(-1)).toEqual({ status: 202, reason, webhookId: signedPosting.webhookId });
    }
    expect(taken).toMatchObject([
      { webhookId: signedPosting.webhookId, path: "/inbound/direct-debit", uetr: null, sequence: null, previousId: null },
    ]);
    expect(JSON.stringify(taken[0]?.json)).toBe('{"value":1250.50}');
  });

  test("does not answer before the inbox has committed", async () => {
    const committed = Promise.withResolvers<"first">();
    const { receiver } = await openReceiver({ inbox: { take: () => committed.promise } });
    let isAnswered = false;
    const answer = receiver(request({})).then(({ status }) => {
      isAnswered = true;
      return status;
    });
    for (let turn = 0; turn < 20; turn += 1) await new Promise((resolve) => setImmediate(resolve));
    expect(isAnswered).toBe(false);
    committed.resolve("first");
    expect(await answer).toBe(202);
  });

  test("I4: passes an event with its place: sequence, predecessor, and UETR in lower case", async () => {
    const { receiver, taken } = await openReceiver();
    for (const sequence of [1, 2]) {
      const sent = { id: eventWebhookId(sequence), body: eventBody(sequence), headers: placeHeaders(sequence), path: "/events" };
      expect((await receiver(request(sent))).status).toBe(202);
    }
    expect(taken).toMatchObject([
      { uetr: signedUetr, sequence: 1, previousId: null, path: "/events" },
      { uetr: signedUetr, sequence: 2, previousId: eventWebhookId(1), path: "/events" },
    ]);
  });

  test("takes an event with members, a type and a class that it does not know [D11.2]", async () => {
    const { receiver, taken } = await openReceiver();
    const known = eventBody(1).slice(1);
    const newer = `{"laterMember":{"a":[1]},"type":"DIRECT_DEBIT_LATER",${known}`;
    const sent = { id: eventWebhookId(1), body: newer, headers: placeHeaders(1), path: "/events" };
    expect((await receiver(request(sent))).status).toBe(202);
    expect((await receiver(request({ id: "m9", body: '{"class":"LATER_CLASS"}', path: "/events" }))).status).toBe(202);
    expect(taken).toMatchObject([{ sequence: 1, json: { laterMember: {} } }, { sequence: null }]);
  });

  test("finds the UETR of debits and of ESM_STATE events, which have no place", async () => {
    const { receiver, taken } = await openReceiver();
    const bodies = [
      `{"transactionIdentifiers":{"uetr":"${signedUetr}"}}`,
      `{"class":"ESM_STATE","stageVersion":4,"identifiers":{"uetr":"${signedUetr}"}}`,
    ];
    for (const [index, body] of bodies.entries()) await receiver(request({ id: `m${index}`, body }));
    expect(taken).toMatchObject([
      { uetr: signedUetr, sequence: null },
      { uetr: signedUetr, sequence: null },
    ]);
  });

  test("answers 401 to a header that contradicts the signed body, and stores nothing", async () => {
    const { receiver, taken } = await openReceiver();
    const places: readonly Sent[] = [
      { body: eventBody(2), headers: { "sluice-sequence": "3" } },
      { body: eventBody(2), headers: { "sluice-sequence": "2, 3" } },
      { body: '{"class":"ESM_STATE"}', headers: { "sluice-sequence": "1" } },
    ];
    for (const sent of places) expect((await receiver(request(sent))).status).toBe(401);
    expect(taken).toEqual([]);
  });

  test("answers 401 to a wrong signature before it reads anything, even a body that is not JSON", async () => {
    const { receiver, taken, outcomes } = await openReceiver();
    const answer = await receiver(request({ by: symmetricSigner(2), body: "no json" }));
    expect([answer.status, answer.headers.get("content-type"), await answer.json()]).toEqual([
      401,
      "application/json",
      { schema: "ErrorDetail", message: expect.any(String), detail: expect.any(String) },
    ]);
    expect([taken, outcomes]).toEqual([[], [{ status: 401, reason: "no-match", webhookId: null }]]);
  });

  test.each(["", "no json", "[]", "1", '{"a":1', `{"a":${"[".repeat(70)}${"]".repeat(70)}}`])(
    "signed, but not a message, is 400: %j",
    async (body) => {
      const { receiver, taken } = await openReceiver();
      expect([(await receiver(request({ body }))).status, taken]).toEqual([400, []]);
    },
  );

  test("answers 500 when the inbox fails, without Retry-After and without the cause; the repeat is taken", async () => {
    let isBroken = true;
    const take = (): "first" => {
      if (isBroken) throw new Error("password of the database");
      return "first";
    };
    const { receiver, outcomes } = await openReceiver({ inbox: { take } });
    const answer = await receiver(request({}));
    expect([answer.status, answer.headers.get("retry-after"), await answer.text()]).toEqual([
      500,
      null,
      expect.not.stringContaining("password"),
    ]);
    expect(outcomes).toMatchObject([
      { status: 500, reason: "inbox-failed", webhookId: signedPosting.webhookId, error: { message: "password of the database" } },
    ]);
    isBroken = false;
    expect((await receiver(request({}))).status).toBe(202);
  });

  test("an outcome callback that throws changes no answer", async () => {
    const onOutcome = (): never => {
      throw new Error("no log");
    };
    expect((await (await openReceiver({ onOutcome })).receiver(request({}))).status).toBe(202);
  });

  test("keys are replaced without a restart", async () => {
    const next = ed25519Signer();
    let keys = await loadKeys(signer);
    const { receiver } = await openReceiver({ keys: () => keys });
    expect((await receiver(request({ by: next }))).status).toBe(401);
    keys = await loadKeys(signer, next);
    expect((await receiver(request({ by: next }))).status).toBe(202);
    keys = await loadKeys(next);
    expect((await receiver(request({ id: "m2" }))).status).toBe(401);
  });

  test("other methods are 405", async () => {
    const { receiver } = await openReceiver();
    for (const method of ["GET", "PUT", "DELETE", "HEAD"]) {
      const answer = await receiver(new Request("http://bank.example/events", { method }));
      expect([answer.status, answer.headers.get("allow")]).toEqual([405, "POST"]);
    }
  });

  test("a body beyond the bound is 413 without being read, whether its length is given or found out", async () => {
    const { receiver } = await openReceiver({ bodyBytesMax: 1_000 });
    let chunks = 0;
    const endless = new ReadableStream<Uint8Array>({
      pull(controller) {
        chunks += 1;
        controller.enqueue(new Uint8Array(100));
      },
    });
    const streamed = new Request("http://bank.example/events", { method: "POST", body: endless, duplex: "half" });
    expect((await receiver(streamed)).status).toBe(413);
    expect(chunks).toBeLessThan(15);
    const said = request({ headers: { "content-length": "1001" } });
    expect((await receiver(said)).status).toBe(413);
    expect((await receiver(request({ body: `"${"x".repeat(998)}"` }))).status).toBe(400);
  });

  test("a body that breaks off is 408: Sluice repeats it", async () => {
    const { receiver, taken } = await openReceiver();
    const broken = new ReadableStream<Uint8Array>({
      start(controller) {
        controller.enqueue(utf8("{"));
        controller.error(new Error("reset"));
      },
    });
    expect((await receiver(new Request("http://bank.example/", { method: "POST", body: broken, duplex: "half" }))).status).toBe(408);
    expect(taken).toEqual([]);
  });

  test("any request gets an answer, and only signed messages are stored", async () => {
    const { receiver, taken } = await openReceiver();
    const names = fc.constantFrom(
      "webhook-id",
      "webhook-timestamp",
      "webhook-signature",
      "sluice-sequence",
      "content-length",
      "content-encoding",
    );
    const values = fc.oneof(
      fc.string({ maxLength: 40 }).map((text) => text.replaceAll(/[^\x20-\x7e]/g, "")),
      fc.nat().map(String),
    );
    await fc.assert(
      fc.asyncProperty(
        fc.uint8Array({ maxLength: 200 }),
        fc.dictionary(names, values),
        fc.boolean(),
        async (hostile, headers, isBeside) => {
          const body = Uint8Array.from(hostile);
          const good = isBeside ? signedHeaders({ ...signedPosting, body }, [symmetricSigner(2)]) : {};
          const answer = await receiver(
            new Request("http://bank.example/events", { method: "POST", headers: { ...good, ...headers }, body }),
          );
          expect([401, 413]).toContain(answer.status);
        },
      ),
    );
    expect(taken).toEqual([]);
  });
});

describe("behind servers", () => {
  const closing: (() => void)[] = [];
  afterEach(() => closing.splice(0).forEach((close) => close()));

  async function onNode(receiver: Receiver, change: (incoming: IncomingMessage) => void = () => undefined): Promise<number> {
    const listener = nodeListener(receiver);
    const server = createServer((incoming, outgoing) => {
      change(incoming);
      listener(incoming, outgoing);
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    closing.push(() => {
      server.closeAllConnections();
      server.close();
    });
    return (server.address() as AddressInfo).port;
  }

  /** The raw answers on a socket, until it is closed or the first answer is complete. */
  function spoken(port: number, text: string): Promise<string> {
    return new Promise((resolve) => {
      const socket = connect(port, "127.0.0.1", () => socket.write(text));
      let heard = "";
      socket.on("data", (chunk: Buffer) => {
        heard += chunk.toString();
        socket.destroy();
      });
      socket.on("error", () => undefined);
      socket.on("close", () => resolve(heard));
    });
  }

  test("hono serves it unchanged", async () => {
    const { receiver, taken } = await openReceiver();
    const app = new Hono().post("/sluice/*", (context) => receiver(context.req.raw));
    expect((await app.request(request({ path: "/sluice/events" }))).status).toBe(202);
    expect(taken).toMatchObject([{ path: "/sluice/events" }]);
  });

  test("Node serves it by nodeListener, with connections kept alive", async () => {
    const { receiver, taken } = await openReceiver();
    const port = await onNode(receiver);
    for (const sequence of [1, 2, 3]) {
      const sent = request({ id: eventWebhookId(sequence), body: eventBody(sequence), headers: placeHeaders(sequence), path: "/events" });
      const answer = await fetch(`http://127.0.0.1:${port}/events?a=b`, { method: "POST", headers: sent.headers, body: await sent.text() });
      expect([answer.status, answer.headers.get("content-length"), await answer.text()]).toEqual([202, "0", ""]);
    }
    expect(taken.map(({ sequence, path }) => [sequence, path])).toEqual([1, 2, 3].map((sequence) => [sequence, "/events"]));
  });

  test("nodeListener only needs request features that other runtimes imitate, too", async () => {
    const { receiver } = await openReceiver();
    const port = await onNode(receiver, (incoming) => Object.defineProperty(incoming, "headersDistinct", { value: undefined }));
    const good = request({});
    expect((await fetch(`http://127.0.0.1:${port}/x`, { method: "POST", headers: good.headers, body: await good.text() })).status).toBe(
      202,
    );
  });

  test("hostile requests over a socket are answered, and the next one is served", async () => {
    const { receiver, taken } = await openReceiver({ bodyBytesMax: 1_000 });
    const port = await onNode(receiver);
    const head = "Host: x\r\nContent-Type: application/json\r\n";
    expect(await spoken(port, `POST //[::x HTTP/1.1\r\n${head}Content-Length: 2\r\n\r\n{}`)).toMatch(/^HTTP\/1.1 40[01] /);
    expect(await spoken(port, `POST /events HTTP/1.1\r\n${head}Content-Length: 2\r\nWebhook-Id: a\r\nWebhook-Id: b\r\n\r\n{}`)).toMatch(
      / 401 /,
    );
    const long = await spoken(port, `POST /events HTTP/1.1\r\n${head}Content-Length: 1000000000\r\n\r\n{`);
    expect(long).toMatch(/^HTTP\/1.1 413 [^]*connection: close/i);
    expect(await spoken(port, `GET /events HTTP/1.1\r\n${head}\r\n`)).toMatch(/ 405 /);
    await new Promise<void>((resolve) => {
      const socket = connect(port, "127.0.0.1", () =>
        socket.write(`POST /events HTTP/1.1\r\n${head}Content-Length: 500\r\n\r\n{`, () => socket.destroy()),
      );
      socket.on("close", () => resolve());
    });
    const good = request({});
    const answer = await fetch(`http://127.0.0.1:${port}/x`, { method: "POST", headers: good.headers, body: await good.text() });
    expect([answer.status, taken.length]).toEqual([202, 1]);
  });
});
