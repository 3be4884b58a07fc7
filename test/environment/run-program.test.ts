import { spawn } from "node:child_process";
import { once } from "node:events";
import { join, relative } from "node:path";
import { expect, test } from "vitest";
import { projectRoot } from "./run-program.ts";

/** Ends by itself where no signal comes. */
const waits =
  "process.on('SIGTERM', () => { console.log('ended'); process.exit(3); }); console.log('up'); setTimeout(() => process.exit(4), 3_000);";

test("#2: a SIGTERM that reaches us alone reaches the program, and we wait for its end", async () => {
  const module = JSON.stringify(join(projectRoot, "test", "environment", "run-program.ts"));
  const node = relative(join(projectRoot, "node_modules", ".bin"), process.execPath);
  const text = `import { runProgram } from ${module};
process.exit(await runProgram(${JSON.stringify(node)}, ["-e", ${JSON.stringify(waits)}]));`;
  const us = spawn(process.execPath, ["--input-type=module", "-e", text], { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  us.stdout.on("data", (bytes: Buffer) => {
    said += bytes.toString();
    if (said === "up\n") us.kill("SIGTERM");
  });
  const [code] = (await once(us, "close")) as [number | null];
  expect([said, code]).toEqual(["up\nended\n", 3]);
});
