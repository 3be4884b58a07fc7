// inboundCreditTransferAuthorizationResponse: a bank reports on a credit that it was sent.

import { authorizeReport } from "./status-report.ts";
import { findServedOperation, type IngressOperation } from "./operation.ts";

export const inboundCreditTransferAuthorizationResponse: IngressOperation = {
  name: "inboundCreditTransferAuthorizationResponse",
  ...findServedOperation("inboundCreditTransferAuthorizationResponse"),
  parseAndAuthorize: (submission) => authorizeReport("inboundCreditTransferAuthorizationResponse", submission, () => true),
};
