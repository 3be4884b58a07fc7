// inboundDirectDebitResponse: a bank reports on a debit that it was sent.

import { authorizeReport } from "./status-report.ts";
import { findServedOperation, type IngressOperation } from "./operation.ts";

export const inboundDirectDebitResponse: IngressOperation = {
  name: "inboundDirectDebitResponse",
  ...findServedOperation("inboundDirectDebitResponse"),
  parseAndAuthorize: (submission) => authorizeReport("inboundDirectDebitResponse", submission, ({ takesDebits }) => takesDebits),
};
