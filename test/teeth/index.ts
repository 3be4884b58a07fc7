// Planted bugs: which check catches which bug, and how soon. The command line starts the runs.

export { plantedBugs } from "./bugs/all.ts";
export { drawBugs, drawFrom } from "./planted-bug.ts";
export { formatTeethReport, runTeeth } from "./run.ts";
