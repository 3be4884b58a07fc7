// inboundCreditTransferAuthorizationResponse: a bank reports on a credit that it was sent.

import { judgeReport } from "./judge-report.ts";
import { served, type Operation } from "./operation.ts";

export const inboundCreditTransferAuthorizationResponse: Operation = {
  name: "inboundCreditTransferAuthorizationResponse",
  ...served("inboundCreditTransferAuthorizationResponse"),
  judge: (submission) => judgeReport("inboundCreditTransferAuthorizationResponse", submission, () => true),
};
