// Test fixture: a valid message with one mistake in it, as the bytes of a body. Its reader refuses every one of them,
// with the status in `status`.

import * as fc from "fast-check";
import { encodeJson, changeMember, sortedJsonText, jsonNumber } from "../json/json.fixture.ts";
import { isJsonObject, type Json, type PathPart } from "../json/json.ts";

export interface RefusedMessage {
  /** The mistake, for people. */
  readonly mistake: string;
  readonly status: 400 | 422;
  readonly bytes: Uint8Array;
  /** Whether the body is JSON, so that a JSON Schema can be checked against it. */
  readonly isJson: boolean;
}

type Path = readonly PathPart[];
interface Place {
  readonly path: Path;
  readonly value: Json;
}

interface Mistake {
  readonly mistake: string;
  readonly status?: 422;
  /** Tells whether the mistake can be made at this place. */
  readonly at: (place: Place) => boolean;
  /** The value that replaces the original; undefined leaves the member out. */
  readonly instead: (value: Json) => Json | undefined;
}

const isText = ({ value }: Place): boolean => typeof value === "string";
const isUnder = (name: string) => (place: Place) => place.path.at(-1) === name;
const isAmountValue = ({ path, value }: Place): boolean => path.at(-1) === "value" && typeof value === "symbol";
const withMember = (name: string, member: Json) => (value: Json) => ({ ...(isJsonObject(value) ? value : {}), [name]: member });

const mistakes: readonly Mistake[] = [
  { mistake: "true instead of a value", at: () => true, instead: () => true },
  { mistake: "null instead of a value", at: () => true, instead: () => null },
  { mistake: "a list in a list instead of a value", at: () => true, instead: () => [[]] },
  { mistake: "a text that is too long", at: isText, instead: () => "x".repeat(2049) },
  { mistake: "a control character", at: isText, instead: () => "a\u0007b" },
  { mistake: "an unknown member", at: isClosedObject, instead: withMember("unknownMember", "x") },
  { mistake: "an identifier with a blank at its end", at: isUnder("messageIdentification"), instead: () => "a " },
  { mistake: "an identifier that is empty", at: isUnder("endToEndIdentification"), instead: () => "" },
  { mistake: "an identifier that is not ASCII", at: isUnder("messageIdentification"), instead: () => "é" },
  { mistake: "a UETR that is none", at: isUnder("uetr"), instead: () => "6f4b2f0e-6f0a-4d52-9a57-1f0f5d0c2b1g" },
  { mistake: "a time without an offset", at: isUnder("creationDateTime"), instead: () => "2026-11-20T05:12:03" },
  { mistake: "a date that does not exist", at: isUnder("businessDate"), instead: () => "2026-02-30" },
  { mistake: "a month that does not exist", at: isUnder("settlementDate"), instead: () => "2026-13-01" },
  { mistake: "an amount that is a text", at: isAmountValue, instead: () => "1.00" },
  { mistake: "an amount that is negative", at: isAmountValue, instead: () => jsonNumber("-1") },
  { mistake: "an amount of 19 digits", at: isAmountValue, instead: () => jsonNumber("1234567890123456789") },
  { mistake: "a currency in small letters", at: isUnder("currency"), instead: () => "zar" },
  { mistake: "a country that is none", at: isUnder("country"), instead: () => "ZZ" },
  { mistake: "a schema that is another's", at: ({ path }) => path.length === 1 && path[0] === "schema", instead: () => "Unknown" },
  { mistake: "an amount with five digits after the point", status: 422, at: isAmountValue, instead: () => jsonNumber("1.00001") },
  { mistake: "a currency that is not active", status: 422, at: isUnder("currency"), instead: () => "ZZZ" },
  { mistake: "another scheme", status: 422, at: isScheme, instead: () => "ZA_XYZ" },
];

/** Draws a message of `good` with one mistake. `required` lists the members that the message must have. */
export function anyRefused(good: fc.Arbitrary<Json>, required: readonly string[]): fc.Arbitrary<RefusedMessage> {
  const inJson = fc.tuple(good, fc.nat(), fc.nat()).map(([json, which, where]): RefusedMessage => {
    const places = listPlaces(json, []);
    const possible = mistakes.filter(({ at }) => places.some(at));
    const mistake = possible[which % possible.length];
    const found = places.filter((place) => mistake?.at(place) === true);
    const place = found[where % found.length];
    if (mistake === undefined || place === undefined) throw new Error("every message has a place for some mistake");
    const wrong = changeMember(json, place.path, mistake.instead(place.value));
    return {
      mistake: `${mistake.mistake} at /${place.path.join("/")}`,
      status: mistake.status ?? 400,
      bytes: encodeJson(wrong),
      isJson: true,
    };
  });
  const missing = fc.tuple(good, fc.constantFrom(...required)).map(([json, name]): RefusedMessage => {
    return { mistake: `without ${name}`, status: 400, bytes: encodeJson(changeMember(json, [name], undefined)), isJson: true };
  });
  return fc.oneof({ weight: 6, arbitrary: inJson }, { weight: 2, arbitrary: missing }, { weight: 2, arbitrary: anyBroken(good) });
}

/** Draws a body that is not readable JSON. */
function anyBroken(good: fc.Arbitrary<Json>): fc.Arbitrary<RefusedMessage> {
  const breaks: readonly (readonly [string, (text: string) => string])[] = [
    ["cut in the middle", (text) => text.slice(0, Math.floor(text.length / 2))],
    ["cut by its last character", (text) => text.slice(0, -1)],
    ["followed by more", (text) => `${text}{}`],
    ["a byte order mark before it", (text) => `\ufeff${text}`],
    ["in a list", (text) => `[${text}]`],
    ["a member given twice", (text) => text.replace(/^\{("[^"]+":)/, '{$1"x",$1')],
    ["__proto__ as a member", (text) => text.replace(/^\{/, '{"__proto__":{},')],
    ["a number with an exponent", (text) => text.replace(/^\{/, '{"supplementaryDate":1e3,')],
    ["half of a surrogate pair", (text) => text.replace(/^\{/, '{"supplementaryDate":"\\ud800",')],
    ["33 levels", (text) => text.replace(/^\{/, `{"supplementaryDate":${"[".repeat(33)}${"]".repeat(33)},`)],
    ["nothing", () => ""],
  ];
  return fc.tuple(good, fc.constantFrom(...breaks)).map(([json, [mistake, broken]]): RefusedMessage => {
    return { mistake, status: 400, bytes: new TextEncoder().encode(broken(sortedJsonText(json))), isJson: false };
  });
}

/** Lists every value inside a message. The pairs of supplementaryData have free names, so they are left out. */
function listPlaces(json: Json, path: Path): readonly Place[] {
  const inner: readonly (readonly [PathPart, Json])[] = Array.isArray(json)
    ? [...json.entries()]
    : isJsonObject(json)
      ? Object.entries(json)
      : [];
  return inner.flatMap(([part, value]) => [{ path: [...path, part], value }, ...listPlaces(value, [...path, part])]);
}

function isClosedObject({ path, value }: Place): boolean {
  return isJsonObject(value) && !path.includes("supplementaryData");
}

function isScheme({ path }: Place): boolean {
  const [first, second] = path;
  return (path.length === 2 && first === "paymentScheme" && second === "schema") || (path.length === 1 && first === "scheme");
}
