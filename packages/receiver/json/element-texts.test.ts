import * as fc from "fast-check";
import { expect, test } from "vitest";
import { elementTexts } from "./element-texts.ts";

test("elements keep their text: digits, order of members, blanks inside", () => {
  const page = '{"a":["x"],"events": [ {"10":1250.50, "2":[1,{"b":"]"}]} ,{"q":"\\"],[","events":[9]}],"next":null}';
  expect(elementTexts(page, "events")).toEqual(['{"10":1250.50, "2":[1,{"b":"]"}]}', '{"q":"\\"],[","events":[9]}']);
});

test("an empty, missing or wrong list has no elements; of two lists the last counts, as in JSON.parse", () => {
  expect(elementTexts('{"events":[]}', "events")).toEqual([]);
  expect(elementTexts('{"events":{"a":[1]}}', "events")).toEqual([]);
  expect(elementTexts('{"a":"events","b":[1]}', "events")).toEqual([]);
  expect(elementTexts('{"events":[1,2],"events":[3]}', "events")).toEqual(["3"]);
});

test("for any JSON, each element's text is that element", () => {
  fc.assert(
    fc.property(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue()), fc.constantFrom(0, 1), (beside, list, indent) => {
      const page = JSON.stringify({ ...beside, events: list }, null, indent);
      expect(elementTexts(page, "events").map((text): unknown => JSON.parse(text))).toEqual(JSON.parse(JSON.stringify(list)));
    }),
  );
});
