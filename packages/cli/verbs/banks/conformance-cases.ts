// What a bank's endpoint must do, case by case: Sluice's part is played against it, and each case says what is wrong.
//
// #1 Each case posts messages of its own, so that cases do not depend on each other.
// #2 A case that needs a signature is left out where no secret was given.

import { buildDebit, buildEvents, signPost, withUnknownMember, type SamplePost } from "./sample-posts.ts";

export interface PostAnswer {
  /** Null: no answer in time. */
  readonly status: number | null;
  readonly tookMs: number;
}

export interface CasePorts {
  /** The current epoch milliseconds. */
  nowMs(): number;
  post(path: string, headers: Readonly<Record<string, string>>, body: string): Promise<PostAnswer>;
  /** The shared secret, `whsec_…`; null: none was agreed on. */
  readonly secret: string | null;
}

export interface CaseResult {
  readonly name: string;
  /** What is wrong, with what Sluice would do; null: nothing. */
  readonly wrong: string | null;
  readonly tookMs: number;
}

interface Case {
  readonly name: string;
  readonly isSigned: boolean;
  /** Returns what is wrong. */
  run(bank: Bank): Promise<string | null>;
}

const parallelPosts = 64;
const staleSeconds = 10 * 60;

export async function runCases(ports: CasePorts): Promise<readonly CaseResult[]> {
  const results: CaseResult[] = [];
  for (const one of cases) {
    if (one.isSigned && ports.secret === null) continue;
    const bank = new Bank(ports);
    const wrong = await one.run(bank);
    results.push({ name: one.name, wrong, tookMs: bank.slowestMs });
  }
  return results;
}

class Bank {
  readonly #ports: CasePorts;
  slowestMs = 0;

  constructor(ports: CasePorts) {
    this.#ports = ports;
  }

  /** `change` replaces headers; a null removes one. */
  async send(post: SamplePost, change: Readonly<Record<string, string | null>> = {}, ageSeconds = 0): Promise<number | null> {
    const { secret } = this.#ports;
    const timestamp = Math.floor(this.#ports.nowMs() / 1_000) - ageSeconds;
    const headers: Record<string, string | null> = {
      "content-type": "application/json",
      "webhook-id": post.webhookId,
      "idempotency-key": post.webhookId,
      "webhook-timestamp": String(timestamp),
      "webhook-signature": secret === null ? null : signPost(secret, post.webhookId, timestamp, post.body),
      "sluice-sequence": post.sequence === null ? null : String(post.sequence.number),
      "sluice-previous-id": post.sequence?.previousId ?? null,
      ...change,
    };
    const given = Object.fromEntries(Object.entries(headers).flatMap(([name, value]) => (value === null ? [] : [[name, value]])));
    const { status, tookMs } = await this.#ports.post(post.path, given, post.body);
    this.slowestMs = Math.max(this.slowestMs, tookMs);
    return status;
  }

  /** A good signature beside one that fits no key, as while a key is replaced. */
  async sendWithTwoSignatures(post: SamplePost): Promise<number | null> {
    const timestamp = Math.floor(this.#ports.nowMs() / 1_000);
    const good = signPost(this.#ports.secret ?? "", post.webhookId, timestamp, post.body);
    return await this.send(post, { "webhook-timestamp": String(timestamp), "webhook-signature": `${forged} ${good}` });
  }
}

const forged = `v1,${Buffer.alloc(32).toString("base64")}`;

/** Every case in the order in which it is played. */
const cases: readonly Case[] = [
  { name: "takes a debit", isSigned: false, run: async (bank) => taken([await bank.send(buildDebit())]) },
  {
    name: "takes the same debit again, with the same id and bytes",
    isSigned: false,
    async run(bank) {
      const debit = buildDebit();
      const [first, second] = [await bank.send(debit), await bank.send(debit)];
      const isRefusal = first === 202 && second === 409;
      return isRefusal ? null : taken([first, second]);
    },
  },
  {
    name: "takes the events of a transaction in order",
    isSigned: false,
    run: async (bank) => taken(await inTurn(buildEvents(3), (event) => bank.send(event))),
  },
  {
    name: "takes an event after a gap, and the missing one later",
    isSigned: false,
    async run(bank) {
      const [first, second, third] = buildEvents(3);
      return taken(
        await inTurn(
          [first, third, second].filter((event) => event !== undefined),
          (event) => bank.send(event),
        ),
      );
    },
  },
  {
    name: "ignores a member that it does not know",
    isSigned: false,
    run: async (bank) => taken([await bank.send(withUnknownMember(buildDebit()))]),
  },
  {
    name: `takes ${parallelPosts} debits at once`,
    isSigned: false,
    run: async (bank) => taken(await Promise.all(Array.from({ length: parallelPosts }, () => bank.send(buildDebit())))),
  },
  {
    name: "takes a debit if one of two signatures fits",
    isSigned: true,
    run: async (bank) => taken([await bank.sendWithTwoSignatures(buildDebit())]),
  },
  {
    name: "refuses a forged signature with 401",
    isSigned: true,
    run: async (bank) => refused(await bank.send(buildDebit(), { "webhook-signature": forged })),
  },
  {
    name: "refuses a missing signature with 401",
    isSigned: true,
    run: async (bank) => refused(await bank.send(buildDebit(), { "webhook-signature": null })),
  },
  {
    name: "refuses a time of ten minutes ago with 401",
    isSigned: true,
    run: async (bank) => refused(await bank.send(buildDebit(), {}, staleSeconds)),
  },
];

async function inTurn(
  posts: readonly SamplePost[],
  send: (post: SamplePost) => Promise<number | null>,
): Promise<readonly (number | null)[]> {
  const statuses: (number | null)[] = [];
  for (const post of posts) statuses.push(await send(post));
  return statuses;
}

function taken(statuses: readonly (number | null)[]): string | null {
  const bad = statuses.filter((status) => status !== 202);
  if (bad.length === 0) return null;
  const [status] = bad;
  const many = statuses.length === 1 ? "" : `${bad.length} of ${statuses.length}: `;
  return `${many}${status === null || status === undefined ? "no answer within 5 s" : `answered ${status}`}, not 202: ${whatSluiceDoes(status ?? null)}`;
}

function refused(status: number | null): string | null {
  if (status === 401) return null;
  if (status === 202) return "answered 202: it takes what anybody sends";
  if (status === 400) return "answered 400: Sluice gives the message up, where 401 would have it sent again";
  return `${status === null ? "no answer within 5 s" : `answered ${status}`}, not 401`;
}

const addressFaults = new Set([401, 403, 404, 405, 407, 410, 421]);

function whatSluiceDoes(status: number | null): string {
  if (status === null || status >= 500 || status === 408 || status === 425 || status === 429) return "Sluice sends it again and again";
  if (addressFaults.has(status) || status < 400) return "Sluice takes it as a fault of the address, and alerts people";
  return "Sluice gives the message up, and people have to look";
}
