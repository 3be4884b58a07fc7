// The secrets of one connection, from the files that its settings name.
//
// #1 A connection is made once each of its files was read. A file that cannot be read then is named by its setting,
//    with a code: the Fault is retryable, because the file may still come.
// #2 What was replaced is logged under the name of its setting.

import { createSecretFiles, SecretProblem, type TlsFiles, watchSecureContext } from "@sluice/connection";
import { Fault, type Logger, type Time } from "@sluice/kernel";
import type { SecureContext } from "node:tls";

export interface ConnectionFilesOptions {
  readonly time: Time;
  readonly logger: Logger;
  readonly opened: AsyncDisposableStack;
  /** Milliseconds between two looks at the files; 5 s where it is not given. */
  readonly filesPollMs?: number;
}

export interface ConnectionFiles {
  /** The file's one line. */
  line(setting: string, path: string): () => string;
  /** `setting` is named where one of the files cannot be read. */
  secureContext(setting: string, files: TlsFiles): () => SecureContext;
  /** Resolves when everything was read once. #1 */
  read(): Promise<void>;
  /** Called when a file was replaced after that. */
  onChange(changed: () => void): void;
}

const lineCharactersMax = 16_384;

export function watchConnectionFiles({ time, logger, opened, filesPollMs }: ConnectionFilesOptions): ConnectionFiles {
  const wrong = new Map<string, string>();
  const sources: (() => unknown)[] = [];
  let isRead = false;
  let changed = (): void => {};
  const files = createSecretFiles<string>({
    time,
    ...(filesPollMs === undefined ? {} : { pollMs: filesPollMs }),
    read(setting) {
      wrong.delete(setting);
      if (!isRead) return;
      logger.info("connection.secret-read", { setting });
      changed();
    },
    notRead(setting, code) {
      wrong.set(setting, code);
      logger.error("connection.secret-not-read", { setting, reason: code });
    },
  });
  opened.defer(() => files.stop());

  function required<T>(setting: string, read: () => T | null): () => T {
    sources.push(read);
    return () => {
      const value = read();
      if (value === null) throw notRead(setting, "no answer");
      return value;
    };
  }

  return {
    line(setting, path) {
      const value = files.watch({ owner: setting, paths: [path], make: ([content]) => readLine(content!) });
      return required(setting, value);
    },
    secureContext(setting, named) {
      return required(setting, watchSecureContext(files, setting, named));
    },
    async read() {
      await files.started();
      const [problem] = wrong;
      if (problem !== undefined) throw notRead(...problem);
      if (sources.some((read) => read() === null)) throw notRead("a file of a connection", "no answer");
      isRead = true;
    },
    onChange: (action) => void (changed = action),
  };
}

/** A line's end belongs to the file; any other blank may belong to a password. */
function readLine(content: Buffer): string {
  const line = String(content).replace(/\r?\n$/, "");
  if (line === "") throw new SecretProblem("empty");
  if (line.length > lineCharactersMax || /\p{Cc}/u.test(line)) throw new SecretProblem("not-one-line");
  return line;
}

function notRead(setting: string, code: string): Fault {
  return new Fault("process.secret-not-read", `${setting}: its file cannot be read: ${code}`, { isRetryable: true });
}
