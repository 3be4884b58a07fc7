import { expect, test } from "vitest";
import { createLogger } from "./pino-logger.ts";

function recorded(level: "debug" | "info" = "info") {
  const lines: string[] = [];
  const logger = createLogger({ service: "scheduler", level, destination: { write: (line) => lines.push(line) } });
  return { logger, lines, last: () => JSON.parse(lines.at(-1) ?? "null") as Record<string, unknown> };
}

test("a line is one JSON object with level, both times, service and event", () => {
  const { logger, lines, last } = recorded();
  logger.info("debit.accepted", { uetr: "u", partition: 3, isLate: false });
  expect(lines).toHaveLength(1);
  expect(lines[0]?.endsWith("}\n")).toBe(true);
  const line = last();
  expect(line).toMatchObject({ level: "info", service: "scheduler", event: "debit.accepted", uetr: "u", partition: 3, isLate: false });
  expect(line["at"]).toBe(new Date(line["time"] as number).toISOString());
});

test("an offset keeps all its digits", () => {
  const { logger, last } = recorded();
  logger.info("partition.position", { offset: 9007199254740993n });
  expect(last()["offset"]).toBe("9007199254740993");
});

test("an error is shown with its code, stack and cause", () => {
  const { logger, last } = recorded();
  const cause = Object.assign(new Error("connection refused"), { code: "ECONNREFUSED" });
  logger.error("store.write", { error: Object.assign(new Error("not written", { cause }), { code: "store.unknown-outcome" }) });
  expect(last()["error"]).toMatchObject({
    code: "store.unknown-outcome",
    message: "not written",
    stack: expect.stringContaining("pino-logger.test.ts"),
    cause: { code: "ECONNREFUSED" },
  });
});

test("a line below the level is not written", () => {
  const { logger, lines } = recorded("info");
  logger.debug("partition.batch");
  expect(lines).toHaveLength(0);
});

test("an object is not written, because it could hold a name or an account number", () => {
  const { logger, lines } = recorded();
  logger.error("debit.refused", { debit: { legalName: "Thandi" }, error: "refused" });
  expect(lines[0]).not.toContain("Thandi");
  expect(lines[0]).toContain("refused");
});
