// CSV and XML that leave the console are well-formed and harmless, whatever their content is.

import * as fc from "fast-check";
import { expect, test } from "vitest";
import { csvLine } from "./csv-text.ts";
import { parseXml } from "./pacs002.fixture.ts";
import { maskNumbers } from "@sluice/kernel";
import { xmlElement, renderXml } from "./xml-text.ts";

/** Parses CSV strictly by RFC 4180. */
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

test("any fields survive a round trip through CSV, except for the apostrophe before a formula", () => {
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

test("numbers, dates, amounts and identifications are written unchanged", () => {
  expect(csvLine(["2026-11-20", "1250.50", 8, true, null, "7d5fb0b2-61a5"])).toBe("2026-11-20,1250.50,8,true,,7d5fb0b2-61a5\r\n");
});

test("any text becomes well-formed XML, and survives if XML can carry it", () => {
  fc.assert(
    fc.property(fc.string({ unit: "binary" }), fc.string({ unit: "grapheme" }), (content, attribute) => {
      const parsed = parseXml(renderXml(xmlElement("A", content, { b: attribute })));
      expect(parsed.text.length).toBe(content.length);
    }),
  );
  expect(parseXml(renderXml(xmlElement("A", `<&>"'\u0000\ud800`))).text).toBe(`<&>"'\uFFFD\uFFFD`);
});

test.each([
  ["account 1234567890, branch 250-655, row 8 on 12", "account …7890, branch …0655, row 8 on 12"],
  ["6200.5551.230", "…1230"],
  ["6200/5551/230", "…1230"],
  ["6200  5551  230", "…1230"],
  ["６２００５５５１２３０", "…１２３０"],
  ["GB33BUKB20201555555555 of the payer", "…5555 of the payer"],
])("%s is masked as %s in the text of people", (text, masked) => {
  expect(maskNumbers(text)).toBe(masked);
});
