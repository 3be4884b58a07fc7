import * as fc from "fast-check";
import kafkajs from "kafkajs";
import connection from "kafkajs/src/network/connection.js";
import Encoder from "kafkajs/src/protocol/encoder.js";
import writeRequest from "kafkajs/src/protocol/request.js";
import { expect, test } from "vitest";
import { frameRequest } from "./connections.ts";
import "./kafkajs-repairs.ts";

const int16 = fc.integer({ min: 0, max: 2 ** 15 - 1 });

test("a request has exactly the bytes that kafkajs would write", async () => {
  const asked = fc.record({ apiKey: int16, apiVersion: int16, correlationId: fc.nat(), clientId: fc.string({ unit: "grapheme" }) });
  await fc.assert(
    fc.asyncProperty(asked, fc.uint8Array({ maxLength: 3_000 }), async ({ correlationId, clientId, ...request }, body) => {
      const encode = async () => new Encoder().writeBuffer(Buffer.from(body));
      const { buffer } = await writeRequest({ correlationId, clientId, request: { ...request, encode } });
      expect(frameRequest({ correlationId, clientId, ...request }, Buffer.from(body)).equals(buffer)).toBe(true);
    }),
    { numRuns: 60 },
  );
});

interface Pushed {
  readonly entry: { resolve(answer: object): void };
  readonly sendRequest: () => void;
}

/** A connection whose broker answers with the bytes given, and what was written and logged there. */
function connected(answer: Buffer) {
  const seen = { written: [] as Buffer[], logged: [] as unknown[], throttledMs: [] as unknown[] };
  const self = Object.assign(Object.create(connection.prototype), {
    clientId: "c",
    correlationId: 7,
    isAuthenticated: () => true,
    isConnected: () => true,
    logError: (text: string, fields: object) => seen.logged.push([text, fields]),
    socket: { write: (bytes: Buffer) => seen.written.push(bytes) },
    requestQueue: {
      maybeThrottle: (waitMs: unknown) => seen.throttledMs.push(waitMs),
      push({ entry, sendRequest }: Pushed) {
        sendRequest();
        entry.resolve({ payload: answer, size: answer.length });
      },
    },
  });
  return { self, seen };
}

const body = Buffer.from("body");
const request = {
  apiKey: 3,
  apiName: "Metadata",
  apiVersion: 6,
  encode: async () => ({ buf: body, buffer: body, size: () => body.length }),
};

test("an answer is read, and what the broker asks the client to wait is kept", async () => {
  const { self, seen } = connected(Buffer.from("answer"));
  const response = {
    decode: async (payload: Buffer) => ({ text: payload.toString(), clientSideThrottleTime: 40 }),
    parse: async ({ text }: { readonly text: string }) => text,
  };
  expect(await self.send({ request, response })).toBe("answer");
  expect(seen).toMatchObject({ logged: [], throttledMs: [40] });
  expect(seen.written).toEqual([frameRequest({ ...request, correlationId: 7, clientId: "c" }, body)]);
});

test("a connection that has no login sends requests itself too", async () => {
  const { self, seen } = connected(Buffer.from("answer"));
  // kafkajs calls it not logged in.
  Object.assign(self, { sasl: null, isAuthenticated: () => false });
  const response = { decode: async () => ({}), parse: async () => "read" };
  expect(await self.send({ request, response })).toBe("read");
  expect(seen.written).toHaveLength(1);
});

test("an answer that is an error is logged, unless the caller expects it", async () => {
  const { self, seen } = connected(Buffer.alloc(3));
  const response = { decode: () => Promise.reject(new Error("refused")), parse: async () => null };
  await expect(self.send({ request, response, logResponseError: false })).rejects.toThrow("refused");
  expect(seen.logged).toEqual([]);
  await expect(self.send({ request, response })).rejects.toThrow("refused");
  expect(seen.logged).toEqual([["Response Metadata(key: 3, version: 6)", { error: "refused", correlationId: 8, size: 3 }]]);
});

test("a connection that is gone by the time a request is written refuses it", async () => {
  const { self, seen } = connected(Buffer.alloc(0));
  const encode = async () => {
    self.isConnected = () => false;
    return await request.encode();
  };
  await expect(self.send({ request: { ...request, encode }, response: {} })).rejects.toThrow(kafkajs.KafkaJSConnectionError);
  expect(seen.written).toEqual([]);
});
