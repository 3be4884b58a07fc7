// Ends a long run in order at the first signal, or when nobody reads its output any more; further signals change
// nothing.

export function interruptible(): Disposable & { readonly signal: AbortSignal } {
  const controller = new AbortController();
  const interrupt = (): void => controller.abort();
  for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(name, interrupt);
  for (const stream of [process.stdout, process.stderr]) stream.on("error", interrupt);
  return {
    signal: controller.signal,
    [Symbol.dispose]() {
      for (const name of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.off(name, interrupt);
    },
  };
}
