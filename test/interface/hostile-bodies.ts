// Hostile cases with a valid head and a body that is not a message.

import { hostileRequest, goodDebitText, hostileMessages, type HostileCase } from "./hostile-case.ts";

type Broken = readonly [id: string, body: string | Uint8Array, status?: number, detail?: string];

const bytes = (...codes: readonly number[]): Buffer => Buffer.from(codes);
const around = (middle: Buffer): Buffer => Buffer.concat([Buffer.from('{"schema":"'), middle, Buffer.from('"}')]);
const withMember = (member: string): string => goodDebitText.replace(/^\{/, `{${member},`);
const nested = (levels: number, [open, close]: readonly [string, string]): string => open.repeat(levels) + close.repeat(levels);

/** Bodies that are not JSON, whatever the message is. */
const syntax: readonly Broken[] = [
  ["empty", ""],
  ["blank", "  \t\r\n "],
  ["open-brace", "{"],
  ["close-brace", "}"],
  ["brace-bracket", "{]"],
  ["no-value", '{"schema":}'],
  ["no-colon", '{"schema" "DirectDebit"}'],
  ["trailing-comma", goodDebitText.replace(/\}$/, ",}")],
  ["leading-comma", goodDebitText.replace(/^\{/, "{,")],
  ["two-commas", withMember('"a":1,')],
  ["single-quotes", "{'schema':'DirectDebit'}"],
  ["bare-name", '{schema:"DirectDebit"}'],
  ["line-comment", `// a comment\n${goodDebitText}`],
  ["block-comment", withMember("/* a comment */")],
  ["something-follows", `${goodDebitText}x`],
  ["two-values", `${goodDebitText}${goodDebitText}`],
  ["cut", goodDebitText.slice(0, -1)],
  ["cut-in-string", goodDebitText.slice(0, 20)],
  ["undefined", withMember('"a":undefined')],
  ["capital-word", withMember('"a":True')],
  ["word-cut", withMember('"a":nul')],
  ["word-and-more", withMember('"a":nullx')],
  ["form-feed", `\f${goodDebitText}`],
  ["no-break-space", `\u00a0${goodDebitText}`],
  ["null-value", "null"],
  ["true-value", "true"],
  ["number-value", "1"],
  ["string-value", '"DirectDebit"'],
  ["array-value", "[]"],
  ["array-of-message", `[${goodDebitText}]`],
  ["xml", '<?xml version="1.0"?><!DOCTYPE a [<!ENTITY b SYSTEM "file:///etc/passwd">]><a>&b;</a>'],
  ["form", "schema=DirectDebit&amount=1"],
  ["nul-byte", `${goodDebitText}\0`],
];

const numbers: readonly Broken[] = [
  "1e3 1E3 1e-3 1.5e3 1e309 -1e400 01 -01 00 +1 1. .5 -.5 - -- 0x10 0o7 0b1 1_000 1n NaN Infinity -Infinity 1.2.3 1,5 ٣ １"
    .split(" ")
    .map((number): Broken => [`number ${number}`, goodDebitText.replace(/"value":[0-9.]+/, `"value":${number}`)]),
  [
    ["-1", 400],
    ["-0.01", 400],
    ["1234567890123456789", 400],
    ["9".repeat(400), 400],
    [`0.${"0".repeat(400)}1`, 400],
    ['"1250.50"', 400],
    ["true", 400],
    ["null", 400],
    ["[]", 400],
    ["{}", 400],
    ["1.234", 422],
    ["0.001", 422],
  ].map(([value, status]): Broken => [
    `amount ${String(value).slice(0, 20)}`,
    goodDebitText.replace(/"value":[0-9.]+/, `"value":${value}`),
    Number(status),
  ]),
].flat();

const names: readonly Broken[] = [
  ["twice", goodDebitText.replace(/^\{("schema":"DirectDebit")/, "{$1,$1"), 400, "given twice"],
  ["twice-escaped", withMember(String.raw`"\u0073chema":"DirectDebit"`), 400, "given twice"],
  ["twice-nested", goodDebitText.replace(/"legalName":("[^"]*")/, '"legalName":$1,"legalName":$1'), 400, "given twice"],
  ["twice-in-pairs", withMember('"supplementaryData":{"a":"1","a":"2"}'), 400, "given twice"],
  ["proto", withMember('"__proto__":{"isAdmin":true}'), 400, "not allowed"],
  ["proto-escaped", withMember(String.raw`"__pr\u006fto__":{}`), 400, "not allowed"],
  ["proto-nested", goodDebitText.replace('"creditor":{', '"creditor":{"__proto__":{"legalName":"x"},'), 400, "not allowed"],
  ["proto-in-pairs", withMember('"supplementaryData":{"__proto__":"x"}'), 400, "not allowed"],
  ...[
    "constructor",
    "prototype",
    "toString",
    "hasOwnProperty",
    "valueOf",
    "__defineGetter__",
    "then",
    "toJSON",
    "",
    " ",
    "schemA",
    "$ref",
  ].map((name): Broken => [`member ${JSON.stringify(name)}`, withMember(`${JSON.stringify(name)}:{"prototype":{}}`), 400, "not known"]),
  ["constructor-nested", goodDebitText.replace('"creditor":{', '"creditor":{"constructor":{"prototype":{"x":1}},'), 400, "not known"],
];

const controls = Array.from({ length: 32 }, (_, code) => code).concat(0x7f, 0x80, 0x85, 0x9f);
const characters: readonly Broken[] = [
  ...controls.map((code): Broken => {
    const character = String.fromCharCode(code);
    return [`raw U+${code.toString(16).padStart(4, "0")}`, goodDebitText.replace("Karoo", `Ka${character}roo`)];
  }),
  ...[0x00, 0x08, 0x0a, 0x1f, 0x7f, 0x9b].map((code): Broken => {
    const escape = `\\u${code.toString(16).padStart(4, "0")}`;
    return [`escaped ${escape}`, goodDebitText.replace("Karoo", `Ka${escape}roo`)];
  }),
  ...[
    String.raw`\ud800`,
    String.raw`\udc00`,
    String.raw`\udc00\ud800`,
    String.raw`\ud800\ud800`,
    String.raw`\uD83Dx`,
    String.raw`\ud83d\n`,
  ].map((escape): Broken => [`surrogate ${escape}`, goodDebitText.replace("Karoo", escape)]),
  ...[
    String.raw`\x41`,
    String.raw`\u12`,
    String.raw`\u{41}`,
    String.raw`\'`,
    String.raw`\a`,
    String.raw`\u00g0`,
    "\\\n",
    String.raw`\0`,
    String.raw`\U0041`,
  ].map((escape): Broken => [`escape ${JSON.stringify(escape)}`, goodDebitText.replace("Karoo", escape)]),
  ["string-without-end", goodDebitText.replace('Karoo Insurance Ltd"', "Karoo")],
  ["string-ends-escaped", String.raw`{"schema":"\"}`],
];

const encodings: readonly Broken[] = [
  ["bom", `\ufeff${goodDebitText}`],
  ["bom-at-end", `${goodDebitText}\ufeff`],
  ["utf-16-le", Buffer.from(goodDebitText, "utf16le")],
  ["utf-16-le-bom", Buffer.from(`\ufeff${goodDebitText}`, "utf16le")],
  ["utf-16-be", Buffer.from(goodDebitText, "utf16le").swap16()],
  ["utf-16-be-bom", Buffer.from(`\ufeff${goodDebitText}`, "utf16le").swap16()],
  ["utf-32-le", Buffer.from(Array.from(goodDebitText, (character) => [character.charCodeAt(0), 0, 0, 0]).flat())],
  ["utf-7", goodDebitText.replace("{", "+AHs-")],
  ["latin-1", around(bytes(0xe9))],
  ["overlong-nul", around(bytes(0xc0, 0x80))],
  ["overlong-2", around(bytes(0xc1, 0xbf))],
  ["overlong-3", around(bytes(0xe0, 0x80, 0xaf))],
  ["overlong-4", around(bytes(0xf0, 0x80, 0x80, 0xaf))],
  ["overlong-5", around(bytes(0xf8, 0x88, 0x80, 0x80, 0x80))],
  ["overlong-quote", Buffer.concat([Buffer.from('{"schema":'), bytes(0xc0, 0xa2), Buffer.from("}")])],
  ["cesu-surrogates", around(bytes(0xed, 0xa0, 0xbd, 0xed, 0xb8, 0x80))],
  ["half-surrogate", around(bytes(0xed, 0xa0, 0x80))],
  ["beyond-unicode", around(bytes(0xf4, 0x90, 0x80, 0x80))],
  ["lone-continuation", around(bytes(0x80))],
  ["sequence-cut", around(bytes(0xe2, 0x82))],
  ["sequence-cut-at-end", Buffer.concat([Buffer.from(goodDebitText), bytes(0xf0, 0x9f)])],
  ["fe-ff", bytes(0xfe, 0xff)],
  ["only-ff", Buffer.alloc(1_000, 0xff)],
  ["only-nul", Buffer.alloc(1_000)],
];

const depths: readonly Broken[] = [
  ["depth-32-arrays", withMember(`"a":${nested(31, ["[", "]"])}`), 400, "not known"],
  ["depth-33-arrays", withMember(`"a":${nested(32, ["[", "]"])}`), 400, "more than 32 levels"],
  ["depth-32-objects", withMember(`"a":${nested(31, ['{"a":', "}"]).replace(":}", ":1}")}`), 400, "not known"],
  ["depth-33-objects", withMember(`"a":${nested(32, ['{"a":', "}"]).replace(":}", ":1}")}`), 400, "more than 32 levels"],
  ["depth-100000-arrays", nested(100_000, ["[", "]"]), 400, "more than 32 levels"],
  ["depth-100000-open", "[".repeat(200_000), 400, "more than 32 levels"],
  ["depth-20000-objects", nested(20_000, ['{"a":', "}"]), 400, "more than 32 levels"],
  ["100000-members", `{${Array.from({ length: 20_000 }, (_, number) => `"m${number}":1`).join(",")}}`],
  ["100000-items", withMember(`"intermediaryAgents":[${"1,".repeat(100_000)}1]`)],
  ["backslashes", `{"a":"${"\\".repeat(200_000)}`],
  ["quotes", '"'.repeat(200_000)],
  ["long-name", withMember(`"${"x".repeat(100_000)}":1`), 400, "/*"],
  ["long-number", withMember(`"a":${"1".repeat(200_000)}`)],
];

const sizes: readonly Broken[] = [
  ["one-byte-too-long", goodDebitText.padEnd(262_145), 413],
  ["twice-too-long", goodDebitText.padEnd(524_288), 413],
];

const parts: Readonly<Record<string, readonly Broken[]>> = { syntax, numbers, names, characters, encodings, depths, sizes };

/** Sizes that the message format limits: at the limit (202) and one above. */
export const limitCases: readonly { readonly id: string; readonly body: (size: number) => string; readonly most: number }[] = [
  { id: "body-bytes", most: 262_144, body: (size) => goodDebitText.padEnd(size) },
  { id: "identifier", most: 35, body: (size) => goodDebitText.replace("ACME-20261120-000001", "M".repeat(size)) },
  { id: "end-to-end", most: 35, body: (size) => goodDebitText.replace("INV-88123", "E".repeat(size)) },
  { id: "legal-name", most: 140, body: (size) => goodDebitText.replace("Karoo Insurance Ltd", "n".repeat(size)) },
  { id: "legal-name-code-points", most: 140, body: (size) => goodDebitText.replace("Karoo Insurance Ltd", "😀".repeat(size)) },
  { id: "user-reference", most: 30, body: (size) => goodDebitText.replace("KAROOINS  POLICY 88123", "R".repeat(size)) },
  { id: "pairs", most: 50, body: (size) => withMember(`"supplementaryData":{${list(size, (number) => `"k${number}":"v"`)}}`) },
  { id: "pair-name", most: 70, body: (size) => withMember(`"supplementaryData":{"${"k".repeat(size)}":"v"}`) },
  { id: "pair-value", most: 1_000, body: (size) => withMember(`"supplementaryData":{"k":"${"v".repeat(size)}"}`) },
  { id: "agents", most: 3, body: (size) => withMember(`"intermediaryAgents":[${list(size, () => '{"memberId":"1"}')}]`) },
  { id: "remittance", most: 140, body: (size) => withMember(`"remittanceInformation":{"unstructured":["${"u".repeat(size)}"]}`) },
  {
    id: "address-lines",
    most: 7,
    body: (size) => goodDebitText.replace('"creditor":{', `"creditor":{"address":{"addressLine":[${list(size, () => '"a"')}]},`),
  },
  { id: "digits", most: 16, body: (size) => goodDebitText.replace(/"value":[0-9.]+/g, `"value":${"9".repeat(size)}.99`) },
  { id: "minor-units", most: 2, body: (size) => goodDebitText.replace(/"value":[0-9.]+/g, `"value":1.${"1".repeat(size)}`) },
];

function list(count: number, item: (number: number) => string): string {
  return Array.from({ length: count }, (_, number) => item(number)).join(",");
}

/** Broken bodies that every message gets. */
const everywhere: readonly Broken[] = [
  ["empty", ""],
  ["array", "[]"],
  ["utf-16", Buffer.from("{}", "utf16le")],
  ["proto", '{"__proto__":{}}', 400, "not allowed"],
  ["deep", nested(33, ["[", "]"]), 400, "more than 32 levels"],
  ["no-members", "{}"],
];

export const hostileBodies: readonly HostileCase[] = [
  ...Object.entries(parts).flatMap(([part, all]) => all.map((one) => bodyCase(`${part}: `, one, {}))),
  ...hostileMessages.flatMap(({ name, path, party, body }) => [
    ...everywhere.map((one) => bodyCase(`${name}: `, one, { path, party })),
    bodyCase(`${name}: `, ["unknown-member", body.replace(/^\{/, '{"surprise":1,'), 400, "not known"], { path, party }),
    bodyCase(`${name}: `, ["twice", `{"schema":1,"schema":1}`, 400, "given twice"], { path, party }),
    bodyCase(`${name}: `, ["too-long", body.padEnd(262_145), 413], { path, party }),
  ]),
];

function bodyCase(
  prefix: string,
  [id, body, status = 400, detail]: Broken,
  where: { readonly path?: string; readonly party?: string },
): HostileCase {
  return {
    id: `${prefix}${id}`,
    bytes: hostileRequest({ ...where, body }),
    expected: [status],
    ...(detail === undefined ? {} : { detail }),
  };
}
