import { createFixedSerde, topics } from "@sluice/contracts";
import { createMetrics, listen, listenLimitsDefault } from "@sluice/service";
import { createMemoryBroker } from "@sluice/messaging";
import { machineRandom, machineTime, silentLogger } from "@sluice/kernel";
import { encodeBody, buildDirectDebit, sampleConfiguration, sampleToken, seededRandom, startBankSimulator } from "@sluice/testkit";
import { Readable } from "node:stream";
import { request } from "undici";
import { afterEach, describe, expect, it, vi } from "vitest";
import { startIngress } from "../service.ts";

const opened: AsyncDisposableStack[] = [];
afterEach(async () => {
  for (const stack of opened.splice(0)) await stack.disposeAsync();
});

/** Ingress on a port, over a memory journal. */
async function givenIngress() {
  const stack = new AsyncDisposableStack();
  opened.push(stack);
  const messaging = createMemoryBroker({
    time: machineTime,
    random: seededRandom(1),
    topics: { [topics.journal]: 1, [topics.audit]: 1, [topics.probe]: 1 },
  });
  const metrics = createMetrics({ withProcess: false });
  const ingress = startIngress({
    time: machineTime,
    random: machineRandom,
    logger: silentLogger,
    metrics,
    messaging,
    serde: createFixedSerde(),
    configuration: sampleConfiguration(),
    partitionCount: 1,
  });
  stack.defer(() => ingress.stop());
  const fetch = (incoming: Request): Promise<Response> => ingress.fetch(incoming);
  const { direct } = ingress;
  const listening = await listen({ fetch, direct, host: "127.0.0.1", port: 0, limits: listenLimitsDefault, logger: silentLogger });
  stack.defer(() => listening.close(0));
  await vi.waitFor(() => expect(ingress.readiness().isReady).toBe(true));
  const url = `http://127.0.0.1:${listening.port}`;
  const inJournal = (): number => messaging.records({ topic: topics.journal, partition: 0 }).length;
  return { url, metrics, inJournal };
}

const headers = { authorization: `Bearer ${sampleToken("first")}`, "content-type": "application/json" };

describe("ingress on a real port", () => {
  it("accepts a bank's debit with 202 and an empty body [D3.1]", async () => {
    const { url, metrics, inJournal } = await givenIngress();
    const answer = await request(`${url}/transactions/outbound/direct-debit`, {
      method: "POST",
      headers,
      body: encodeBody(buildDirectDebit()),
    });
    expect([answer.statusCode, await answer.body.text(), inJournal()]).toEqual([202, "", 1]);
    expect(await metrics.text()).toContain('sluice_ingress_requests_total{operation="outboundDirectDebit",status="202"} 1');
  });

  it("refuses a chunked body, a body that is too large, and another method, each with an ErrorDetail", async () => {
    const { url, inJournal } = await givenIngress();
    const path = `${url}/outbound/direct-debit`;
    const answers = [
      await request(path, { method: "POST", headers, body: Readable.from([encodeBody(buildDirectDebit())]) }),
      await request(path, { method: "POST", headers, body: new Uint8Array(300 * 1024) }),
      await request(path, { method: "PUT", headers, body: encodeBody(buildDirectDebit()) }),
      await request(`${url}/outbound`, { method: "POST", headers, body: encodeBody(buildDirectDebit()) }),
    ];
    expect(answers.map(({ statusCode }) => statusCode)).toEqual([411, 413, 405, 404]);
    for (const { body } of answers) expect(await body.json()).toMatchObject({ schema: "ErrorDetail" });
    expect(inJournal()).toBe(0);
  });

  it("stores each of many debits once that the simulated bank sends at the same time", async () => {
    const { url, inJournal } = await givenIngress();
    const bank = await startBankSimulator({
      time: machineTime,
      random: machineRandom,
      bankId: "first",
      token: sampleToken("first"),
      ingressUrl: url,
      host: "127.0.0.1",
      port: 0,
    });
    opened.at(-1)?.defer(() => bank.stop());
    // No more than a caller may have connections: one more would be refused, and sent again.
    const messages = Array.from({ length: 60 }, (_, number) => buildDirectDebit({ messageIdentification: `M-${number}` }));
    const ends = await Promise.all(messages.map((message) => bank.sendDebit(message)));
    // On a busy machine some are answered 503 within the second, and sent again: they are stored once all the same.
    expect(new Set(ends.map(({ status }) => status))).toEqual(new Set([202]));
    expect(inJournal()).toBe(60);
  });
});
