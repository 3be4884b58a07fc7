import { runCommandLine } from "./command-line.ts";

// Whoever reads us may have seen enough (`./sluice calendar show | head`): then nothing more is to be said.
process.stdout.on("error", (error: NodeJS.ErrnoException) => {
  if (error.code !== "EPIPE") throw error;
  process.exit();
});

process.exitCode = await runCommandLine(process.argv.slice(2));
