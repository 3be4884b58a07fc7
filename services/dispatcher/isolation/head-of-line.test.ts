// No healthy bank waits behind others' messages in its partition: neither behind banks that are slow to answer or
// silent, nor behind the backlog of one that keeps up. All banks share one partition here.

import { sampleBank } from "@sluice/testkit";
import { describe, expect, it } from "vitest";
import { createDispatcherEnvironment, dispatchMessageId, type DispatcherEnvironment } from "../dispatcher.fixture.ts";

const slotWaitMaxMs = 250;

/** Dispatches messages of new UETRs, and measures how long each waited for its first attempt. */
function createLoad(environment: DispatcherEnvironment) {
  let messages = 0;
  const appendedAtMs = new Map<string, { readonly bank: string; readonly atMs: number }>();
  const offer = async (banks: readonly string[]): Promise<readonly string[]> => {
    const made = banks.map((bank) => ({ messageIdentification: dispatchMessageId((messages += 1)), bank }));
    const appended = await environment.dispatch(...made);
    for (const [index, { bank, messageIdentification }] of made.entries())
      appendedAtMs.set(messageIdentification, { bank, atMs: appended[index]?.appendedAtMs ?? 0 });
    return made.map(({ messageIdentification }) => messageIdentification);
  };
  return {
    offer,
    /** Offers the messages of one round every 100 ms. */
    async offerFor(seconds: number, round: (number: number) => readonly string[]): Promise<void> {
      const fromMs = environment.time.nowMs();
      for (let number = 0; number < seconds * 10; number += 1) {
        await offer(round(number));
        await environment.time.advance(Math.max(0, fromMs + (number + 1) * 100 - environment.time.nowMs()));
      }
    },
    /** The waits of a bank's messages, in milliseconds; Infinity for one that was not tried. */
    waitsMs(bank: string): number[] {
      const triedAtMs = new Map<string, number>();
      for (const { id, atMs, attempt } of environment.received) if (attempt === 1) triedAtMs.set(id, atMs);
      return [...appendedAtMs]
        .filter(([, made]) => made.bank === bank)
        .map(([id, { atMs }]) => (triedAtMs.get(id) ?? Number.POSITIVE_INFINITY) - atMs);
    },
  };
}

const named = (name: string, count: number): string[] => Array.from({ length: count }, (_, index) => `${name}-${index}`);
const repeated = (times: number, banks: readonly string[]): string[] => Array.from({ length: times }, () => banks).flat();

function createEnvironment(banks: readonly string[], bounds = {}) {
  const environment = createDispatcherEnvironment({ banks: banks.map((id) => sampleBank({ id })), bounds });
  let inserts = 0;
  environment.hooks.store.fault = ({ operation }) => {
    if (operation === "deliveries.insert") inserts += 1;
    return "none";
  };
  return { environment, load: createLoad(environment), inserts: () => inserts };
}

describe("the head of the line", { timeout: 60_000 }, () => {
  it("I14: ten healthy banks that answer in 300 ms and get 30 messages a second each delay neither one another nor a prompt one", async () => {
    const slow = named("slow", 10);
    const { environment, load, inserts } = createEnvironment([...slow, "prompt"]);
    environment.answers(({ receiverId }) => ({ status: 202, afterMs: receiverId === "prompt" ? 5 : 300 }));
    await environment.start();
    await load.offerFor(10, () => [...repeated(3, slow), "prompt"]);
    await environment.time.advance(1_000);
    expect(Math.max(...load.waitsMs("prompt"))).toBeLessThan(slotWaitMaxMs);
    expect(Math.max(...slow.flatMap((bank) => load.waitsMs(bank)))).toBeLessThan(1_000);
    expect(inserts()).toBe(0);
  });

  it("I14: eight banks that answer in 950 ms and get more than they can take delay nobody else", async () => {
    const slow = named("slow", 8);
    const { environment, load } = createEnvironment([...slow, "prompt"]);
    environment.answers(({ receiverId }) => ({ status: 202, afterMs: receiverId === "prompt" ? 5 : 950 }));
    await environment.start();
    await load.offerFor(12, () => [...repeated(4, slow), "prompt"]);
    expect(Math.max(...load.waitsMs("prompt"))).toBeLessThan(slotWaitMaxMs);
  });

  it("I14: thirty banks that fall silent at once delay nobody else", async () => {
    const silent = named("silent", 30);
    const { environment, load } = createEnvironment([...silent, "prompt"]);
    environment.answers(({ receiverId }) => (receiverId === "prompt" ? 202 : "silent"));
    await environment.start();
    await load.offer(repeated(30, silent));
    await load.offerFor(8, () => [...silent, "prompt"]);
    expect(Math.max(...load.waitsMs("prompt"))).toBeLessThan(slotWaitMaxMs);
  });

  it("I14: another bank's first message does not wait behind 10,000 messages of a bank that keeps up, none of which is parked", async () => {
    const { environment, load, inserts } = createEnvironment(["busy", "other"]);
    environment.answers(({ receiverId }) => ({ status: 202, afterMs: receiverId === "busy" ? 100 : 5 }));
    await environment.start();
    await load.offerFor(2, () => repeated(5, ["busy"]));
    await environment.time.advance(61_000);
    const backlog = await load.offer(repeated(10_000, ["busy"]));
    await environment.time.advance(2_000);
    await load.offerFor(3, () => ["other"]);
    expect(Math.max(...load.waitsMs("other"))).toBeLessThan(slotWaitMaxMs);
    expect(inserts()).toBe(0);
    // The busy bank has lost no speed by it: sixteen connections at 100 ms.
    const before = environment.received.length;
    await environment.time.advance(2_000);
    expect(environment.received.length - before).toBeGreaterThan(280);
    const tried = environment.received.filter(({ id }) => backlog.includes(id)).map(({ id }) => backlog.indexOf(id));
    expect(tried).toEqual(tried.toSorted((a, b) => a - b));
  });

  it("I14: the first messages of a hundred banks wait as long behind 10,000 messages of another as behind none", async () => {
    const others = named("other", 100);
    async function measureP99Ms(messagesBefore: number): Promise<number> {
      const { environment, load } = createEnvironment(["busy", ...others]);
      environment.answers(({ receiverId }) => ({ status: 202, afterMs: receiverId === "busy" ? 100 : 5 }));
      await environment.start();
      await load.offer(repeated(messagesBefore, ["busy"]));
      // The partition has read them, and most of them wait.
      await environment.time.advance(2_000);
      await load.offer(others);
      await environment.time.advance(5_000);
      const waitsMs = others.flatMap((bank) => load.waitsMs(bank)).toSorted((one, other) => one - other);
      return waitsMs[98] ?? Number.POSITIVE_INFINITY;
    }
    const aloneMs = await measureP99Ms(1);
    for (const messagesBefore of [1_000, 10_000]) expect(await measureP99Ms(messagesBefore)).toBeLessThan(aloneMs + 50);
  });

  it("I14, I15: a bank that keeps up delays others for seconds only where its backlog fills the memory; then it is parked", async () => {
    const { environment, load, inserts } = createEnvironment(["busy", "other"], { bufferedRecordsMax: 200 });
    environment.answers(({ receiverId }) => ({ status: 202, afterMs: receiverId === "busy" ? 100 : 5 }));
    await environment.start();
    await load.offer(["other"]);
    await load.offer(repeated(1_500, ["busy"]));
    await load.offer(["other"]);
    await environment.time.advance(5_000);
    expect(Math.max(...load.waitsMs("other"))).toBeLessThan(4_000);
    expect(inserts()).toBeGreaterThan(0);
    expect(environment.logged.find(({ event }) => event === "delivery.bound-reached")).toMatchObject({
      fields: { bound: "buffered-records" },
    });
  });
});
