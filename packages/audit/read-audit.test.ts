import { topics } from "@sluice/contracts";
import { expect, test } from "vitest";
import { playAudit } from "./audit.fixture.ts";
import { readAudit, readAuditEnds } from "./read-audit.ts";

test("a reading of the audit that the broker ends early is refused, and never taken for all of it [D10.62]", async () => {
  const { messaging, serde, partitionCount, settled, played } = await playAudit();
  const read = async (missing: bigint): Promise<number> => {
    const early: Parameters<typeof readAudit>[0]["messaging"] = {
      ends: (places) => messaging.ends(places),
      read: (place, from, to) => messaging.read(place, from, place.topic === topics.audit ? to - missing : to),
    };
    const ports = { messaging: early, serde, partitionCount };
    const { logStart, logEnd } = await settled(readAuditEnds(ports));
    return (await settled(Array.fromAsync(readAudit(ports, logStart, logEnd)))).length;
  };
  expect(await read(0n)).toBe(played.length);
  await expect(read(1n)).rejects.toMatchObject({ code: "messaging.read-incomplete", isRetryable: true });
});
