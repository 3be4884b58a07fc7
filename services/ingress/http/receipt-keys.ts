// The keys with which ingress signs its 202 to single callers, from files that are read again when they change.
//
// #1 A caller's key is waited for until its file was looked at once. While it could never be read nothing is accepted
//    from that caller: a 202 without the receipt that was agreed on would leave open whether it counts.

import type { CallerSettings } from "@sluice/config";
import { createSecretFiles, type SecretFiles } from "@sluice/connection";
import type { Logger, Time } from "@sluice/kernel";
import { type OwnKey, watchSigningKey } from "@sluice/signatures";

export interface ReceiptKeys {
  /** Null: the caller gets no signed receipt. */
  keyOf(caller: string): ReceiptKey | null;
  replace(callers: readonly CallerSettings[]): void;
  stop(): Promise<void>;
}

export interface ReceiptKey {
  /** #1. Null: it could not be read yet. */
  read(): Promise<OwnKey | null>;
}

interface Watched extends ReceiptKey {
  readonly settings: string;
  readonly files: SecretFiles<string>;
}

export interface ReceiptKeyPorts {
  readonly time: Time;
  readonly logger: Logger;
  /** Milliseconds between two looks at the files. */
  readonly filesPollMs?: number;
}

export function createReceiptKeys(ports: ReceiptKeyPorts): ReceiptKeys {
  let known = new Map<string, Watched>();
  return {
    keyOf: (caller) => known.get(caller) ?? null,
    replace(callers) {
      const before = known;
      known = new Map(
        callers.flatMap((caller) => {
          const settings = caller.messageSignatures?.receipts ?? null;
          if (settings === null) return [];
          const former = before.get(caller.id);
          return [[caller.id, former?.settings === JSON.stringify(settings) ? former : watchKey(caller.id, settings, ports)]];
        }),
      );
      const kept = new Set(known.values());
      for (const one of before.values()) if (!kept.has(one)) void one.files.stop();
    },
    async stop() {
      await Promise.all([...known.values()].map(({ files }) => files.stop()));
    },
  };
}

type Settings = Parameters<typeof watchSigningKey>[2];

function watchKey(caller: string, settings: Settings, { time, logger, filesPollMs }: ReceiptKeyPorts): Watched {
  const files = createSecretFiles<string>({
    time,
    ...(filesPollMs === undefined ? {} : { pollMs: filesPollMs }),
    read: () => logger.info("ingress.receipt-key-read", { caller }),
    notRead: (_, reason) => logger.error("ingress.receipt-key-not-read", { caller, reason }),
  });
  const key = watchSigningKey(files, caller, settings);
  const started = files.started();
  return { settings: JSON.stringify(settings), files, read: async () => key() ?? (await started.then(() => key())) };
}
