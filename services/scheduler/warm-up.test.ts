import { partitionFor, topics } from "@sluice/contracts";
import { Fault, silentLogger, sleep } from "@sluice/kernel";
import { createMemoryKeyService } from "@sluice/secrecy/key-service.fixture";
import type { KeyService } from "@sluice/secrecy";
import { expect, test } from "vitest";
import type { JournalHandler } from "./handlers/handler.ts";
import { SchedulerEnvironment } from "./scheduler.fixture.ts";
import { warmUp, warmUpMaxMs, type WarmUpPorts } from "./warm-up.ts";

async function given(own: { readonly keyService?: KeyService } = {}) {
  const asked: string[] = [];
  const written: string[] = [];
  const observe = ({ operation }: { readonly operation: string }): void =>
    void (/write|insert|remove|takeOver/.test(operation) && written.push(operation));
  const environment = new SchedulerEnvironment({ partitionCount: 12, storeHooks: { observe }, ...own });
  const { service, configuration, partitionCount, rulesVersion, serde, handlers } = await environment.partitionContext();
  const client = environment.broker.client("warm");
  const messaging: WarmUpPorts["messaging"] = {
    ends: (places) => (asked.push(`ends ${places[0]?.topic} ${places.length}`), client.ends(places)),
    identity: (topic) => (asked.push(`identity ${topic}`), client.identity(topic)),
    read: (place, from, to) => (asked.push(`read ${place.topic} ${to - from}`), client.read(place, from, to)),
  };
  const { time, store } = environment;
  const said: unknown[] = [];
  const logger = { ...silentLogger, info: (event: string, fields = {}) => void said.push({ event, ...fields }) };
  const ports = { service, configuration, partitionCount, rulesVersion, serde, handlers, messaging, store, time, logger };
  return { environment, asked, written, said, ports };
}

test("asks the broker for what a take-over asks, and reads a few records", async () => {
  const { environment, asked, said, ports } = await given();
  await environment.append(topics.journal, environment.uetr(), environment.debit(environment.uetr()));
  await environment.time.finish(warmUp(ports));
  expect(asked).toEqual([
    `ends ${topics.journal} 12`,
    `ends ${topics.deadLetters} 12`,
    `identity ${topics.journal}`,
    `identity ${topics.deadLetters}`,
    `read ${topics.journal} 1`,
  ]);
  expect(said).toEqual([{ event: "scheduler.warm", tookMs: expect.any(Number) }]);
});

test("I3: handles the records that it reads, and nothing that follows from them is written or sent", async () => {
  const { environment, written, ports } = await given();
  const uetr = environment.uetr();
  const debit = environment.debit(uetr);
  await environment.append(topics.journal, uetr, debit);
  await environment.append(topics.journal, uetr, environment.verdict(debit, "REFUSED"));
  const decisions: string[] = [];
  const watched = (handler: JournalHandler): JournalHandler => ({
    ...handler,
    handle(...given) {
      const handled = handler.handle(...given);
      decisions.push(`${handled.decision} ${handled.outgoing.length > 0}`);
      return handled;
    },
  });
  const handlers = Object.fromEntries(Object.entries(ports.handlers).map(([name, handler]) => [name, watched(handler)]));
  const places = [topics.journal, topics.dispatch, topics.events].flatMap((topic) =>
    Array.from({ length: ports.partitionCount }, (_, partition) => ({ topic, partition })),
  );
  const ends = async () => await environment.time.finish(environment.broker.ends(places));
  const before = await ends();
  await environment.time.finish(warmUp({ ...ports, handlers }));
  expect(decisions).toEqual(["applied true", "applied true"]);
  expect(written).toEqual([]);
  expect(await ends()).toEqual(before);
});

test("I16: a server that does not answer delays the join for two seconds and no more, and one that fails for no time", async () => {
  const { environment, said, ports } = await given();
  const never = { ...ports.store, days: { ...ports.store.days, open: () => new Promise<never>(() => undefined) } };
  const startMs = environment.time.monotonicMs();
  await environment.time.finish(warmUp({ ...ports, store: never }));
  expect(environment.time.monotonicMs() - startMs).toBeLessThan(warmUpMaxMs + 100);
  const failing = {
    ...ports.store,
    days: { ...ports.store.days, open: () => Promise.reject(new Fault("store.unavailable", "gone", { isRetryable: true })) },
  };
  await environment.time.finish(warmUp({ ...ports, store: failing }));
  expect(environment.time.monotonicMs() - startMs).toBeLessThan(warmUpMaxMs + 200);
  expect(said).toMatchObject([{ trouble: "no answer in time" }, { trouble: expect.stringContaining("gone") }]);
});

const records = 20;
const slowMs = 300;

/** A serde that learns each record by itself, in `slowMs`. */
function slowSerde({ serde, time }: Pick<WarmUpPorts, "serde" | "time">) {
  const learnt = new Set<string>();
  const idOf = (bytes: Uint8Array): string => Buffer.from(bytes).toString("hex");
  const slow: WarmUpPorts["serde"] = {
    ...serde,
    decode(bytes) {
      if (learnt.has(idOf(bytes))) return serde.decode(bytes);
      throw new Fault("contracts.no-key", "not at hand", { isRetryable: true });
    },
    async learn(bytes) {
      learnt.add(idOf(bytes));
      await sleep(time, slowMs);
    },
  };
  return { slow, learnt };
}

test("I16: after two seconds no record is read, learnt or tried again, also where an answer comes then", async () => {
  const { environment, asked, said, ports } = await given();
  const { time } = environment;
  const uetr = environment.uetr();
  for (let count = 0; count < records; count += 1)
    await environment.append(topics.journal, uetr, environment.debit(uetr, time.nowMs() + count));
  const late: WarmUpPorts["messaging"] = {
    ...ports.messaging,
    ends: async (places) => {
      await sleep(time, warmUpMaxMs + slowMs);
      return await ports.messaging.ends(places);
    },
  };
  await time.finish(warmUp({ ...ports, messaging: late }));
  await time.advance(60_000);
  expect(asked.filter((question) => question.startsWith("read"))).toEqual([]);

  const { slow, learnt } = slowSerde(ports);
  await time.finish(warmUp({ ...ports, serde: slow }));
  const learntInTime = learnt.size;
  await time.advance(60_000);
  expect([learntInTime, learnt.size]).toEqual([Math.ceil(warmUpMaxMs / slowMs), learntInTime]);

  let tries = 0;
  const busy = (): never => {
    tries += 1;
    throw new Fault("scheduler.busy", "not now", { isRetryable: true });
  };
  const handlers = Object.fromEntries(Object.entries(ports.handlers).map(([name, handler]) => [name, { ...handler, handle: busy }]));
  await time.finish(warmUp({ ...ports, handlers }));
  const triedInTime = tries;
  await time.advance(60_000);
  expect(triedInTime).toBeGreaterThan(1);
  expect(tries).toBe(triedInTime);
  expect(said).toMatchObject(Array.from({ length: 3 }, () => ({ trouble: "no answer in time" })));
});

test("the key service is asked for the keys of sealed records that it reads, and the owner of a partition need not ask again", async () => {
  const keyService = createMemoryKeyService();
  const { environment, ports } = await given({ keyService });
  const uetr = environment.uetr();
  await environment.append(topics.journal, uetr, environment.debit(uetr));
  const serde = environment.newSerde();
  await environment.time.finish(warmUp({ ...ports, serde }));
  expect(keyService.unwraps()).toBe(1);
  const [sealed] = environment.broker.records({ topic: topics.journal, partition: partitionFor(uetr, ports.partitionCount) });
  expect(serde.decode(sealed?.value ?? new Uint8Array()).name).toBe("DirectDebitReceived");
});

test("a scheduler asks before it joins its group", async () => {
  const calls: string[] = [];
  const observe = ({ operation }: { readonly operation: string }): void => void calls.push(operation);
  const environment = new SchedulerEnvironment({ partitionCount: 2, storeHooks: { observe } });
  const scheduler = await environment.scheduler();
  await environment.time.advance(10_000);
  const joined = calls.indexOf("partitions.takeOver");
  expect(joined).toBeGreaterThan(0);
  expect(calls.slice(0, joined)).toContain("transactions.open");
  await scheduler.stop();
});
