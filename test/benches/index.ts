// Benches: what this machine delivers in a second and what that costs. The command line starts them.

export { compareReports, formatComparison } from "./compare/compare.ts";
export { formatDeliveryBenchReport } from "./delivery/report.ts";
export { runDeliveryBench } from "./delivery/bench.ts";
export { formatJourneysReport } from "./journeys/report.ts";
export { runJourneysBench } from "./journeys/bench.ts";
export { timeQuestions } from "./questions/time-questions.ts";
export { formatStartsReport } from "./starts/report.ts";
export { runStartsBench } from "./starts/bench.ts";
export { formatTracingReport } from "./tracing/report.ts";
export { runTracingBench } from "./tracing/bench.ts";
