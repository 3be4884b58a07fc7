import { describe, expect, it } from "vitest";
import { readDemoOptions } from "./options.ts";

describe("the demo's arguments", () => {
  it("have defaults", () => {
    expect(readDemoOptions([])).toEqual({
      ok: true,
      options: { isJson: false, kill: null, debits: 200, isKept: false, isInMemory: false, isSecured: false, isStaying: false },
    });
  });

  it("set the options", () => {
    const options = {
      isJson: true,
      kill: "event-publisher",
      debits: 20,
      isKept: true,
      isInMemory: false,
      isSecured: false,
      isStaying: false,
    };
    expect(readDemoOptions(["--json", "--kill", "event-publisher", "--debits=20", "--keep"])).toEqual({ ok: true, options });
  });

  it("choose one process over memory, where no service can be killed", () => {
    expect(readDemoOptions(["--in-memory", "--stay"])).toMatchObject({ ok: true, options: { isInMemory: true, isStaying: true } });
    expect(readDemoOptions(["--in-memory", "--kill", "scheduler"])).toEqual({ ok: false, problem: expect.stringContaining("--in-memory") });
  });

  it("that are wrong are refused with the values that are right", () => {
    for (const [args, text] of [
      [["--kill", "kafka"], "one of ingress, validator"],
      [["--debits", "0"], "from 1 to 5000"],
      [["--debits", "many"], "from 1 to 5000"],
      [["--loud"], "--loud"],
      [["extra"], "extra"],
    ] as const) {
      expect(readDemoOptions(args)).toEqual({ ok: false, problem: expect.stringContaining(text) });
    }
  });
});
