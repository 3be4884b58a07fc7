import { expect, test } from "vitest";
import { asAppended, createOutageHeard } from "./outage-heard.ts";
import { numberBefore, numberOf, waitingBody, waitingMessage } from "./outage-plan.ts";

const appended = 1_000;

function drained(order: readonly number[]) {
  const heard = createOutageHeard(appended);
  for (const number of order) heard.arrived(asAppended(number), number)();
  return heard;
}

const inOrder = Array.from({ length: appended }, (_, number) => number);

test("messages follow from their numbers: five a UETR, others between them, always the same bytes", () => {
  const messages = inOrder.map(waitingMessage);
  const chains = Map.groupBy(messages, ({ uetr }) => uetr);
  expect(chains.size).toBe(appended / 5);
  for (const chain of chains.values()) expect(chain.map(({ place }) => place)).toEqual([1, 2, 3, 4, 5]);
  for (const number of inOrder) {
    expect(numberOf(waitingMessage(number).id)).toBe(number);
    const [message, before] = [waitingMessage(number), numberBefore(number)];
    const placeBefore = before === null ? 0 : messages[before]?.uetr === message.uetr ? messages[before]?.place : null;
    expect(placeBefore).toBe(message.place - 1);
  }
  expect(numberOf("another")).toBeNull();
  expect(waitingBody(7)).toEqual(waitingBody(7));
  expect(waitingBody(7)).toHaveLength(1_450);
  expect(new Set(messages.map(({ lane }) => lane)).size).toBeGreaterThan(5);
});

test("all of them, in order, unchanged: nothing is said", () => {
  const heard = drained(inOrder);
  expect(heard.verdict(appended)).toEqual({ problems: [], attempts: appended, repeats: 0, behind: { most: 0, p99: 0 } });
  expect(heard.acknowledged()).toBe(appended);
});

test("a repeat is counted and is no violation", () => {
  expect(drained([...inOrder, 3]).verdict(appended)).toMatchObject({ problems: [], repeats: 1 });
});

test("one that never came, one that came changed, one that nobody appended: each is told", () => {
  expect(drained(inOrder.slice(0, -1)).verdict(appended).problems).toEqual(["1 of 1000 messages were never acknowledged"]);
  const changed = drained(inOrder);
  changed.arrived({ ...asAppended(5), body: waitingBody(6) }, 0)();
  expect(changed.verdict(appended).problems).toEqual(["waiting-000000005 came other than it was appended"]);
  const foreign = drained(inOrder);
  foreign.arrived({ ...asAppended(5), id: "elsewhere" }, 0)();
  expect(foreign.verdict(appended).problems).toEqual(["the bank heard elsewhere, which nobody appended"]);
});

test("the second of a UETR before the first was acknowledged is told, however near", () => {
  const heard = createOutageHeard(appended);
  heard.arrived(asAppended(1), 0)();
  const first = heard.arrived(asAppended(0), 1);
  const second = heard.arrived(asAppended(100), 2);
  first();
  second();
  for (const number of inOrder) if (number > 1 && number !== 100) heard.arrived(asAppended(number), 3)();
  expect(heard.verdict(appended).problems).toEqual(["waiting-000000100 was tried before the one before it was acknowledged"]);
});

test("what was asked while the bank was down says nothing of the order, and the revival is timed", () => {
  const heard = createOutageHeard(appended);
  heard.arrived(asAppended(0), 100);
  heard.arrived(asAppended(100), 200);
  expect(heard.askedAtMs()).toEqual([100, 200]);
  expect(heard.revival()).toBeNull();
  heard.arrived(asAppended(0), 300)();
  expect(heard.revival()).toMatchObject({ acceptedAtMs: 300, drainedAtMs: null });
  for (const number of inOrder.slice(1)) heard.arrived(asAppended(number), 310 + number)();
  expect(heard.revival()).toMatchObject({ acceptedAtMs: 300, drainedAtMs: 311 });
  expect(heard.verdict(appended).problems).toEqual([]);
});

test("how far a message came behind its turn is measured in its lane", () => {
  const [late = 0, ...others] = inOrder.filter((number) => waitingMessage(number).lane === waitingMessage(0).lane && number < 100);
  const elsewhere = inOrder.filter((number) => number !== late && !others.includes(number) && number < 100);
  const heard = drained([...others, ...elsewhere, late, ...inOrder.slice(100)]);
  expect(heard.verdict(appended).behind.most).toBe(others.length);
});
