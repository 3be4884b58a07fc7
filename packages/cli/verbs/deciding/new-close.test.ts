import { expect, test } from "vitest";
import type { ControlClient } from "../../terminal/control-client.ts";
import { parseNewClose } from "./new-close.ts";

const windows = {
  rows: [
    {
      windows: [
        { number: 1, closes: "2026-11-20T08:00:00.000Z" },
        { number: 2, closes: "2026-11-20T14:00:00.000Z" },
      ],
      reconciliation: { closes: "2026-11-20T15:30:00.000Z" },
    },
  ],
};

async function parse(options: Readonly<Record<string, string>>, number: number) {
  const unused = (): never => {
    throw new Error("it is not asked for");
  };
  const client: ControlClient = { get: () => Promise.resolve(windows), post: unused, text: unused };
  return await parseNewClose({ value: (name: string) => options[name] ?? null }, "ZA_EFT:2026-11-20", number, client);
}

test.each([
  [{ by: "30m" }, 2, "2026-11-20T14:30:00Z"],
  [{ by: "90s" }, 1, "2026-11-20T08:01:30Z"],
  [{ by: "1h" }, 0, "2026-11-20T16:30:00Z"],
  [{ "closes-at": "2026-11-20T16:30:00+02:00" }, 1, "2026-11-20T16:30:00+02:00"],
])("%j of window %i is %s: counted from the close that is in force", async (options, number, expected) => {
  expect(await parse(options, number)).toBe(expected);
});

test.each([
  [{}, 1, "--closes-at or --by"],
  [{ by: "30m", "closes-at": "16:30" }, 1, "not both"],
  [{ by: "soon" }, 1, "a duration"],
  [{ by: "30m" }, 3, "has no window 3"],
])("%j of window %i is refused: %s", async (options, number, text) => {
  await expect(parse(options, number)).rejects.toThrow(text);
});
