import { receiverGateway } from "@sluice/delivery/receiver-gateway";
import { broker, registry, runService } from "@sluice/process";
import { preparedStore } from "@sluice/process/store";
import { startEventPublisher } from "./service.ts";

runService("event-publisher", {
  needs: {
    serde: registry,
    store: preparedStore("event-publisher"),
    messaging: broker("event-publisher", { busyLingerMaxMs: 20, fetchSpacingMs: 20 }),
    gateway: receiverGateway(({ banks }) => banks),
  },
  start: startEventPublisher,
});
