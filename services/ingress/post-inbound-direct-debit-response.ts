// inboundDirectDebitResponse: a bank reports on a debit that it was sent.

import { judgeReport } from "./judge-report.ts";
import { served, type Operation } from "./operation.ts";

export const inboundDirectDebitResponse: Operation = {
  name: "inboundDirectDebitResponse",
  ...served("inboundDirectDebitResponse"),
  judge: (submission) => judgeReport("inboundDirectDebitResponse", submission, ({ takesDebits }) => takesDebits),
};
