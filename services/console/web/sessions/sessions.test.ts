// The bounds of sessions.

import { createVirtualTime, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { createSessions, idleMaxMs, sessionsMax, sessionsOfOneMax } from "./sessions.ts";

const active = { isActive: true } as const;

function openSessions() {
  const time = createVirtualTime({ startAtMs: 0 });
  return { time, sessions: createSessions({ time, random: seededRandom("sessions") }) };
}

test("I15: one operator has a bounded number of sessions, and the oldest gives way", () => {
  const { sessions } = openSessions();
  const other = sessions.open("token", "other");
  const opened = Array.from({ length: sessionsOfOneMax + 1 }, () => sessions.open("token", "one"));
  const found = opened.map(({ id }) => sessions.find(id, active) !== null);
  expect(found).toEqual([false, ...opened.slice(1).map(() => true)]);
  expect(sessions.find(other.id, active)).toEqual(other);
});

test("I15: all operators together have a bounded number of sessions", () => {
  const { sessions } = openSessions();
  const first = sessions.open("token", "operator-0");
  for (let index = 1; index < sessionsMax; index += 1) sessions.open("token", `operator-${index}`);
  expect(sessions.find(first.id, active)).toEqual(first);
  sessions.open("token", "one-more");
  expect(sessions.find(first.id, active)).toBeNull();
});

test("a session that is over makes room before one that is used", async () => {
  const { sessions, time } = openSessions();
  const used = sessions.open("token", "one");
  for (let index = 1; index < sessionsOfOneMax; index += 1) sessions.open("token", "one");
  await time.advance(idleMaxMs - 1);
  expect(sessions.find(used.id, active)).toEqual(used);
  await time.advance(1);
  sessions.open("token", "one");
  expect(sessions.find(used.id, active)).toEqual(used);
});

test("an ended session is gone, and no two sessions share an id or a form token", () => {
  const { sessions } = openSessions();
  const [a, b] = [sessions.open("token", "one"), sessions.open("token", "one")];
  expect(new Set([a.id, b.id, a.formToken, b.formToken]).size).toBe(4);
  sessions.end(a.id);
  expect([sessions.find(a.id, active), sessions.find(b.id, active)]).toEqual([null, b]);
});
