// How late a batch can land behind newer ones: the faults draw it, and whoever repairs waits as long.

/** Milliseconds from its send. */
export const landsLateMaxMs = 15_000;
