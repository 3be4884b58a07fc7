// Puts our own code in the place of what kafkajs compresses, writes and reads. Letters are those of the trouble table
// in the README of messaging.
//
// #1 (J) zstd comes from node:zlib, with contexts that the process keeps.
// #2 (P, V) `produce-request.ts` writes Produce requests: with kafkajs this took a quarter of the time of a delivery.
//    `produce-answer.ts` reads the answers.
// #3 (P) `fetch-request.ts` writes Fetch requests, and `fetch-answer.ts` reads their answers for the same reason, so
//    that kafkajs's messages are our records.

import kafkajs from "kafkajs";
import fetchRequests from "kafkajs/src/protocol/requests/fetch/index.js";
import produceRequests, { type Encoded } from "kafkajs/src/protocol/requests/produce/index.js";
import { compress, decompress } from "./batch-zstd.ts";
import { readFetchAnswer } from "./fetch-answer.ts";
import { writeFetchRequest } from "./fetch-request.ts";
import { keepRefusals } from "./produce-answer.ts";
import { writeProduceRequest } from "./produce-request.ts";

const produceVersion = 7;
const fetchVersion = 11;

registerZstd();
replaceProduceRequest();
replaceFetch();

/** #1 */
function registerZstd(): void {
  kafkajs.CompressionCodecs[kafkajs.CompressionTypes.ZSTD] = () => ({
    compress: async (encoder: { readonly buffer: Buffer }) => compress(encoder.buffer),
    decompress: async (bytes: Buffer) => decompress(bytes),
  });
}

/** #2 */
function replaceProduceRequest(): void {
  const { protocol } = produceRequests;
  produceRequests.protocol = (wanted) => {
    requireVersion(wanted, produceVersion, "Produce");
    const make = protocol(wanted);
    return (produced) => {
      const { request, response, ...rest } = make(produced);
      const encode = async () => encoded(writeProduceRequest(produced, Date.now()));
      return { ...rest, request: { ...request, encode }, response: keepRefusals(response) };
    };
  };
}

/** #3 */
function replaceFetch(): void {
  const { protocol } = fetchRequests;
  fetchRequests.protocol = (wanted) => {
    requireVersion(wanted, fetchVersion, "Fetch");
    const make = protocol(wanted);
    return (asked) => {
      const { request, response, ...rest } = make(asked);
      const encode = async () => encoded(writeFetchRequest(asked));
      return { ...rest, request: { ...request, encode }, response: { ...response, decode: readFetchAnswer } };
    };
  };
}

/** The bytes as kafkajs's encoder would hold them. */
function encoded(bytes: Buffer): Encoded {
  return { buf: bytes, buffer: bytes, size: () => bytes.length };
}

/**
 * kafkajs picks the newest version that it and the broker know. With every broker from 2.3 on, that is its own newest.
 */
function requireVersion({ version }: { readonly version: number }, ours: number, name: string): void {
  if (version !== ours)
    throw new kafkajs.KafkaJSNonRetriableError(`the broker has ${name} in version ${version}, not ${ours}: it is too old`);
}
