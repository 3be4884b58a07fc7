export { startSandbox } from "./sandbox.ts";
export { formatTrace, traceDebit } from "./traced-debit.ts";
