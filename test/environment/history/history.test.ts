import { describe, expect, it } from "vitest";
import { machineTime } from "@sluice/kernel";
import { readOnceQuiet } from "./history.ts";

describe("a history of a run", () => {
  it("is read again where a request came while it was read", async () => {
    const requests = ["first"];
    const coming = ["second"];
    const read = (): Promise<readonly string[]> => {
      const listed = [...requests];
      requests.push(...coming.splice(0));
      return Promise.resolve(listed);
    };
    expect(await readOnceQuiet(machineTime, () => Promise.resolve(String(requests.length)), read)).toEqual(["first", "second"]);
  });
});
