// All planted bugs, in the order of a debit's way.

import type { PlantedBug } from "../planted-bug.ts";
import { contractBugs } from "./contracts.ts";
import { deliveryBugs } from "./delivery.ts";
import { domainBugs } from "./domain.ts";
import { intakeBugs } from "./intake.ts";
import { messagingBugs } from "./messaging.ts";
import { schedulerBugs } from "./scheduler.ts";
import { secrecyBugs } from "./secrecy.ts";
import { storeBugs } from "./store.ts";
import { taskBugs } from "./tasks.ts";

export const plantedBugs: readonly PlantedBug[] = [
  ...intakeBugs,
  ...contractBugs,
  ...secrecyBugs,
  ...domainBugs,
  ...schedulerBugs,
  ...taskBugs,
  ...storeBugs,
  ...messagingBugs,
  ...deliveryBugs,
];
