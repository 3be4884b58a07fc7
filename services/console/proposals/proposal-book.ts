// What the topic of proposals says: each proposal, and how it ended. The book goes on reading where it stopped, so
// that asking again costs only what is new.
//
// #1 Its memory is bounded: it starts with the newest `recordsReadMax` records, and forgets the oldest proposals beyond
//    `proposalsKeptMax` and `charactersKeptMax`. A forgotten proposal cannot be confirmed.
// #2 Readings follow each other. One that fails is repeated by the next one from where it stopped.
// #3 A record that cannot be decoded proposes and ends nothing.

import { partitionFor, topics, type AnyDecodedRecord, type Serde } from "@sluice/contracts";
import { requireCovered, type Messaging, type ReceivedRecord } from "@sluice/messaging";
import { Fault } from "@sluice/kernel";
import { judgeEnd, readEnd, readProposal, type Proposal } from "./proposal.ts";

/** Key of every record of the topic: all lie in one partition, in one order. */
export const proposalsKey = "proposals";

export interface ProposalBookPorts {
  readonly messaging: Pick<Messaging, "ends" | "read">;
  readonly serde: Pick<Serde, "decode" | "learn">;
  readonly partitionCount: number;
}

export interface Proposals {
  find(id: string): Proposal | null;
  /** The proposal that a confirmation, rejection or retraction under this id ended; null: none. */
  endedUnder(id: string): string | null;
  /** By offset, the oldest first. */
  list(): readonly Proposal[];
  /** Offset up to which the topic was read. */
  readonly position: bigint;
}

export interface ProposalBook {
  /** Reads to the present end of the topic. Rejects with a retryable Fault while the log is not available. */
  read(): Promise<Proposals>;
}

const recordsReadMax = 5_000n;
const proposalsKeptMax = 2_000;
const charactersKeptMax = 8_000_000;

export function createProposalBook(ports: ProposalBookPorts): ProposalBook {
  const place = { topic: topics.proposals, partition: partitionFor(proposalsKey, ports.partitionCount) };
  const pages = new ProposalPages();
  let reading: Promise<unknown> = Promise.resolve();

  async function readOn(): Promise<Proposals> {
    const [ends] = await ports.messaging.ends([place]);
    if (ends === undefined) return pages;
    const first = ends.logEnd - recordsReadMax > ends.logStart ? ends.logEnd - recordsReadMax : ends.logStart;
    const from = pages.position > first ? pages.position : first;
    for await (const record of requireCovered(ports.messaging.read(place, from, ends.logEnd), place, from, ends.logEnd)) {
      pages.take(await decode(ports.serde, record), record);
    }
    return pages;
  }

  return {
    read() {
      const next = reading.then(readOn, readOn);
      reading = next.catch(() => null);
      return next;
    },
  };
}

class ProposalPages implements Proposals {
  position = 0n;
  readonly #byId = new Map<string, Proposal>();
  readonly #endedUnder = new Map<string, string>();
  #characters = 0;

  find(id: string): Proposal | null {
    return this.#byId.get(id) ?? null;
  }

  endedUnder(id: string): string | null {
    return this.#endedUnder.get(id) ?? null;
  }

  list(): readonly Proposal[] {
    return [...this.#byId.values()];
  }

  /** Null: the record says nothing that is known here. */
  take(decoded: AnyDecodedRecord | null, at: ReceivedRecord): void {
    this.position = at.offset + 1n;
    if (decoded?.name === "DecisionProposed") this.#propose(readProposal(decoded, at));
    const given = decoded === null ? null : readEnd(decoded);
    const proposal = given === null ? null : this.find(given.id);
    if (given === null || proposal === null) return;
    const { kind, id, action } = given;
    if (judgeEnd(proposal, given, this.endedUnder(action.id), at.appendedAtMs) !== null) return;
    this.#byId.set(id, { ...proposal, end: { kind, action, atMs: at.appendedAtMs } });
    this.#endedUnder.set(action.id, id);
  }

  /** #1 */
  #propose(proposal: Proposal | null): void {
    if (proposal === null || this.#byId.has(proposal.action.id)) return;
    this.#byId.set(proposal.action.id, proposal);
    this.#characters += proposal.body.length;
    for (const [id, oldest] of this.#byId) {
      if (this.#byId.size <= proposalsKeptMax && this.#characters <= charactersKeptMax) return;
      this.#byId.delete(id);
      this.#characters -= oldest.body.length;
      if (oldest.end !== null) this.#endedUnder.delete(oldest.end.action.id);
    }
  }
}

/** #3 */
async function decode(serde: ProposalBookPorts["serde"], { value }: ReceivedRecord): Promise<AnyDecodedRecord | null> {
  if (value === null) return null;
  try {
    await serde.learn(value);
    return serde.decode(value);
  } catch (error) {
    if (error instanceof Fault && !error.isRetryable) return null;
    throw error;
  }
}
