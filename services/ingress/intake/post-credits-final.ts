// creditsFinal of a bank: all credits of the day have been sent and received, and the bank declares that for itself
// only.

import { authorizeCreditsFinal } from "./credits-final.ts";
import { findServedOperation, type IngressOperation } from "./operation.ts";

export const bankCreditsFinal: IngressOperation = {
  name: "creditsFinal",
  ...findServedOperation("creditsFinal"),
  parseAndAuthorize: (submission) => authorizeCreditsFinal("bank", submission),
};
