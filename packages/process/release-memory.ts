// Gives back the memory that only the loading of a service's code needed, before the service itself starts.
//
// #1 Reading, stripping and compiling a thousand modules leaves garbage and a young space that has grown. V8 collects
//    when something is allocated, so a service at rest would keep both for hours.
// #2 It happens before the service joins a group or listens, because the pause (50 to 100 ms) then delays nobody.
// #3 Memory profiles set `--expose-gc` for it. Without that flag nothing happens.

/** The flavor that also takes unused young pages back; a plain collection leaves them resident. */
const takesBackAll = { type: "major", execution: "sync", flavor: "last-resort" } as const;

export function releaseMemory(): void {
  globalThis.gc?.(takesBackAll);
}
