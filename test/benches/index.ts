// Benches: what this machine delivers in a second and what that costs. The command line starts them.

export { formatAllReport } from "./all/report.ts";
export { runAllBenches } from "./all/bench.ts";
export { compareReports, formatComparison } from "./compare/compare.ts";
export { formatConsoleReport } from "./console/report.ts";
export { runConsoleBench } from "./console/bench.ts";
export { formatDeliveryBenchReport } from "./delivery/report.ts";
export { runDeliveryBench } from "./delivery/bench.ts";
export { formatJourneysReport } from "./journeys/report.ts";
export { runJourneysBench } from "./journeys/bench.ts";
export { timeQuestions } from "./questions/time-questions.ts";
export { formatLimitsReport } from "./limits/report.ts";
export { runDeadBankBench } from "./limits/dead-bank.ts";
export { runIdleBench } from "./limits/idle.ts";
export { runIngressBench } from "./limits/ingress.ts";
export { runOpeningBench } from "./limits/opening.ts";
export { runSchedulerBench } from "./limits/scheduler.ts";
export { formatStartsReport } from "./starts/report.ts";
export { runStartsBench } from "./starts/bench.ts";
export { formatTasksReport } from "./tasks/report.ts";
export { openStayingDemo } from "./tasks/staying-demo.ts";
export { runTasksBench } from "./tasks/bench.ts";
export { formatTracingReport } from "./tracing/report.ts";
export { runTracingBench } from "./tracing/bench.ts";
