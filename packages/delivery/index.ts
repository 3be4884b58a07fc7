export { operationNamed } from "./addresses.ts";
export { deliveryBounds, type DeliveryBounds } from "./bounds.ts";
export * from "./delivery.ts";
export { startDeliveryLanes, placeOf, type DeliveryLanesOptions } from "./delivery-lanes.ts";
export type { LaneDeliveries } from "./engine.ts";
export * from "./port.ts";
export { lastAttempts, receiptOf } from "./receipt.ts";
export * from "./retry-law.ts";
export type { DeliveryStop } from "./stop.ts";
