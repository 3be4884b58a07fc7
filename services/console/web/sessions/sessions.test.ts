// The bounds of sessions.

import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createSessions, idleMaxMs, sessionsMax, sessionsOfOneMax } from "./sessions.ts";

const active = { isActive: true } as const;
const token = { kind: "token", token: "token" } as const;
const own = (id: string) => ({ id, bank: null });

function openSessions() {
  const time = createVirtualTime({ startAtMs: 0 });
  return { time, sessions: createSessions({ time, random: seededRandom("sessions") }) };
}

test("I15: one operator has a bounded number of sessions, and the oldest gives way", () => {
  const { sessions } = openSessions();
  const other = sessions.open(token, own("other"));
  const opened = Array.from({ length: sessionsOfOneMax + 1 }, () => sessions.open(token, own("one")));
  const found = opened.map(({ id }) => sessions.find(id, active) !== null);
  expect(found).toEqual([false, ...opened.slice(1).map(() => true)]);
  expect(sessions.find(other.id, active)).toEqual(other);
});

test("I15: all operators together have a bounded number of sessions", () => {
  const { sessions } = openSessions();
  const first = sessions.open(token, own("operator-0"));
  for (let index = 1; index < sessionsMax; index += 1) sessions.open(token, own(`operator-${index}`));
  expect(sessions.find(first.id, active)).toEqual(first);
  sessions.open(token, own("one-more"));
  expect(sessions.find(first.id, active)).toBeNull();
});

test("I15: people of banks end no session of Sluice's own operators, however many they open", () => {
  const { sessions } = openSessions();
  const ours = sessions.open(token, own("thandi"));
  const first = sessions.open(token, { id: "person-0", bank: "first" });
  for (let index = 1; index <= sessionsMax; index += 1) sessions.open(token, { id: `person-${index}`, bank: "first" });
  expect(sessions.find(ours.id, active)).toEqual(ours);
  expect(sessions.find(first.id, active)).toBeNull();
});

test("a session that is over makes room before one that is used", async () => {
  const { sessions, time } = openSessions();
  const used = sessions.open(token, own("one"));
  for (let index = 1; index < sessionsOfOneMax; index += 1) sessions.open(token, own("one"));
  await time.advance(idleMaxMs - 1);
  expect(sessions.find(used.id, active)).toEqual(used);
  await time.advance(1);
  sessions.open(token, own("one"));
  expect(sessions.find(used.id, active)).toEqual(used);
});

test("an ended session is gone, and no two sessions share an id or a form token", () => {
  const { sessions } = openSessions();
  const [a, b] = [sessions.open(token, own("one")), sessions.open(token, own("one"))];
  expect(new Set([a.id, b.id, a.formToken, b.formToken]).size).toBe(4);
  sessions.end(a.id);
  expect([sessions.find(a.id, active), sessions.find(b.id, active)]).toEqual([null, b]);
});
