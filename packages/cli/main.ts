import { runCommandLine } from "./terminal/command-line.ts";
import { verbIndex } from "./verbs.ts";

// The cache of compiled code is for this process. What it starts gets its own, or none.
delete process.env["NODE_COMPILE_CACHE"];

// The reader of the output may leave early (`./sluice calendar show | head`); the process then ends quietly.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

process.exitCode = await runCommandLine(process.argv.slice(2), verbIndex);
