import * as fc from "fast-check";
import { expect, test } from "vitest";
import { elementTexts } from "./element-texts.ts";

test("elements are given as they are written: digits, order of members, blanks within", () => {
  const page = '{"a":["x"],"events": [ {"10":1250.50, "2":[1,{"b":"]"}]} ,{"q":"\\"],[","events":[9]}],"next":null}';
  expect(elementTexts(page, "events")).toEqual(['{"10":1250.50, "2":[1,{"b":"]"}]}', '{"q":"\\"],[","events":[9]}']);
});

test("a list that is empty, not there, or no list has none; of two the last counts, as for JSON.parse", () => {
  expect(elementTexts('{"events":[]}', "events")).toEqual([]);
  expect(elementTexts('{"events":{"a":[1]}}', "events")).toEqual([]);
  expect(elementTexts('{"a":"events","b":[1]}', "events")).toEqual([]);
  expect(elementTexts('{"events":[1,2],"events":[3]}', "events")).toEqual(["3"]);
});

test("of any JSON each element's text is the element", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()), fc.constantFrom(0, 1), (beside, list, indent) => {
      const page = JSON.stringify({ ...beside, events: list }, null, indent);
      expect(elementTexts(page, "events").map((text): unknown => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(list)));
    }),
  );
});
