// The gateway to receivers as a need of a service.

import type { Configuration } from "@sluice/config";
import type { Need } from "@sluice/process";
import type { DeliveryReceiver } from "../endpoint/operation-addresses.ts";
import type { ReceiverGateway } from "../port.ts";
import { createUndiciGateway } from "./gateway-undici.ts";

/** `listReceivers` lists the receivers that the service delivers to. */
export function receiverGateway(
  listReceivers: (configuration: Configuration) => readonly DeliveryReceiver[],
): Need<ReceiverGateway, "SLUICE_NAME_SERVERS"> {
  return {
    variables: ["SLUICE_NAME_SERVERS"],
    usesSecrets: true,
    open({ environment, configuration, time, random, logger, metrics, opened }) {
      const options = { time, random, logger, metrics, nameServers: environment.SLUICE_NAME_SERVERS };
      return opened.adopt(createUndiciGateway(listReceivers(configuration), options), (gateway) => gateway.close());
    },
  };
}
