// Hostile cases about the boundaries of requests: lengths, chunks, pipelines, upgrades, slow senders and ended
// connections.

import { sampleToken } from "@sluice/testkit";
import { debitPath, goodDebitText, hostileRequest, type HostileCase } from "./hostile-case.ts";

const none = { "content-length": undefined } as const;
const chunked = (encoding: string, body: string): Buffer => hostileRequest({ headers: { ...none, "transfer-encoding": encoding }, body });
const oneChunk = `${Buffer.byteLength(goodDebitText).toString(16)}\r\n${goodDebitText}\r\n0\r\n\r\n`;
const notFound = hostileRequest({
  method: "GET",
  path: "/nothing",
  headers: { "content-length": undefined, authorization: undefined },
  body: "",
});
const known = `authorization: Bearer ${sampleToken("first")}`;

const lengths: readonly HostileCase[] = [
  { id: "none", bytes: hostileRequest({ headers: none, body: "" }), expected: [411] },
  ...["abc", "-1", "+5", "1e3", "0x10", "5 5", "5,5", "5;", "1.0", "٥", "99999999999999999999", "18446744073709551617"].map((length) => ({
    id: length,
    bytes: hostileRequest({ headers: { "content-length": length } }),
    expected: [400],
  })),
  { id: "empty", bytes: hostileRequest({ headers: { "content-length": "" } }), expected: [400] },
  { id: "huge", bytes: hostileRequest({ headers: { "content-length": "9007199254740993" } }), expected: [413] },
  { id: "2^63-1", bytes: hostileRequest({ headers: { "content-length": "9223372036854775807" } }), expected: [413] },
  { id: "1 GiB", bytes: hostileRequest({ headers: { "content-length": String(2 ** 30) }, body: "{" }), expected: [413] },
  { id: "two equal", bytes: hostileRequest({ lines: [`content-length: ${Buffer.byteLength(goodDebitText)}`] }), expected: [400] },
  { id: "two different", bytes: hostileRequest({ lines: ["content-length: 5"] }), expected: [400] },
  { id: "with chunks", bytes: hostileRequest({ lines: ["transfer-encoding: chunked"] }), expected: [400] },
  {
    id: "chunks before it",
    bytes: hostileRequest({ headers: { "transfer-encoding": "chunked", "content-length": "5" } }),
    expected: [400],
  },
  { id: "zero, with a body", bytes: hostileRequest({ headers: { "content-length": "0" } }), expected: [400] },
  {
    id: "one too short",
    bytes: hostileRequest({ headers: { "content-length": String(Buffer.byteLength(goodDebitText) - 1) } }),
    expected: [400],
  },
  { id: "too long, and the end", bytes: hostileRequest({ headers: { "content-length": "5000" } }), expected: [400], isEnd: true },
  { id: "too long, and silence", bytes: hostileRequest({ headers: { "content-length": "5000" } }), expected: [408] },
];

const transfers: readonly HostileCase[] = [
  { id: "chunked", bytes: chunked("chunked", oneChunk), expected: [411] },
  { id: "chunked, capitals", bytes: chunked("CHUNKED", oneChunk), expected: [411] },
  { id: "an extension", bytes: chunked("chunked", oneChunk.replace("\r\n", ";a=b\r\n")), expected: [411] },
  { id: "trailers", bytes: chunked("chunked", oneChunk.replace(/\r\n$/, "x-a: 1\r\n\r\n")), expected: [411] },
  { id: "trailers with a length", bytes: chunked("chunked", oneChunk.replace(/\r\n$/, "content-length: 1\r\n\r\n")), expected: [411] },
  { id: "a chunk that is no number", bytes: chunked("chunked", "zz\r\n"), expected: [400] },
  { id: "a negative chunk", bytes: chunked("chunked", "-1\r\n"), expected: [400] },
  { id: "a chunk of 2^64", bytes: chunked("chunked", "10000000000000000\r\n"), expected: [400] },
  { id: "an extension of 1 MiB", bytes: chunked("chunked", `1;${"a".repeat(1024 * 1024)}`), expected: [400] },
  { id: "compressed in chunks", bytes: chunked("gzip, chunked", oneChunk), expected: [411] },
  ...["identity", "gzip", "chunked, gzip", "chunked, chunked", "xchunked", "chunked x", "\u000bchunked", ""].map((encoding) => ({
    id: JSON.stringify(encoding),
    bytes: chunked(encoding, oneChunk),
    expected: [400],
  })),
  {
    id: "two",
    bytes: hostileRequest({ headers: { ...none, "transfer-encoding": "chunked" }, lines: ["transfer-encoding: identity"], body: oneChunk }),
    expected: [400],
  },
];

const pipelines: readonly HostileCase[] = [
  { id: "three that are not found", bytes: Buffer.concat([notFound, notFound, notFound]), expected: [404], answersMax: 3 },
  {
    id: "three bad bodies",
    bytes: Buffer.concat([hostileRequest({ body: "{" }), hostileRequest({ body: "[]" }), hostileRequest({ body: "{}" })]),
    expected: [400, 400, 400],
    answersMax: 3,
  },
  {
    id: "500 of a caller that may not",
    bytes: Buffer.concat(Array.from({ length: 500 }, () => hostileRequest({ party: "clearing" }))),
    expected: Array.from({ length: 500 }, () => 403),
    answersMax: 500,
  },
  {
    id: "a request inside a body is a body",
    bytes: hostileRequest({ body: `GET /nothing HTTP/1.1\r\nhost: a\r\n${known}\r\n\r\n` }),
    expected: [400],
    answersMax: 2,
    isEnd: true,
  },
  {
    id: "a body cut by its length, the rest is not HTTP",
    bytes: hostileRequest({ body: `{}${"x".repeat(100)}`, headers: { "content-length": "2" } }),
    expected: [400],
  },
  {
    id: "a smuggled prefix with both lengths",
    bytes: hostileRequest({ headers: { "content-length": "6", "transfer-encoding": "chunked" }, body: `0\r\n\r\nG` }),
    expected: [400],
    answersMax: 2,
  },
];

const upgrades: readonly HostileCase[] = [
  {
    id: "websocket",
    bytes: hostileRequest({
      method: "GET",
      headers: {
        ...none,
        connection: "Upgrade",
        upgrade: "websocket",
        "sec-websocket-key": "dGhlIHNhbXBsZSBub25jZQ==",
        "sec-websocket-version": "13",
      },
      body: "",
    }),
    expected: [405],
  },
  {
    id: "h2c",
    bytes: hostileRequest({
      method: "GET",
      headers: { ...none, connection: "Upgrade, HTTP2-Settings", upgrade: "h2c", "http2-settings": "AAMAAABkAARAAAAAAAIAAAAA" },
      body: "",
    }),
    expected: [405],
  },
  { id: "h2c with a bad body", bytes: hostileRequest({ headers: { connection: "Upgrade", upgrade: "h2c" }, body: "{" }), expected: [400] },
  { id: "TLS on top", bytes: hostileRequest({ headers: { connection: "Upgrade", upgrade: "TLS/1.2" }, body: "{" }), expected: [400] },
  { id: "HTTP/2 preface", bytes: "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n", expected: [400] },
  { id: "expect what nobody can", bytes: hostileRequest({ headers: { expect: "200-ok" } }), expected: [400] },
  { id: "expect two things", bytes: hostileRequest({ headers: { expect: "100-continue, 200-ok" } }), expected: [400] },
  {
    id: "expect 100, too large",
    bytes: hostileRequest({ headers: { expect: "100-continue", "content-length": "262145" }, body: "" }),
    expected: [413],
  },
  { id: "expect 100, bad body", bytes: hostileRequest({ headers: { expect: "100-continue" }, body: "{" }), expected: [400] },
];

const strangers: readonly HostileCase[] = [
  { id: "TLS hello", bytes: Buffer.from("16030100c8010000c40303", "hex"), expected: [400] },
  { id: "SSH", bytes: "SSH-2.0-OpenSSH_9.9\r\n", expected: [400] },
  { id: "SMTP", bytes: "EHLO ingress.example\r\n", expected: [400] },
  { id: "RESP", bytes: "*1\r\n$4\r\nPING\r\n", expected: [400] },
  { id: "PROXY", bytes: "PROXY TCP4 127.0.0.1 127.0.0.1 1 2\r\n", expected: [400] },
  { id: "NULs", bytes: Buffer.alloc(100), expected: [400] },
  { id: "high bytes", bytes: Buffer.alloc(100, 0xff), expected: [400] },
  { id: "an answer", bytes: "HTTP/1.1 200 OK\r\n\r\n", expected: [400] },
  { id: "a bare body", bytes: goodDebitText, expected: [400] },
];

const slow: readonly HostileCase[] = [
  { id: "nothing", bytes: "", expected: [408] },
  { id: "empty lines", bytes: "\r\n\r\n\r\n", expected: [408] },
  { id: "HTTP/0.9", bytes: "GET /\r\n", expected: [408] },
  { id: "half a line", bytes: "POST /trans", expected: [408] },
  { id: "half a head", bytes: `POST ${debitPath} HTTP/1.1\r\nhost: a\r\n`, expected: [408] },
  { id: "half a head, then the end", bytes: `POST ${debitPath} HTTP/1.1\r\nhost: a\r\n`, expected: [400], isEnd: true },
  { id: "half a body", bytes: hostileRequest({ headers: { "content-length": "5000" }, body: "{" }), expected: [408] },
  {
    id: "half a body, then the end",
    bytes: hostileRequest({ headers: { "content-length": "5000" }, body: "{" }),
    expected: [400],
    isEnd: true,
  },
  {
    id: "a head, byte by byte",
    bytes: "P",
    later: Array.from(`OST ${debitPath} HTTP/1.1\r\nhost: a\r\n\r\n`),
    laterEveryMs: 100,
    expected: [408],
  },
  {
    id: "a body, byte by byte",
    bytes: hostileRequest({ headers: { "content-length": "5000" }, body: "" }),
    later: Array.from(goodDebitText),
    laterEveryMs: 100,
    expected: [408],
  },
  {
    id: "headers without end",
    bytes: `POST ${debitPath} HTTP/1.1\r\n`,
    later: Array.from({ length: 200 }, (_, number) => `x-${number}: 1\r\n`),
    laterEveryMs: 50,
    expected: [408],
  },
];

const groups: Readonly<Record<string, readonly HostileCase[]>> = {
  length: lengths,
  transfer: transfers,
  pipeline: pipelines,
  upgrade: upgrades,
  stranger: strangers,
  slow,
};

export const hostileFraming: readonly HostileCase[] = Object.entries(groups).flatMap(([group, cases]) =>
  cases.map((one) => ({ ...one, id: `${group}: ${one.id}` })),
);
