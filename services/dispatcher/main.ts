import { listParties } from "@sluice/config";
import { receiverGateway } from "@sluice/delivery/receiver-gateway";
import { broker, registry, runService } from "@sluice/process";
import { preparedStore } from "@sluice/process/store";
import { startDispatcher } from "./service.ts";

runService("dispatcher", {
  needs: {
    serde: registry,
    store: preparedStore("dispatcher"),
    messaging: broker("dispatcher", { busyLingerMaxMs: 20 }),
    gateway: receiverGateway(listParties),
  },
  start: startDispatcher,
});
