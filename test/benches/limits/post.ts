// Posts debits by a process of its own.

import { type LineProcess, readNumber } from "../line-process.ts";

export interface PostLoad {
  readonly url: string;
  readonly branch: string;
  /** Makes the UETRs differ from those of other loads. */
  readonly run: number;
  readonly requests: number;
  readonly connections: number;
}

export interface PostResult {
  readonly tookMs: number;
  /** Of the posting process. */
  readonly processorSeconds: number;
  /** Requests with another answer than 202. */
  readonly refused: number;
}

export async function postDebits(poster: LineProcess, load: PostLoad): Promise<PostResult> {
  poster.send(load);
  const said = await poster.nextLine();
  const read = (name: keyof PostResult): number => readNumber(said, name);
  return { tookMs: read("tookMs"), processorSeconds: read("processorSeconds"), refused: read("refused") };
}
