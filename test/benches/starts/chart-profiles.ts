// The memory profile with which the chart starts each service by default (`infra/chart/values.yaml`).

import type { ServiceName } from "@sluice/environment";

export const chartProfiles: Readonly<Record<ServiceName, "small" | "large">> = {
  ingress: "small",
  validator: "small",
  scheduler: "small",
  dispatcher: "large",
  "event-publisher": "large",
  console: "small",
};
