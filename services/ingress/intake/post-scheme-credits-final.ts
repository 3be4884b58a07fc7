// creditsFinal of a connector: the credits of its scheme are complete, for every bank.

import { authorizeCreditsFinal } from "./credits-final.ts";
import { findServedOperation, type IngressOperation } from "./operation.ts";

export const schemeCreditsFinal: IngressOperation = {
  name: "creditsFinal",
  ...findServedOperation("schemeCreditsFinal"),
  parseAndAuthorize: (submission) => authorizeCreditsFinal("connector", submission),
};
