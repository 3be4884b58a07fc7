import { controlAnswers } from "@sluice/contracts/control-answers";
import { expect, test } from "vitest";
import { openConsoleEnvironment, consoleStartAtMs } from "../console.fixture.ts";
import {
  applyDayFacts,
  buildParkedMessage,
  readControlAnswer,
  readControlPages,
  readControlRows,
  saveDay,
  twoWindowPlan,
} from "./stored-data.fixture.ts";

const minuteMs = 60_000;

/** A message that was answered 500 for the first time an hour ago. */
function buildFailing(id: string, sequence: bigint, over: Parameters<typeof buildParkedMessage>[2] = {}) {
  const earlier = { count: 31, firstAtMs: consoleStartAtMs - 60 * minuteMs, lastAtMs: consoleStartAtMs, answers: [] };
  return buildParkedMessage(id, sequence, { attempts: 41, earlier, ...over });
}

test("messages that fail often are listed by receiver, with attempts, last answer, since when and the next attempt", async () => {
  const environment = await openConsoleEnvironment();
  await saveDay(environment, applyDayFacts([twoWindowPlan], consoleStartAtMs - 1_000));
  const { deliveries, postings } = environment.store;
  await environment.settled(deliveries.insert([buildFailing("A", 7n), buildParkedMessage("B", 1n), buildParkedMessage("C", 2n)]));
  const posting = { operation: "events", receiverId: "second", reconciliationDay: null, deadlineMs: consoleStartAtMs + minuteMs } as const;
  await environment.settled(postings.insert([buildFailing("E", 1n, posting)]));
  const body = await readControlAnswer(environment, "/failing");
  expect(controlAnswers.listFailing.safeParse(body).error?.issues).toBeUndefined();
  expect(body).toMatchObject({ attemptsMin: 3, next: null });
  const rows = await readControlRows(environment, "/failing");
  expect(rows[0]).toEqual({
    bank: "first",
    kind: "delivery",
    operation: "inboundDirectDebit",
    messageIdentification: "A",
    uetr: "00000001-0000-4000-8000-000000000000",
    partition: 0,
    address: expect.any(String),
    status: "waiting",
    attempts: 41,
    anyAnswer: true,
    mayHaveBeenTaken: false,
    lastAnswer: { at: "2026-11-20T06:00:00.000Z", httpStatusCode: 503, class: "transient", answer: "away" },
    since: "2026-11-20T05:00:00.000Z",
    nextAttempt: "2026-11-20T06:01:00.000Z",
    day: "ZA_EFT:2026-11-20",
    windowCloses: null,
    secondsToWindowClose: null,
    closes: "2026-11-20T16:00:00.000Z",
    secondsToClose: 36_000,
  });
  expect(rows.slice(1)).toMatchObject([{ bank: "second", kind: "posting", operation: "events", day: null, secondsToClose: 60 }]);
  expect(await readControlRows(environment, "/failing?bank=second")).toHaveLength(1);
  expect(await readControlRows(environment, "/failing?bank=nobody")).toEqual([]);
});

test("I15: each message that fails often appears once over all pages, among any number that wait", async () => {
  const environment = await openConsoleEnvironment();
  const waiting = Array.from({ length: 500 }, (_, n) => buildParkedMessage(`W${n}`, BigInt(n), { attempts: n % 3 }));
  const failing = ["second", "first"].flatMap((receiverId) =>
    [3, 1, 2].map((n) => buildFailing(`${receiverId}-${n}`, BigInt(n), { receiverId })),
  );
  await environment.settled(environment.store.deliveries.insert([...waiting, ...failing]));
  await environment.settled(environment.store.postings.insert(failing.map((one) => ({ ...one, id: `E-${one.id}` }))));
  const ids = ["first-1", "first-2", "first-3", "second-1", "second-2", "second-3"];
  for (const limit of [1, 4, 6, 1_000]) {
    const rows = (await readControlPages(environment, `/failing?limit=${limit}`)).flat();
    expect(rows.map((row) => row["messageIdentification"])).toEqual([...ids, ...ids.map((id) => `E-${id}`)]);
  }
  for (const query of ["limit=1001", "after=Zm9v", "bank=FIRST", "day=ZA_EFT:2026-11-20"])
    expect([query, (await environment.control(`/failing?${query}`)).status]).toEqual([query, 400]);
});
