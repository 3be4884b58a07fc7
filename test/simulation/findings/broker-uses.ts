// Says which of its rights at the broker each simulated service uses, and what a service does without one.

import { type BrokerOperation, type BrokerService, brokerRightsOf, brokerServices } from "@sluice/contracts";

export interface BrokerUses {
  /** A call of the port, as the memory adapter observes it. */
  observe(client: string, operation: string, key: string): void;
  /** Each right that was used, as `scheduler: read topic sluice.journal.v1`. */
  readonly used: ReadonlySet<string>;
  /** What was done without a right, in the same words; empty in a good run. */
  readonly forbidden: ReadonlySet<string>;
}

/** The calls that need a right, and what each names first in its key. */
const operations: Readonly<Record<string, { readonly kind: "topic" | "group"; readonly operation: BrokerOperation }>> = {
  send: { kind: "topic", operation: "write" },
  record: { kind: "topic", operation: "read" },
  read: { kind: "topic", operation: "read" },
  ends: { kind: "topic", operation: "describe" },
  consumer: { kind: "group", operation: "read" },
  commit: { kind: "group", operation: "read" },
  "committed-offsets": { kind: "group", operation: "describe" },
};

/** A rebuild comes with the scheduler's credentials. */
const serviceOf = (client: string): BrokerService | null => {
  const name = client.replace(/-\d+\.\d+$/, "");
  return name === "rebuild" ? "scheduler" : (brokerServices.find((service) => service === name) ?? null);
};

export function watchBrokerUses(): BrokerUses {
  const rights = new Set(brokerServices.flatMap((service) => brokerRightsOf(service).map((right) => textOf(service, right))));
  const seen = new Set<string>();
  const used = new Set<string>();
  const forbidden = new Set<string>();

  function judge(service: BrokerService, kind: "topic" | "group", operation: BrokerOperation, name: string): void {
    const right = textOf(service, { kind, name, operation });
    if (rights.has(right)) used.add(right);
    // A right to read or to write includes to describe.
    else if (
      operation !== "describe" ||
      !["read", "write"].some((other) => rights.has(textOf(service, { kind, name, operation: other })))
    ) {
      forbidden.add(right);
    }
  }

  return {
    used,
    forbidden,
    observe(client, call, key) {
      const needed = operations[call];
      if (needed === undefined) return;
      const { kind, operation } = needed;
      for (const part of call === "ends" ? key.split(",") : [key]) {
        const name = /^[^/:]*/.exec(part)?.[0] ?? "";
        const once = `${client} ${call} ${name}`;
        if (seen.has(once)) continue;
        seen.add(once);
        const service = serviceOf(client);
        if (service !== null) judge(service, kind, operation, name);
      }
    },
  };
}

function textOf(
  service: string,
  { kind, name, operation }: { readonly kind: string; readonly name: string; readonly operation: string },
): string {
  return `${service}: ${operation} ${kind} ${name}`;
}
