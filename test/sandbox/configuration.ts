// The configuration of a sandbox: one bank, which is the reader's own, a clearing house, and an operator. The tokens
// are public: they open nothing but this process.
//
// #1 The zone is one in which it is about seven in the morning at the start, so that the window of the day is ahead at
//    any hour, while signatures have the machine's time. Every date is a working day.

import { createHash } from "node:crypto";
import { stringify } from "yaml";
import { noonZone } from "@sluice/environment/noon-zone";

export const sandboxBank = {
  id: "sample",
  token: "sample-bank-token",
  memberId: "250655",
  signingSecret: "whsec_c2x1aWNlLXNhbmRib3gtc2lnbmluZy1zZWNyZXQhIQ==",
} as const;
export const sandboxConnector = { id: "clearing", token: "sample-connector-token" } as const;
export const operatorToken = "sample-operator-token";
const secretVariable = "SANDBOX_SIGNING_SECRET";
const noonAfterStartMs = 5 * 3_600_000;

export interface SandboxConfiguration {
  readonly yaml: string;
  readonly environment: Readonly<Record<string, string>>;
}

/** `partyUrl` is the address at which Sluice finds the bank and the connector. */
export function sandboxConfiguration(startMs: number, partyUrl: string): SandboxConfiguration {
  const connection = { baseUrl: partyUrl, allowedAddresses: ["127.0.0.0/8"] };
  const yaml = stringify({
    version: "sandbox",
    partitionCount: 2,
    // #1
    calendars: { sandbox: { version: "sandbox/1", zone: noonZone(startMs + noonAfterStartMs), workingDays: [1, 2, 3, 4, 5, 6, 7] } },
    schemes: [
      {
        id: "ZA_EFT",
        calendar: "sandbox",
        processing: [{ opens: "08:00", closes: "16:00" }],
        reconciliation: "17:30",
        creditsFinal: "clock",
      },
    ],
    banks: [
      {
        id: sandboxBank.id,
        name: "Your bank",
        agents: [
          { memberId: sandboxBank.memberId, branchRanges: [["250000", "259999"]] },
          { memberId: "430000", branchRanges: [["430000", "430000"]] },
        ],
        tokenSha256: [sha256(sandboxBank.token)],
        ...connection,
        eventsUrl: partyUrl,
        signingKeys: [{ kind: "symmetric", secret: `\${${secretVariable}}` }],
      },
    ],
    connectors: [
      {
        id: sandboxConnector.id,
        name: "Clearing house",
        schemes: ["ZA_EFT"],
        tokenSha256: [sha256(sandboxConnector.token)],
        ...connection,
      },
    ],
    operators: [{ id: "you", name: "You", tokenSha256: [sha256(operatorToken)], roles: ["read", "act", "approve"] }],
    resolutionNeedsSecondPerson: false,
    secondPerson: { actions: [] },
  });
  return { yaml, environment: { [secretVariable]: sandboxBank.signingSecret } };
}

function sha256(token: string): string {
  return createHash("sha256").update(token).digest("hex");
}
