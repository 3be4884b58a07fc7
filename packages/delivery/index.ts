export { deliveryBounds, type DeliveryBounds } from "./bounds.ts";
export * from "./delivery.ts";
export { startDeliveryLanes, traceparentOf, type DeliveryLanesOptions } from "./delivery-lanes.ts";
export type { LaneDeliveries } from "./engine.ts";
export * from "./port.ts";
export * from "./retry-law.ts";
export type { DeliveryStop } from "./stop.ts";
