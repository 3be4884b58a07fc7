// Every operation that ingress takes.

import type { Operation } from "./operation.ts";
import { creditsFinal } from "./post-credits-final.ts";
import { inboundCreditTransferAuthorizationResponse } from "./post-inbound-credit-transfer-authorisation-response.ts";
import { inboundDirectDebitResponse } from "./post-inbound-direct-debit-response.ts";
import { outboundDirectDebit } from "./post-outbound-direct-debit.ts";
import { schemeCreditsFinal } from "./post-scheme-credits-final.ts";
import { schemeInboundCreditTransferAuthorization } from "./post-scheme-inbound-credit-transfer-authorisation.ts";
import { schemeInboundDirectDebit } from "./post-scheme-inbound-direct-debit.ts";

export const operations: readonly Operation[] = [
  outboundDirectDebit,
  inboundDirectDebitResponse,
  inboundCreditTransferAuthorizationResponse,
  creditsFinal,
  schemeInboundDirectDebit,
  schemeInboundCreditTransferAuthorization,
  schemeCreditsFinal,
];
