import { controlAnswers, decisionProposedSchema } from "@sluice/contracts/control-answers";
import { createMemoryKeyService } from "@sluice/secrecy/key-service.fixture";
import { sampleBank, sampleOperator } from "@sluice/testkit";
import { expect, test } from "vitest";
import { buildConsoleDebit, changeTransaction, consoleStartAtMs, consoleUetr, readJsonObject } from "../console.fixture.ts";
import { buildParkedMessage } from "../queries/stored-data.fixture.ts";
import { openDecisionEnvironment } from "./decisions.fixture.ts";

const septemberMs = Date.UTC(2026, 8, 14);
const path = "/banks/first/erasure/2026-09";
const body = { reason: "ticket 4715" };

async function open(actions: readonly "erase"[] = ["erase"], hasKeys = true) {
  const keyService = createMemoryKeyService();
  await keyService.create("first/2026-09");
  await keyService.create("first/2026-10");
  const operators = [sampleOperator({ person: "thandi" }), sampleOperator({ id: "second", person: "sipho", roles: ["read", "approve"] })];
  const environment = await openDecisionEnvironment(
    { banks: [sampleBank({ id: "first" })], operators, secondPerson: { actions, proposalLifetimeMs: 3_600_000 } },
    hasKeys ? { keyService } : {},
  );
  const received = (states: Parameters<typeof buildConsoleDebit>[0]) =>
    environment.save(changeTransaction(buildConsoleDebit(states), { bank: "first", receivedAtMs: septemberMs }));
  return { ...environment, keyService, received };
}

type Environment = Awaited<ReturnType<typeof open>>;

async function confirm(environment: Environment) {
  const proposed = decisionProposedSchema.parse(await (await environment.control(path, { body, actionId: "e-1" })).json());
  const named = { reason: "seen", offset: proposed.offset, contentSha256: proposed.contentSha256 };
  return await environment.control("/proposals/e-1/confirmation", { body: named, operator: "second", actionId: "c-1" });
}

test("two persons erase a bank's month, and no other: the log names it, never a person of it [D10.114]", async () => {
  const environment = await open();
  await environment.received(["RECEIVED", "REJECTED", "REJECTION_REPORTED"]);
  const answer = await confirm(environment);
  expect([answer.status, controlAnswers.eraseMonth.parse(await answer.json())]).toMatchObject([
    202,
    { bank: "first", month: "2026-09", transactions: 1, isErased: true, isDryRun: false },
  ]);
  expect(await environment.keyService.list()).toEqual([
    { scope: "first/2026-09", isDestroyed: true },
    { scope: "first/2026-10", isDestroyed: false },
  ]);
  expect(environment.environment.lines.find(({ event }) => event === "erasure.done")?.fields).toMatchObject({ scope: "first/2026-09" });
});

test("one person erases nothing, whatever the configuration says [D10.114]", async () => {
  const environment = await open([]);
  const answer = await environment.control(path, { body });
  expect([answer.status, (await readJsonObject(answer))["detail"]]).toEqual([409, expect.stringContaining("one-person")]);
  expect((await environment.keyService.list()).some(({ isDestroyed }) => isDestroyed)).toBe(false);
});

test("a dry run says what would be erased, needs nobody and changes nothing", async () => {
  const environment = await open();
  await environment.received(["RECEIVED", "REJECTED", "REJECTION_REPORTED"]);
  const answer = await environment.control(path, { body: { ...body, isDryRun: true } });
  expect([answer.status, await readJsonObject(answer)]).toMatchObject([200, { transactions: 1, isDryRun: true, isErased: false }]);
  expect((await environment.keyService.list()).some(({ isDestroyed }) => isDestroyed)).toBe(false);
});

test.each([
  ["a month that has not been over for two days", "not-over", "/banks/first/erasure/2026-11", async () => {}],
  ["a month with an unresolved transaction", "unresolved", path, (environment: Environment) => environment.received(["RECEIVED"])],
  [
    "a month with a message that waits for its receiver",
    "undelivered",
    path,
    async (environment: Environment) => {
      await environment.received(["RECEIVED", "REJECTED", "REJECTION_REPORTED"]);
      await environment.settled(environment.store.postings.insert([buildParkedMessage("m-1", 1n, { uetr: consoleUetr })]));
    },
  ],
] as const)("%s is not erased [D10.114]", async (_, why, asked, given) => {
  const environment = await open();
  await given(environment);
  const answer = await environment.control(asked, { body });
  expect([answer.status, (await readJsonObject(answer))["detail"]]).toEqual([409, expect.stringContaining(why)]);
});

test("a console without a key service erases nothing and says so", async () => {
  const environment = await open(["erase"], false);
  const answer = await environment.control(path, { body });
  expect([answer.status, (await readJsonObject(answer))["detail"]]).toEqual([409, expect.stringContaining("no-key-service")]);
  expect(consoleStartAtMs).toBeGreaterThan(septemberMs);
});
