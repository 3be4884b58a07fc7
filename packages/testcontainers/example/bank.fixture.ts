// A bank as small as it can be: it posts debits of its customers, pays or refuses those that come back to it, and
// reports. Its receiver verifies each posting, and takes it once.

import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { createMemoryInbox, createReceiver, type ExactJson, isExactObject, type Message, nodeListener, readKeys } from "@sluice/receiver";

export interface BankAccess {
  /** Where Sluice takes messages, and the token that it knows this bank by. */
  readonly url: string;
  readonly token: string;
  readonly branch: string;
}

export interface Collection {
  readonly uetr: string;
  /** Of the customer who pays. */
  readonly account: string;
}

/** Secret with which Sluice signs for this bank. */
export const bankSecret = `whsec_${Buffer.from("a secret of tests, 32 bytes long").toString("base64")}`;
/** Signatures have the time of Sluice's clock, which these tests move ahead of ours: by a week at most. */
const toleranceMs = 7 * 24 * 3_600_000;
const amount = { value: 1250.5, currency: "ZAR" };

export class ExampleBank implements AsyncDisposable {
  /** Debits that it has paid, and states that it was informed of, as `UETR STATE`, in order. */
  readonly paid: string[] = [];
  readonly informed: string[] = [];
  /** Accounts that are closed: their debits are refused. */
  readonly closedAccounts = new Set<string>();
  readonly #server = createServer();
  #access: BankAccess | null = null;

  /** Where Sluice reaches it. */
  url = "";

  /** `host` is where it listens; a Sluice that is kept for other runs reaches all addresses of this machine only. */
  static async open(host = "127.0.0.1"): Promise<ExampleBank> {
    const bank = new ExampleBank();
    const read = await readKeys([bankSecret]);
    if (!read.ok) throw new Error(read.reason);
    const inbox = createMemoryInbox({ idsMax: 10_000, effect: (message) => bank.#take(message) });
    bank.#server.on("request", nodeListener(createReceiver({ keys: read.keys, inbox, nowMs: Date.now, toleranceMs })));
    bank.#server.listen(0, host);
    await once(bank.#server, "listening");
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- a server that listens on a port
    bank.url = `http://127.0.0.1:${(bank.#server.address() as AddressInfo).port}`;
    return bank;
  }

  /** Tells it where Sluice is. */
  connect(access: BankAccess): void {
    this.#access = access;
  }

  /** Collects a debit from a customer for another of its customers. Resolves with the status of the answer. */
  collect({ uetr, account }: Collection): Promise<number> {
    const agent = { memberId: this.#need().branch, name: "Example Bank", branch: { identification: this.#need().branch } };
    return this.#post("/transactions/outbound/direct-debit", {
      schema: "DirectDebit",
      messageIdentifiers: { messageIdentification: `COLLECT-${uetr.slice(0, 8)}`, creationDateTime: new Date().toISOString() },
      transactionIdentifiers: { endToEndIdentification: "INV-88123", uetr },
      amounts: { bankSettlementAmount: amount, instructedAmount: amount },
      creditor: { legalName: "Karoo Insurance Ltd", countryOfResidence: "ZA" },
      creditorAccount: accountOf("62001872440"),
      creditorAgent: agent,
      debtor: { legalName: "T Mokoena", countryOfResidence: "ZA" },
      debtorAccount: accountOf(account),
      debtorAgent: agent,
      paymentScheme: { schema: "ZA_EFT", schemeData: { userReference: "KAROOINS  POLICY 88123" } },
      sequenceType: "RCUR",
    });
  }

  /** Ends it, with all its connections. */
  async [Symbol.asyncDispose](): Promise<void> {
    const closed = once(this.#server, "close");
    this.#server.close();
    this.#server.closeAllConnections();
    await closed;
  }

  /** What it does with a message that it takes for the first time. */
  #take({ path, uetr, json }: Message): void {
    if (uetr === null) return;
    if (path === "/events") this.informed.push(`${uetr} ${textAt(json, "state")}`);
    if (path !== "/inbound/direct-debit") return;
    const isClosed = this.closedAccounts.has(textAt(json, "debtorAccount", "identification", "value"));
    if (!isClosed) this.paid.push(uetr);
    void this.#report(uetr, json, isClosed);
  }

  async #report(uetr: string, json: Message["json"], isClosed: boolean): Promise<void> {
    const refusal = { outcome: "REJECTED", code: "RJCT", reasonInfo: [{ reason: { schema: "CODE", value: "AC04" } }] };
    await this.#post("/transactions/inbound/direct-debit-response", {
      schema: "PaymentStatusReport",
      messageIdentifiers: { messageIdentification: `REPORT-${uetr.slice(0, 8)}`, creationDateTime: new Date().toISOString() },
      originalMessageIdentifiers: {
        messageIdentification: textAt(json, "messageIdentifiers", "messageIdentification"),
        creationDateTime: textAt(json, "messageIdentifiers", "creationDateTime"),
      },
      transactionIdentifiers: { endToEndIdentification: textAt(json, "transactionIdentifiers", "endToEndIdentification"), uetr },
      paymentScheme: { schema: "ZA_EFT" },
      status: isClosed ? refusal : { outcome: "APPROVED", code: "ACSC" },
    });
  }

  async #post(path: string, message: object): Promise<number> {
    const { url, token } = this.#need();
    const headers = { authorization: `Bearer ${token}`, "content-type": "application/json" };
    const answer = await fetch(`${url}${path}`, { method: "POST", headers, body: JSON.stringify(message) });
    await answer.body?.cancel();
    return answer.status;
  }

  #need(): BankAccess {
    if (this.#access === null) throw new Error("the bank does not know where Sluice is");
    return this.#access;
  }
}

function accountOf(value: string) {
  return { identification: { schema: "GENERIC", value }, currency: "ZAR", type: { schema: "CODE", value: "CACC" } };
}

function textAt(json: Message["json"], ...names: readonly string[]): string {
  let value: ExactJson | undefined = json;
  for (const name of names) value = isExactObject(value) ? value[name] : null;
  return typeof value === "string" ? value : "";
}
