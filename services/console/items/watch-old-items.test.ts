import { expect, test } from "vitest";
import type { Item, Transaction } from "@sluice/domain";
import { consoleStartAtMs, openConsoleEnvironment } from "../console.fixture.ts";
import {
  applyDayFacts,
  buildItem,
  buildStoredTransaction,
  saveDay,
  saveTransactions,
  twoWindowPlan,
} from "../queries/stored-data.fixture.ts";
import { oldItemsCheckEveryMs } from "./watch-old-items.ts";

const text = "sluice_console_old_items";

test("open items of the day before yesterday and before are counted; newer, resolved and settled ones are not", async () => {
  const environment = await openConsoleEnvironment();
  const count = async (): Promise<string | undefined> => new RegExp(`^${text} (\\d+)$`, "mu").exec(await environment.metrics.text())?.[1];
  await environment.time.advance(2 * oldItemsCheckEveryMs);
  expect(await count()).toBe("0");
  for (const date of ["2026-11-18", "2026-10-25", "2026-11-19"]) {
    await saveDay(environment, { ...applyDayFacts([twoWindowPlan], consoleStartAtMs), key: `ZA_EFT:${date}` });
  }
  await saveTransactions(environment, [
    withItem(1, "ZA_EFT:2026-11-18"),
    withItem(2, "ZA_EFT:2026-10-25"),
    withItem(3, "ZA_EFT:2026-11-19"),
    withItem(4, "ZA_EFT:2026-11-18", { settledAtMs: 1 }),
  ]);
  await environment.time.advance(2 * oldItemsCheckEveryMs);
  expect(await count()).toBe("2");
  environment.environment.fault = "down";
  await environment.time.advance(2 * oldItemsCheckEveryMs);
  expect(await count()).toBe("2");
  await environment.settled(environment.desk.stop());
});

function withItem(index: number, day: Item["day"], over: Partial<Item> = {}): Transaction {
  return buildStoredTransaction("RECONCILIATION", index, { items: [buildItem({ day, ...over })] });
}
