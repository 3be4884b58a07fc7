// A process that posts once to each address of its arguments and prints the answers. It also fetches the first address
// with `fetch`, which follows the environment: that proves that the environment's proxies were in effect.

import { machineRandom, machineTime, silentLogger, silentMetrics } from "@sluice/kernel";
import { sampleBank } from "@sluice/testkit";
import { createUndiciGateway } from "./gateway-undici.ts";

const addresses = process.argv.slice(2);

async function post(baseUrl: string): Promise<number | string> {
  const bank = sampleBank({ id: "first", baseUrl, allowedAddresses: ["127.0.0.1"] });
  const gateway = createUndiciGateway([bank], { time: machineTime, random: machineRandom, logger: silentLogger, metrics: silentMetrics });
  const body = new TextEncoder().encode("{}");
  const answer = await gateway.post({ receiverId: "first", operation: "inboundDirectDebit", body, headers: {}, timeoutMs: 5_000 });
  await gateway.close();
  return answer.kind === "answered" ? answer.status : answer.reason;
}

async function isFetched(url: string): Promise<boolean> {
  try {
    return (await fetch(url, { method: "POST", body: "{}" })).status === 202;
  } catch {
    return false;
  }
}

const gateway = await Promise.all(addresses.map(post));
process.stdout.write(JSON.stringify({ gateway, fetched: await isFetched(addresses[0] ?? "") }));
