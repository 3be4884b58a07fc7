// Introduces the demo to somebody who has never seen Sluice: what a debit's way is, and who takes part.

import type { DemoDay } from "../plan/day.ts";

export function formatCast({ banks }: Pick<DemoDay, "banks">): string {
  const cast = [
    ...banks.map(({ name, character }) => [name, character] as const),
    ["Clearing House", "sends for other banks, and declares the credits final"] as const,
    ["Thandi, Sipho", "operators: one decides, the other confirms"] as const,
  ];
  const width = Math.max(...cast.map(([name]) => name.length));
  return [
    "A business day in less than a minute.",
    "",
    "A bank posts a direct debit. Sluice checks the account and reports the result.",
    "It holds the debit until the window opens and the day's credits are final.",
    "Then it sends the debit to the bank, takes the bank's report, and posts an event",
    "for each step. What is unresolved at the close becomes a list, for people.",
    "",
    ...cast.map(([name, does]) => `  ${name.padEnd(width)}  ${does}`),
  ].join("\n");
}
