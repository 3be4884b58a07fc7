import { broker, registry, runService } from "@sluice/process";
import { preparedStore } from "@sluice/process/store";
import { startScheduler } from "./service.ts";

runService("scheduler", {
  needs: { serde: registry, store: preparedStore("scheduler"), messaging: broker("scheduler", { busyLingerMaxMs: 10 }) },
  start: startScheduler,
});
