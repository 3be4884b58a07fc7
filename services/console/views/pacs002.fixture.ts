// For tests: the structure of pacs.002.001.10 from the ISO 20022 catalogue, as far as an export uses it, and a strict
// reader of XML.
//
// #1 Each element lists its children in order, how often each may occur, and what a text must be. Anything else is an
//    error.

import { pacs002Namespace } from "./reconciliation-pacs002.ts";

interface ParsedElement {
  readonly name: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: ParsedElement[];
  text: string;
}

type Text = (text: string) => boolean;
/** Children in order: name, least and most occurrences, shape. */
type Shape = Text | readonly (readonly [name: string, least: number, most: number, shape: Shape])[];

const upTo =
  (charactersMax: number): Text =>
  (text) =>
    text.length > 0 && Array.from(text).length <= charactersMax;
const matches =
  (form: RegExp): Text =>
  (text) =>
    form.test(text);
const dateTime = matches(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)?$/);
const many = 1_000_000;

const reason: Shape = [
  ["Rsn", 0, 1, [["Cd", 1, 1, matches(/^.{1,4}$/)]]],
  ["AddtlInf", 0, many, upTo(105)],
];

const transaction: Shape = [
  ["StsId", 0, 1, upTo(35)],
  [
    "OrgnlGrpInf",
    0,
    1,
    [
      ["OrgnlMsgId", 1, 1, upTo(35)],
      ["OrgnlMsgNmId", 1, 1, upTo(35)],
      ["OrgnlCreDtTm", 0, 1, dateTime],
    ],
  ],
  ["OrgnlInstrId", 0, 1, upTo(35)],
  ["OrgnlEndToEndId", 0, 1, upTo(35)],
  ["OrgnlTxId", 0, 1, upTo(35)],
  ["OrgnlUETR", 0, 1, matches(/^[a-f0-9]{8}-[a-f0-9]{4}-4[a-f0-9]{3}-[89ab][a-f0-9]{3}-[a-f0-9]{12}$/)],
  ["TxSts", 0, 1, matches(/^.{1,4}$/)],
  ["StsRsnInf", 0, many, reason],
  ["AccptncDtTm", 0, 1, dateTime],
  [
    "OrgnlTxRef",
    0,
    1,
    [
      ["IntrBkSttlmAmt", 0, 1, matches(/^(?=[\d.]{1,19}$)\d{1,18}(\.\d{1,5})?$/)],
      ["IntrBkSttlmDt", 0, 1, matches(/^\d{4}-\d\d-\d\d$/)],
    ],
  ],
];

const document: Shape = [
  [
    "FIToFIPmtStsRpt",
    1,
    1,
    [
      [
        "GrpHdr",
        1,
        1,
        [
          ["MsgId", 1, 1, upTo(35)],
          ["CreDtTm", 1, 1, dateTime],
        ],
      ],
      ["TxInfAndSts", 0, many, transaction],
    ],
  ],
];

/** Lists everything that is wrong with a document, by path; an empty list means that it is valid. */
export function findPacs002Problems(xml: string): readonly string[] {
  const root = parseXml(xml);
  if (root.name !== "Document" || root.attributes["xmlns"] !== pacs002Namespace) return ["the root is another"];
  const amounts = findXmlElements(root, "IntrBkSttlmAmt").filter(({ attributes }) => !/^[A-Z]{3}$/.test(attributes["Ccy"] ?? ""));
  return [...findProblems(root, document, root.name), ...amounts.map(() => "IntrBkSttlmAmt: no currency")];
}

function findProblems({ children, text }: ParsedElement, shape: Shape, path: string): readonly string[] {
  if (typeof shape === "function") return children.length === 0 && shape(text) ? [] : [`${path}: ${text}`];
  const problems = text.trim() === "" ? [] : [`${path}: text between elements`];
  let index = 0;
  for (const [name, least, most, inner] of shape) {
    let count = 0;
    for (let child = children[index]; child?.name === name; child = children[index]) {
      problems.push(...findProblems(child, inner, `${path}/${name}`));
      index += 1;
      count += 1;
    }
    if (count < least || count > most) problems.push(`${path}/${name}: ${count} times`);
  }
  const rest = children[index];
  return rest === undefined ? problems : [...problems, `${path}: ${rest.name} is not allowed here`];
}

export function findXmlElements(root: ParsedElement, name: string): readonly ParsedElement[] {
  return root.children.flatMap((child) => [...(child.name === name ? [child] : []), ...findXmlElements(child, name)]);
}

/**
 * Parses XML; throws if it is not well-formed. Only elements, attributes, text and the references in use are accepted.
 */
export function parseXml(xml: string): ParsedElement {
  const declaration = /^<\?xml version="1\.0" encoding="UTF-8"\?>\s*/.exec(xml)?.[0] ?? "";
  const body = xml.slice(declaration.length).trim();
  const root: ParsedElement = { name: "", attributes: {}, children: [], text: "" };
  const open = [root];
  let at = 0;
  for (const found of body.matchAll(/<(\/?)([A-Za-z][\w.]*)((?:\s+[\w:]+="[^"<]*")*)\s*>|([^<]+)/g)) {
    const [all, closing, name = "", attributes = "", text] = found;
    const current = open.at(-1);
    if (found.index !== at || current === undefined) throw new Error(`not well-formed at ${at}`);
    at += all.length;
    if (text !== undefined) {
      current.text += unescapeXml(text);
    } else if (closing === "/") {
      if (current.name !== name) throw new Error(`${current.name} is closed as ${name}`);
      open.pop();
    } else {
      const child: ParsedElement = { name, attributes: parseAttributes(attributes), children: [], text: "" };
      current.children.push(child);
      open.push(child);
    }
  }
  const [only] = root.children;
  if (at !== body.length || open.length !== 1 || only === undefined || root.children.length !== 1) throw new Error("not one element");
  return only;
}

function parseAttributes(text: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...text.matchAll(/([\w:]+)="([^"]*)"/g)].map(([, name = "", value = ""]) => [name, unescapeXml(value)]));
}

const references: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", "#13": "\r" };

function unescapeXml(text: string): string {
  if (/[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u.test(text)) throw new Error("a character that XML does not carry");
  return text.replaceAll(/&([^;]*);?/g, (whole, name: string) => {
    const sign = references[name];
    if (sign === undefined || !whole.endsWith(";")) throw new Error(`no such reference: ${whole}`);
    return sign;
  });
}
