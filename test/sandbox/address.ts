// Where a sandbox is, for the verbs that start it and that talk to it.

/** Ports on which a sandbox listens unless others are chosen. */
export const sandboxPorts = { banks: 8280, control: 8282 } as const;

/** Paths on the control port that only a sandbox has. */
export const sandboxPrefix = "/sandbox";

/** Milliseconds for which a question for posts waits if there is none. */
export const postsWaitMs = 10_000;
