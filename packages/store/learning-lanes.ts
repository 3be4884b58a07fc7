// A take-over by the scheduler says which build its lane's transactions lie in: from then on its own reads and writes go there.

import type { LaneStore } from "./port.ts";
import type { LaneBuild } from "./transactions-routed.ts";

export function learning(lanes: LaneStore, learn: (lane: LaneBuild) => void): LaneStore {
  return {
    ...lanes,
    async takeOver(service, partition) {
      const taken = await lanes.takeOver(service, partition);
      if (service === "scheduler") learn(taken);
      return taken;
    },
  };
}
