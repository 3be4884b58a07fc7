// resolveItem, confirmResolution: what people found out about a reconciliation item. Where the configuration asks for a second person, a
// resolution counts when another operator, with the role approve, has confirmed it by the id of its action.

import { deciding, refused, type ActingPorts } from "./acting.ts";
import { decideOnTransaction } from "./acting-on-transaction.ts";
import type { ControlHandler } from "./control-handler.ts";

export function resolveItem(ports: ActingPorts): ControlHandler {
  return deciding(ports, "resolveItem", async (asked) => {
    const { day, resolution, replacedBy } = asked.body;
    if (replacedBy !== null && replacedBy === asked.question.path["uetr"]) {
      return refused(422, "The decision cannot be processed.", "/replacedBy: another transaction, not this one");
    }
    const needsSecondPerson = ports.configuration.resolutionNeedsSecondPerson;
    const value = { action: asked.action, day, resolution, replacedBy, needsSecondPerson };
    return await decideOnTransaction(ports, asked, { name: "ItemResolutionRequested", value });
  });
}

export function confirmResolution(ports: ActingPorts): ControlHandler {
  return deciding(ports, "confirmResolution", (asked) =>
    decideOnTransaction(ports, asked, {
      name: "ItemResolutionConfirmed",
      value: { action: asked.action, confirms: asked.body.confirms },
    }),
  );
}
