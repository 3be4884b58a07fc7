// The debits of a bench of limits as a function of their number, so that each process builds the same bytes at almost
// no cost: only the UETR and the message's identification differ between two debits of one account.

import { buildDirectDebit, encodeBody, validAccount } from "@sluice/testkit";

export interface BenchDebit {
  readonly uetr: string;
  readonly body: Uint8Array;
}

const accounts = 50;
const uetrPlace = "00000000-0000-4000-8000-000000000000";
const identificationPlace = "BENCH-00000000000000000000000";

/** `run` makes the UETRs of different runs differ; `branch` is the debtor's. */
export function createDebits(run: number, branch: string, creationDateTime: string): (number: number) => BenchDebit {
  const templates = Array.from({ length: accounts }, (_, index) => {
    const debit = buildDirectDebit({
      uetr: uetrPlace,
      messageIdentification: identificationPlace,
      debtorBranch: branch,
      debtorAccount: validAccount(index),
      creationDateTime,
    });
    return Buffer.from(encodeBody(debit)).toString("latin1");
  });
  const runText = run.toString(16).padStart(12, "0");
  return (number) => {
    const uetr = `${number.toString(16).padStart(8, "0")}-0000-4000-8000-${runText}`;
    const identification = `BENCH-${runText}${number.toString(16).padStart(11, "0")}`;
    const template = templates[number % accounts] ?? "";
    return { uetr, body: Buffer.from(template.replaceAll(uetrPlace, uetr).replaceAll(identificationPlace, identification), "latin1") };
  };
}
