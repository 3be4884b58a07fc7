// The operations that ingress serves.

import type { IngressOperation } from "./intake/operation.ts";
import { bankCreditsFinal } from "./intake/post-credits-final.ts";
import { inboundCreditTransferAuthorizationResponse } from "./intake/post-inbound-credit-transfer-authorisation-response.ts";
import { inboundDirectDebitResponse } from "./intake/post-inbound-direct-debit-response.ts";
import { outboundDirectDebit } from "./intake/post-outbound-direct-debit.ts";
import { schemeCreditsFinal } from "./intake/post-scheme-credits-final.ts";
import { schemeInboundCreditTransferAuthorization } from "./intake/post-scheme-inbound-credit-transfer-authorisation.ts";
import { schemeInboundDirectDebit } from "./intake/post-scheme-inbound-direct-debit.ts";

export const ingressOperations: readonly IngressOperation[] = [
  outboundDirectDebit,
  inboundDirectDebitResponse,
  inboundCreditTransferAuthorizationResponse,
  bankCreditsFinal,
  schemeInboundDirectDebit,
  schemeInboundCreditTransferAuthorization,
  schemeCreditsFinal,
];
