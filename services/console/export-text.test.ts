// What leaves as CSV and XML is well-formed and harmless, whatever stands in it.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { csvLine } from "./csv-text.ts";
import { parseXml } from "./given-pacs002.ts";
import { maskedText } from "./reconciliation-csv.ts";
import { element, xmlText } from "./xml-text.ts";

/** RFC 4180. */
function parseCsv(text: string): readonly (readonly string[])[] {
  const lines: string[][] = [[]];
  let rest = text;
  while (rest !== "") {
    const quoted = /^"((?:[^"]|"")*)"/.exec(rest);
    const [whole = "", field = ""] = quoted ?? /^([^",\r\n]*)/.exec(rest) ?? [];
    lines.at(-1)?.push(quoted === null ? field : field.replaceAll('""', '"'));
    rest = rest.slice(whole.length);
    if (rest.startsWith(",")) rest = rest.slice(1);
    else if (rest.startsWith("\r\n")) {
      rest = rest.slice(2);
      if (rest !== "") lines.push([]);
    } else throw new Error(`not RFC 4180 at ${rest.slice(0, 20)}`);
  }
  return lines;
}

test("any fields come back from CSV as they were, but for the apostrophe before a formula", () => {
  fc.assert(
    fc.property(fc.array(fc.string({ unit: "binary" }), { minLength: 1, maxLength: 6 }), (fields) => {
      const [read = []] = parseCsv(csvLine(fields));
      expect(read.map((field, index) => (field === `'${fields[index] ?? ""}` ? (fields[index] ?? "") : field))).toEqual(fields);
    }),
  );
});

test.each(["=1+1", "+27 11", "-2", "@SUM(A1)", "\t=1", "\r\n=1", " =HYPERLINK(1)", "\u00a0=1", "\u200b=cmd", "＝1+1"])(
  "%j computes nothing in a spreadsheet",
  (field) => {
    const [[read = ""] = []] = parseCsv(csvLine([field]));
    expect(read).toBe(`'${field}`);
  },
);

test("numbers, dates, amounts and identifications stand as they are", () => {
  expect(csvLine(["2026-11-20", "1250.50", 8, true, null, "7d5fb0b2-61a5"])).toBe("2026-11-20,1250.50,8,true,,7d5fb0b2-61a5\r\n");
});

test("any text is well-formed XML, and comes back where XML can carry it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (content, attribute) => {
      const parsed = parseXml(xmlText(element("A", content, { b: attribute })));
      expect(parsed.text.length).toBe(content.length);
    }),
  );
  expect(parseXml(xmlText(element("A", `<&>"'\u0000\ud800`))).text).toBe(`<&>"'\uFFFD\uFFFD`);
});

test("a longer number in what people wrote keeps its last four digits alone", () => {
  expect(maskedText("account 1234567890, branch 250-655, row 8 on 12")).toBe("account ******7890, branch **0655, row 8 on 12");
});
