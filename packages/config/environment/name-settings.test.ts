import { expect, test } from "vitest";
import { readEnvironment } from "./environment.ts";

const read = (SLUICE_NAME_SERVERS?: string) => readEnvironment({ SLUICE_NAME_SERVERS }, ["SLUICE_NAME_SERVERS"]).SLUICE_NAME_SERVERS;

test("name servers are addresses with or without a port; without them nothing is set", () => {
  expect(read()).toBeNull();
  expect(read("")).toBeNull();
  expect(read("10.0.0.2, 10.0.0.3:5353,[fd00::2]:5353")).toEqual(["10.0.0.2", "10.0.0.3:5353", "[fd00::2]:5353"]);
  expect(read("fd00::2")).toEqual(["fd00::2"]);
});

test.each(["ns.test", "10.0.0.2:0", "10.0.0.2:70000", "[10.0.0.2]:53", "fd00::2:", "10.0.0.1,10.0.0.2,10.0.0.3,10.0.0.4"])(
  "no name server: %s",
  (text) => {
    expect(() => read(text)).toThrow("SLUICE_NAME_SERVERS: must be at most 3 IP addresses, each with or without a port");
  },
);
