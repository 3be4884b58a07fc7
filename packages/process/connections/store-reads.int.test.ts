// The store as people ask it, on a real server: `MONGO_URL` is its address (`./sluice test` sets it).

import { randomBytes } from "node:crypto";
import { type AddressInfo, connect, createServer } from "node:net";
import { readEnvironment } from "@sluice/config";
import { machineTime, silentLogger } from "@sluice/kernel";
import { createMetrics } from "@sluice/service";
import { sampleConfiguration, seededRandom } from "@sluice/testkit";
import { expect, test } from "vitest";
import { queriedStore } from "../store.ts";

/** An answer of the control API that has not begun by then is late. */
const answerMaxMs = 8_000;
/** A socket to the store that says nothing for so long is closed, whatever goes on behind it. */
const silenceMaxMs = 15_000;
const { hostname, port } = new URL((process.env["MONGO_URL"] ?? "").replace("mongodb://", "http://"));

test("each read that people wait for has its bound at the server too", async () => {
  let sent = "";
  const server = createServer((near) => {
    const far = connect(Number(port), hostname);
    near.on("data", (bytes) => (sent += bytes.toString("latin1")));
    near.on("error", () => far.destroy());
    far.on("error", () => near.destroy());
    near.pipe(far).pipe(near);
  }).listen(0, "127.0.0.1");
  await new Promise((resolve) => server.once("listening", resolve));
  await using opened = new AsyncDisposableStack();
  opened.defer(() => void server.close());
  const { port: proxied } = server.address() as AddressInfo;
  const given = {
    MONGO_URL: `mongodb://127.0.0.1:${proxied}/?directConnection=true`,
    SLUICE_DATABASE: `queried_store_test_${randomBytes(6).toString("hex")}`,
  };
  const opening = {
    name: "console",
    environment: readEnvironment(given, queriedStore.variables),
    configuration: sampleConfiguration({}),
    random: seededRandom("store"),
    metrics: createMetrics({ withProcess: false }),
    stopping: new AbortController().signal,
  };
  const store = await queriedStore.open({ ...opening, time: machineTime, logger: silentLogger, opened });
  sent = "";
  expect(await store.transactions.search({}, null, 10)).toEqual([]);
  expect(await store.transactions.totals({})).toEqual([]);
  const reads = sent.replaceAll("\u0002aggregate\0", "\u0002find\0").split("\u0002find\0").slice(1);
  expect(reads.length).toBeGreaterThanOrEqual(2);
  for (const command of reads) {
    const [, bound = ""] = command.split("maxTimeMS\0");
    const boundMs = Buffer.from(bound.slice(0, 4), "latin1").readInt32LE();
    // Large days are counted behind an answer that has begun, and counts that are kept behind no answer at all.
    expect(boundMs).toBeGreaterThan(answerMaxMs);
    expect(boundMs).toBeLessThan(silenceMaxMs);
  }
});
