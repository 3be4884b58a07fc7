// Hostile cases with an invalid request line or invalid headers, and a valid message.

import { sampleToken } from "@sluice/testkit";
import { servedOperations } from "@sluice/contracts";
import { gzipSync } from "node:zlib";
import { debitPath, goodDebitText, hostileRequest, type HostileCase, type HostileRequest } from "./hostile-case.ts";

type Head = readonly [id: string, posting: HostileRequest, ...expected: readonly number[]];

const served: readonly string[] = servedOperations.filter(({ service }) => service === "ingress").flatMap(({ paths }) => paths);
const token = sampleToken("first");

const methods: readonly Head[] = [
  ...served.flatMap((path) => ["GET", "PUT", "DELETE"].map((method): Head => [`${method} ${path}`, { method, path }, 405])),
  ...["PATCH", "OPTIONS", "TRACE", "PROPFIND", "QUERY", "PURGE", "M-SEARCH"].map((method): Head => [method, { method }, 405]),
  ...["FOO", "post", "Post", "POSTT", "PO", "P\u00d6ST", "POST\0", " POST", "", "P".repeat(5_000)].map((method): Head => [
    `method ${JSON.stringify(method.slice(0, 10))}`,
    { method },
    400,
  ]),
  ["CONNECT", { method: "CONNECT", path: "ingress.example:443" }, 405],
  ["OPTIONS *", { method: "OPTIONS", path: "*" }, 400],
];

const strangePaths = [
  "/",
  "/transactions",
  "/transactions/",
  "/outbound",
  "/scheme",
  "/v2/outbound/direct-debit",
  "/favicon.ico",
  "/.env",
  "/.git/config",
  "///transactions/outbound/direct-debit",
  `${debitPath}/`,
  `${debitPath}//`,
  `/${debitPath}`,
  debitPath.toUpperCase(),
  `${debitPath}.json`,
  `${debitPath};a=b`,
  `${debitPath}%00`,
  `${debitPath}%20`,
  `${debitPath}%2F`,
  `${debitPath}%`,
  `${debitPath}%zz`,
  `${debitPath}%c0%ae`,
  "/transactions%2Foutbound%2Fdirect-debit",
  "/transactions/outbound%2fdirect-debit",
  "/%",
  "/%ff",
  "/%u0041",
  "/:path",
  "/*",
  "/**",
  "/transactions/6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b11",
  "/__proto__",
  "/constructor",
  "/x".repeat(4_000),
];
const paths: readonly Head[] = strangePaths
  .map((path): Head => [`path ${path.slice(0, 60)}`, { path }, 404])
  .concat(
    [
      "/../transactions/outbound/direct-debit",
      "/scheme/../transactions/outbound/direct-debit",
      "/transactions/./outbound/direct-debit",
    ].map((path): Head => [`path ${path}`, { path }, 400]),
    ["/%2e%2e/transactions/outbound/direct-debit", "/scheme/%2E%2E/transactions/outbound/direct-debit", "/transactions\\outbound"].map(
      (path): Head => [`path ${path}`, { path }, 400],
    ),
    [
      "",
      "transactions/outbound/direct-debit",
      "?a",
      "#",
      "*",
      "ftp://a/b",
      "file:///etc/passwd",
      "http://",
      "http://[",
      "http://a:99999/",
    ].map((path): Head => [`target ${JSON.stringify(path)}`, { path }, 400]),
    [
      ["absolute, another path", { path: "http://ingress.example/nothing" }, 404],
      ["absolute, without a path", { path: "http://ingress.example" }, 404],
      ["a blank in the path", { path: "/transactions/out bound" }, 400],
      ["a NUL in the path", { path: "/transactions\0" }, 400],
      ["a tab in the path", { path: "/transactions\t" }, 400],
      ["a path above the bound", { path: `/${"x".repeat(20_000)}` }, 431],
      ["a fragment", { path: `${debitPath}/#x` }, 404],
    ],
  );

const versions: readonly Head[] = [
  "HTTP/0.9",
  "HTTP/1.2",
  "HTTP/1.9",
  "HTTP/2.0",
  "HTTP/3.0",
  "HTTP/1",
  "HTTP/11",
  "http/1.1",
  "HTTP/1.1 ",
  "HTTP/1.1x",
  "HTPP/1.1",
  "",
  "RTSP/2.0",
  "ICE/1.0",
].map((version): Head => [`version ${JSON.stringify(version)}`, { version }, 400]);

const hosts: readonly Head[] = [
  ["no host", { headers: { host: undefined } }, 400],
  ["no host, HTTP/1.0", { headers: { host: undefined }, version: "HTTP/1.0" }, 400],
  ["two hosts", { lines: ["Host: other.example"] }, 400],
  ["two equal hosts", { lines: ["HOST: ingress.example"] }, 400],
  ...["", "a b", "a/b", "a?b", "a#b", "user@a", "a:99999", "[::1", "a\\b", "a<b", "%00", "a:b:c"].map((host): Head => [
    `host ${JSON.stringify(host)}`,
    { headers: { host } },
    400,
  ]),
];

const forms: readonly Head[] = [
  ["a blank before the colon", { lines: ["x-a : 1"] }, 400],
  ["a name with a blank", { lines: ["x a: 1"] }, 400],
  ["a name with a NUL", { lines: ["x\0a: 1"] }, 400],
  ["a name with a slash", { lines: ["x/a: 1"] }, 400],
  ["no name", { lines: [": 1"] }, 400],
  ["no colon", { lines: ["x-a"] }, 400],
  ["a folded line", { lines: ["x-a: 1", " 2"] }, 400],
  ["a folded first line", { lines: [] as string[], version: "HTTP/1.1\r\n x: 1" }, 400],
  ["a NUL in a value", { lines: ["x-a: \0"] }, 400],
  ["a bell in a value", { lines: ["x-a: \u0007"] }, 400],
  ["a bare carriage return", { lines: ["x-a: 1\rx-b: 2"] }, 400],
  ["a bare line feed", { lines: ["x-a: 1\nx-b: 2"] }, 400],
  ["101 headers", { lines: Array.from({ length: 97 }, (_, number) => `x-${number}: 1`) }, 431],
  ["3,000 headers", { lines: Array.from({ length: 3_000 }, () => "a:") }, 431],
  ["a header of 17 KiB", { lines: [`x-a: ${"y".repeat(17 * 1024)}`] }, 431],
  ["a header of 1 MiB", { lines: [`x-a: ${"y".repeat(1024 * 1024)}`] }, 431],
  ["a name of 17 KiB", { lines: [`${"y".repeat(17 * 1024)}: 1`] }, 431],
  ["two content types", { lines: ["content-type: text/plain"] }, 400],
  ["two authorizations", { lines: ["authorization: Bearer other"] }, 400],
  ["two encodings", { lines: ["content-encoding: identity", "content-encoding: identity"] }, 400],
];

const strangeTypes = [
  "",
  "text/json",
  "text/plain",
  "text/xml",
  "application/xml",
  "application/x-www-form-urlencoded",
  "multipart/form-data; boundary=x",
  "application/json5",
  "application/jsonx",
  "xapplication/json",
  "application/ json",
  "application",
  "json",
  "*/*",
  "application/*",
  "application/json; charset=utf-16",
  "application/json; charset=latin1",
  "application/json; charset=",
  "application/json; charset=utf-8; a=b",
  "application/json; charset=utf8",
  "application/json, text/plain",
  "application/problem+json",
  "application/json;;",
  "application/vnd.api+json",
  "application/cloudevents+json",
  "application/octet-stream",
  "application/json; charset=us-ascii",
  "application/json; charset='utf-8'",
];
const types: readonly Head[] = strangeTypes
  .map((type): Head => [`type ${JSON.stringify(type)}`, { headers: { "content-type": type } }, 415])
  .concat([["no type", { headers: { "content-type": undefined } }, 415]]);

const compressed = gzipSync(goodDebitText);
const encodings: readonly Head[] = [
  ...["gzip", "deflate", "br", "zstd", "compress", "x-gzip", "gzip, identity", "identity, gzip", "aes128gcm", "utf-8", "*", "unknown"].map(
    (encoding): Head => [`encoding ${encoding}`, { headers: { "content-encoding": encoding }, body: compressed }, 415],
  ),
  ["compressed, and not said", { body: compressed }, 400],
];

const tokens: readonly Head[] = [
  ["none", undefined],
  ["empty", ""],
  ["only the scheme", "Bearer"],
  ["only the scheme and a blank", "Bearer "],
  ["unknown", "Bearer of-nobody"],
  ["basic", `Basic ${Buffer.from(`first:${token}`).toString("base64")}`],
  ["digest", 'Digest username="first"'],
  ["no scheme", token],
  ["two in one", `Bearer ${token}, Bearer ${token}`],
  ["a blank inside", `Bearer ${token} x`],
  ["two blanks", `Bearer  ${token}`],
  ["quoted", `Bearer "${token}"`],
  ["cut", `Bearer ${token.slice(0, -1)}`],
  ["longer", `Bearer ${token}x`],
  ["capitals", `Bearer ${token.toUpperCase()}`],
  ["not ASCII", `Bearer ${token}é`],
  ["of 8 KiB", `Bearer ${"a".repeat(8 * 1024)}`],
  ["wildcard", "Bearer *"],
  ["unsigned JWT", "Bearer eyJhbGciOiJub25lIn0.eyJzdWIiOiJmaXJzdCJ9."],
].map(([id, authorization]): Head => [`token ${id}`, { headers: { authorization } }, 401]);

const elsewhere: readonly Head[] = [
  ["token in the query", { path: `${debitPath}?access_token=${token}`, headers: { authorization: undefined } }, 401],
  ["token in a cookie", { headers: { authorization: undefined, cookie: `token=${token}` } }, 401],
  ["method override", { path: "/nothing", lines: ["x-http-method-override: GET", `x-original-url: ${debitPath}`] }, 404],
  ["another bank's agent", { party: "second" }, 403],
  ["a bank at a connector's address", { path: "/scheme/inbound/direct-debit" }, 403],
  ["a connector at a bank's address", { party: "clearing" }, 403],
  ["forwarded as another", { party: "second", lines: ["x-forwarded-for: 127.0.0.1", "forwarded: for=127.0.0.1"] }, 403],
];

const groups: Readonly<Record<string, readonly Head[]>> = { methods, paths, versions, hosts, forms, types, encodings, tokens, elsewhere };

export const hostileHeads: readonly HostileCase[] = Object.entries(groups).flatMap(([group, heads]) =>
  heads.map(([id, posting, ...expected]) => ({ id: `${group}: ${id}`, bytes: hostileRequest(posting), expected })),
);
