// A process of its own that posts once to each address of its arguments, and says what came of it. It also fetches the first as any program
// would: that follows the environment, which shows that the environment was heard.

import { machineTime } from "@sluice/runtime";
import { silentLog, silentMetrics } from "@sluice/telemetry";
import { sampleBank } from "@sluice/testkit";
import { createUndiciGateway } from "./gateway-undici.ts";

const addresses = process.argv.slice(2);

async function post(baseUrl: string): Promise<number | string> {
  const bank = sampleBank({ id: "first", baseUrl, allowedAddresses: ["127.0.0.1"] });
  const gateway = createUndiciGateway([bank], { time: machineTime, log: silentLog, metrics: silentMetrics });
  const body = new TextEncoder().encode("{}");
  const answer = await gateway.post({ bank: "first", operation: "inboundDirectDebit", body, headers: {}, timeoutMs: 5_000 });
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
