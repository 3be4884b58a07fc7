// Trials: long runs on real servers under faults, each with its report. The command line starts them.

export { formatDeliveryTrialReport } from "./delivery/report.ts";
export { runDeliveryTrial } from "./delivery/trial.ts";
export { formatOutageReport } from "./outage/report.ts";
export { runOutageTrial } from "./outage/trial.ts";
export { formatReleaseReport, runReleaseTrial } from "./release/trial.ts";
export { formatWindowsReport, runWindowsTrial } from "./windows/trial.ts";
