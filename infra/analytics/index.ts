export { askLake, pythonRequirements, type Answer, type Question, readQuestions } from "./questions.ts";
export { lakeFolder, startWorker, stopWorker, type WorkerOptions } from "./worker.ts";
