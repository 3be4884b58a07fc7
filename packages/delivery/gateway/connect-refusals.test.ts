import { expect, test } from "vitest";
import { connectRefusals } from "./connect-refusals.ts";
import { classifyAnswer, mayHaveTaken } from "../attempt/retry-law.ts";

const ours = ["address-not-allowed", "tls-required", "credentials-not-read", "proxy-authentication-required", "proxy-refused"];
const certificates = ["CERT_HAS_EXPIRED", "ERR_TLS_CERT_ALTNAME_INVALID", "UNABLE_TO_VERIFY_LEAF_SIGNATURE", "SELF_SIGNED_CERT_IN_CHAIN"];

test("a connection that we refused is about the address, and nobody has taken the message", () => {
  for (const reason of [...ours, ...certificates, ...connectRefusals]) {
    const answer = { kind: "silent", reason } as const;
    expect([reason, classifyAnswer(answer, () => false), mayHaveTaken(answer, () => false)]).toEqual([reason, "address", false]);
  }
});

test("any other reason without response is transient, and the message may have been taken", () => {
  for (const reason of ["timeout", "ECONNREFUSED", "UND_ERR_SOCKET", "answer-too-long", "proxy-failed", "proxy-unreachable", "ENOTFOUND"]) {
    const answer = { kind: "silent", reason } as const;
    expect([reason, classifyAnswer(answer, () => false), mayHaveTaken(answer, () => false)]).toEqual([reason, "transient", true]);
  }
});
