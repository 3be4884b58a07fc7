import { readRulesFolder } from "@sluice/config";
import { broker, derivedNeed, registry, runService } from "@sluice/process";
import { startValidator } from "./service.ts";

runService("validator", {
  needs: {
    rules: derivedNeed(({ configuration }) => readRulesFolder(configuration.rulesFolder)),
    serde: registry,
    messaging: broker("validator", { busyLingerMaxMs: 10 }),
  },
  start: startValidator,
});
