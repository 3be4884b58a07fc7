// What a bank was sent about a transaction, and what the connector was told of it.

import { expect } from "vitest";
import { receivedBy, transactionOf, until } from "./evidence.ts";
import type { Received } from "./evidence.ts";
import { flows, identificationOf } from "./flows.ts";
import type { Case } from "./flows.ts";
import { connectorId } from "./world.ts";
import type { World } from "./world.ts";

/** As the debit or credit reached its bank. */
export function inboundOf(world: World, { flow, bank, uetr }: Case): readonly Received[] {
  return receivedBy(world, bank, flows[flow].inbound, uetr);
}

/** Outcomes that the connector was told, acknowledged or not. */
export function outcomesOf(world: World, { flow, uetr }: Case): readonly Received[] {
  return receivedBy(world, connectorId, flows[flow].answer, uetr);
}

/** Until the connector was told this, under one identification and in the same bytes each time, and acknowledged it once. Answers the statuses it gave. */
export async function untilTold(world: World, about: Case, status: Readonly<Record<string, unknown>>): Promise<readonly (number | null)[]> {
  return await until(async () => {
    const told = outcomesOf(world, about);
    const { messageIdentification } = about;
    expect(told.filter((outcome) => outcome.status === 202)).toMatchObject([
      {
        webhookId: identificationOf(about, "O1"),
        message: { schema: "PaymentStatusReport", originalMessageIdentifiers: { messageIdentification }, status },
      },
    ]);
    expect(new Set(told.map(({ bodyHash }) => bodyHash)).size).toBe(1);
    expect((await transactionOf(world, about.uetr)).outcome).toMatchObject({ number: 1, acknowledgedAtMs: expect.any(Number) });
    return told.map((outcome) => outcome.status);
  });
}
