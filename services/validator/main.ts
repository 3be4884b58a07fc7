import { readRulesFolder } from "@sluice/config";
import { broker, derived, registry, runService } from "@sluice/process";
import { startValidator } from "./service.ts";

runService("validator", {
  needs: {
    rules: derived(({ configuration }) => readRulesFolder(configuration.rulesFolder)),
    serde: registry,
    messaging: broker(),
  },
  start: startValidator,
});
