// creditsFinal of a connector: the credit run of its scheme is complete, for every bank.

import { judgeCreditsFinal } from "./judge-credits-final.ts";
import { served, type Operation } from "./operation.ts";

export const schemeCreditsFinal: Operation = {
  name: "creditsFinal",
  ...served("schemeCreditsFinal"),
  judge: (submission) => judgeCreditsFinal("connector", submission),
};
