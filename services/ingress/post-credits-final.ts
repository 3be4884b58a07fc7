// creditsFinal of a bank: it has sent, and been sent, all credits of the day, and declares that for itself alone.

import { judgeCreditsFinal } from "./judge-credits-final.ts";
import { served, type Operation } from "./operation.ts";

export const creditsFinal: Operation = {
  name: "creditsFinal",
  ...served("creditsFinal"),
  judge: (submission) => judgeCreditsFinal("bank", submission),
};
