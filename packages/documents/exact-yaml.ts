// YAML of the documents. Numbers keep their digits, as in `exact-json.ts`.
//
// #1 A value that fits on one line of 160 columns is written in flow style, every other one in block style, so that a
//    changed member is a changed line of its own. Only a list of words fills its lines: codes of countries.

import { isMap, isScalar, isSeq, parseDocument, stringify } from "yaml";
import { parseDocumentJson, type DocumentJson } from "./exact-json.ts";

const columnsMax = 160;
const indent = "  ";

/** Writes a YAML file below a comment that says where it comes from. */
export function writeDocumentYaml(value: DocumentJson, comment: string): string {
  return [`# ${comment}`, ...writeBlock(value, columnsMax), ""].join("\n");
}

export function readDocumentYaml(text: string): DocumentJson {
  const { contents, errors } = parseDocument(text);
  for (const error of errors) throw error;
  return toValue(contents);
}

function toValue(node: unknown): DocumentJson {
  if (isMap(node)) return Object.fromEntries(node.items.map(({ key, value }) => [toName(key), toValue(value)]));
  if (isSeq(node)) return node.items.map(toValue);
  if (!isScalar(node)) throw new Error("a document has maps, lists and scalars only");
  const { value, source } = node;
  if (typeof value === "number") return parseDocumentJson(source ?? String(value));
  if (typeof value === "string" || typeof value === "boolean" || value === null) return value;
  throw new Error("a document has texts, numbers, truth values and null only");
}

function toName(key: unknown): string {
  if (!isScalar(key) || typeof key.value !== "string") throw new Error("a member's name is a text");
  return key.value;
}

// ---- writing

/** Writes the lines of a value without the indentation of its parent. */
function writeLines(value: unknown, columns: number): readonly string[] {
  const flow = writeFlow(value);
  return flow !== null && flow.length <= columns ? [flow] : writeBlock(value, columns);
}

function writeBlock(value: unknown, columns: number): readonly string[] {
  if (typeof value === "string") return writeText(value, columns);
  const inner = columns - indent.length;
  if (Array.isArray(value)) {
    if (value.every((item) => typeof item === "string" && !item.includes(" "))) return ["[", ...fillLines(value, columns), "]"];
    return value.flatMap((item) => {
      const [first = "", ...rest] = writeLines(item, inner);
      return [`- ${first}`, ...rest.map(indentLine)];
    });
  }
  return Object.entries(Object(value)).flatMap(([name, member]) => {
    const key = `${writeScalar(name)}:`;
    const flow = writeFlow(member);
    if (flow !== null && key.length + 1 + flow.length <= columns) return [`${key} ${flow}`];
    const lines = typeof member === "string" ? writeText(member, inner) : writeLines(member, inner);
    const isMarked = typeof member === "string";
    return isMarked ? [`${key} ${lines[0]}`, ...lines.slice(1).map(indentLine)] : [key, ...lines.map(indentLine)];
  });
}

function indentLine(line: string): string {
  return line === "" ? line : `${indent}${line}`;
}

/** Writes a value on one line; null for a text of several lines. */
function writeFlow(value: unknown): string | null {
  if (typeof value !== "object" || value === null || isNumberToken(value)) return writeScalar(value);
  const isList = Array.isArray(value);
  const parts = Object.entries(value).map(([name, member]) => {
    const flow = writeFlow(member);
    return flow === null || isList ? flow : `${writeScalar(name)}: ${flow}`;
  });
  if (parts.includes(null)) return null;
  const [opens, closes] = isList ? ["[", "]"] : ["{ ", " }"];
  return parts.length === 0 ? `${opens}${closes}`.replaceAll(" ", "") : `${opens}${parts.join(", ")}${closes}`;
}

function isNumberToken(value: object): boolean {
  return Reflect.get(JSON, "isRawJSON")(value) === true;
}

const scalars = new Map<unknown, string>();

/** Writes a text, number, truth value or null as in flow style; null for a text of several lines. */
function writeScalar(value: unknown): string | null {
  if (typeof value !== "string") return JSON.stringify(value);
  if (value.includes("\n")) return null;
  // As readers of YAML 1.1 need it: to them `no` is a truth value and 2026-11-20 a date.
  const written =
    scalars.get(value) ?? stringify([value], { collectionStyle: "flow", lineWidth: 0, compat: "yaml-1.1" }).trim().slice(1, -1).trim();
  scalars.set(value, written);
  return written;
}

/** Writes a text of several lines as they are, and a long one folded between its words. */
function writeText(text: string, columns: number): readonly string[] {
  if (/^\s|[^\S\n]\n|\s\s$|[^\S\n]$|\t/.test(text)) return [JSON.stringify(text)];
  if (text.includes("\n")) return [text.endsWith("\n") ? "|" : "|-", ...text.replace(/\n$/, "").split("\n")];
  if (text.includes("  ")) return [JSON.stringify(text)];
  return [">-", ...joinLines(text.split(" "), columns - indent.length)];
}

function fillLines(items: readonly string[], columns: number): readonly string[] {
  return joinLines(
    items.map((item) => `${writeScalar(item)},`),
    columns - indent.length,
  ).map(indentLine);
}

function joinLines(words: readonly string[], columns: number): readonly string[] {
  const lines: string[] = [];
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && last.length + 1 + word.length <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.push(word);
  }
  return lines;
}
