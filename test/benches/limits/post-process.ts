// The process that posts debits over some connections, each as soon as the one before it was answered. A line of input
// is a load, a line of output its result.

import { createInterface } from "node:readline";
import { machineTime } from "@sluice/kernel";
import { Pool } from "undici";
import { bankToken } from "../messages.ts";
import { createDebits } from "./debits.ts";
import type { PostLoad, PostResult } from "./post.ts";

async function post({ url, branch, run, requests, connections }: PostLoad): Promise<PostResult> {
  const debits = createDebits(run, branch, new Date(machineTime.nowMs()).toISOString());
  const pool = new Pool(url, { connections, pipelining: 1 });
  const headers = { authorization: `Bearer ${bankToken}`, "content-type": "application/json" };
  let [next, refused] = [0, 0];
  const work = async (): Promise<void> => {
    while (next < requests) {
      const { body } = debits(next++);
      const answer = await pool.request({ method: "POST", path: "/transactions/outbound/direct-debit", headers, body });
      await answer.body.dump();
      if (answer.statusCode !== 202) refused += 1;
    }
  };
  const before = process.cpuUsage();
  const startedMs = machineTime.monotonicMs();
  await Promise.all(Array.from({ length: connections }, work));
  const tookMs = machineTime.monotonicMs() - startedMs;
  const { user, system } = process.cpuUsage(before);
  await pool.close();
  return { tookMs, processorSeconds: (user + system) / 1_000_000, refused };
}

for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await post(JSON.parse(line)))}\n`);
}
process.exit(0);
