import { expect, test } from "vitest";
import { expectedContent, createOutageRecorder } from "./recorder.ts";
import { precedingNumber, parseMessageNumber, waitingBody, waitingMessage } from "./plan.ts";

const appended = 1_000;

function recordDrain(order: readonly number[]) {
  const recorder = createOutageRecorder(appended);
  for (const number of order) recorder.recordArrival(expectedContent(number), number)();
  return recorder;
}

const inOrder = Array.from({ length: appended }, (_, number) => number);

test("a message follows from its number: five messages a UETR, interleaved, always with the same bytes", () => {
  const messages = inOrder.map(waitingMessage);
  const chains = Map.groupBy(messages, ({ uetr }) => uetr);
  expect(chains.size).toBe(appended / 5);
  for (const chain of chains.values()) expect(chain.map(({ place }) => place)).toEqual([1, 2, 3, 4, 5]);
  for (const number of inOrder) {
    expect(parseMessageNumber(waitingMessage(number).id)).toBe(number);
    const [message, before] = [waitingMessage(number), precedingNumber(number)];
    const placeBefore = before === null ? 0 : messages[before]?.uetr === message.uetr ? messages[before]?.place : null;
    expect(placeBefore).toBe(message.place - 1);
  }
  expect(parseMessageNumber("another")).toBeNull();
  expect(waitingBody(7)).toEqual(waitingBody(7));
  expect(waitingBody(7)).toHaveLength(1_450);
  expect(new Set(messages.map(({ partition }) => partition)).size).toBeGreaterThan(5);
});

test("a drain of all messages, in order and unchanged, has no problems", () => {
  const recorder = recordDrain(inOrder);
  expect(recorder.verdict(appended)).toEqual({ problems: [], attempts: appended, repeats: 0, behind: { most: 0, p99: 0 } });
  expect(recorder.acknowledged()).toBe(appended);
});

test("a repeat is counted and is no problem", () => {
  expect(recordDrain([...inOrder, 3]).verdict(appended)).toMatchObject({ problems: [], repeats: 1 });
});

test("a message that never came, that changed, or that nobody appended is reported", () => {
  expect(recordDrain(inOrder.slice(0, -1)).verdict(appended).problems).toEqual(["1 of 1000 messages were never acknowledged"]);
  const changed = recordDrain(inOrder);
  changed.recordArrival({ ...expectedContent(5), body: waitingBody(6) }, 0)();
  expect(changed.verdict(appended).problems).toEqual(["waiting-000000005 came with other content than was appended"]);
  const foreign = recordDrain(inOrder);
  foreign.recordArrival({ ...expectedContent(5), id: "elsewhere" }, 0)();
  expect(foreign.verdict(appended).problems).toEqual(["the bank received elsewhere, which nobody appended"]);
});

test("a message tried before its predecessor in the UETR was acknowledged is reported", () => {
  const recorder = createOutageRecorder(appended);
  recorder.recordArrival(expectedContent(1), 0)();
  const first = recorder.recordArrival(expectedContent(0), 1);
  const second = recorder.recordArrival(expectedContent(100), 2);
  first();
  second();
  for (const number of inOrder) if (number > 1 && number !== 100) recorder.recordArrival(expectedContent(number), 3)();
  expect(recorder.verdict(appended).problems).toEqual(["waiting-000000100 was tried before the message before it was acknowledged"]);
});

test("attempts while the bank was down do not count for the order, and the revival is timed", () => {
  const recorder = createOutageRecorder(appended);
  recorder.recordArrival(expectedContent(0), 100);
  recorder.recordArrival(expectedContent(100), 200);
  expect(recorder.arrivalsWhileDownMs()).toEqual([100, 200]);
  expect(recorder.revival()).toBeNull();
  recorder.recordArrival(expectedContent(0), 300)();
  expect(recorder.revival()).toMatchObject({ acceptedAtMs: 300, drainedAtMs: null });
  for (const number of inOrder.slice(1)) recorder.recordArrival(expectedContent(number), 310 + number)();
  expect(recorder.revival()).toMatchObject({ acceptedAtMs: 300, drainedAtMs: 311 });
  expect(recorder.verdict(appended).problems).toEqual([]);
});

test("how far a message came behind later ones is measured within its partition", () => {
  const [late = 0, ...others] = inOrder.filter(
    (number) => waitingMessage(number).partition === waitingMessage(0).partition && number < 100,
  );
  const rest = inOrder.filter((number) => number !== late && !others.includes(number) && number < 100);
  const recorder = recordDrain([...others, ...rest, late, ...inOrder.slice(100)]);
  expect(recorder.verdict(appended).behind.most).toBe(others.length);
});
