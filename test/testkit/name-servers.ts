// Name servers on the loopback: real datagrams and real TCP, with the answers that a test gives them. Each listens on
// an address of its own, all on one port, as name servers do.

import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import { createServer, type Server, type Socket } from "node:net";

/** `silent` answers nothing; a code is an answer without addresses: 0 no data, 2 failure, 3 no such name, 5 refused. */
export type NameServerAnswer =
  | "silent"
  | { readonly code: number }
  | { readonly addresses: readonly string[]; readonly ttlSeconds?: number; readonly onlyByTcp?: true };

export interface NameServer {
  readonly port: number;
  /** `A bank.test` and the like, in the order in which they came. */
  readonly questions: string[];
  close(): Promise<void>;
}

const typeNames = new Map([
  [1, "A"],
  [28, "AAAA"],
]);

/** Opens a name server; `answer` is called for each question with a name. Port 0 takes a free one. */
export async function openNameServer(address: string, port: number, answer: (name: string) => NameServerAnswer): Promise<NameServer> {
  const questions: string[] = [];
  const sockets = new Set<Socket>();
  const [datagrams, streams] = await listen(address, port);

  function reply(message: Buffer, isTcp: boolean): Buffer | null {
    const question = readQuestion(message);
    questions.push(`${typeNames.get(question.type) ?? question.type} ${question.name}${isTcp ? " by TCP" : ""}`);
    const found = answer(question.name);
    return found === "silent" ? null : writeAnswer(message, question, found, isTcp);
  }

  datagrams.on("message", (message, from) => {
    const answered = reply(message, false);
    if (answered !== null) datagrams.send(answered, from.port, from.address);
  });
  streams.on("connection", (socket: Socket) => {
    sockets.add(socket);
    socket.on("error", () => undefined);
    let unread = Buffer.alloc(0);
    socket.on("data", (chunk: Buffer) => {
      unread = Buffer.concat([unread, chunk]);
      while (unread.length >= 2 && unread.length >= 2 + unread.readUInt16BE()) {
        const message = unread.subarray(2, 2 + unread.readUInt16BE());
        unread = unread.subarray(2 + message.length);
        const answered = reply(message, true);
        if (answered !== null) socket.write(Buffer.concat([uint16(answered.length), answered]));
      }
    });
  });
  return {
    port: datagrams.address().port,
    questions,
    async close() {
      for (const socket of sockets) socket.destroy();
      await Promise.all([new Promise<void>((closed) => datagrams.close(closed)), new Promise((closed) => streams.close(closed))]);
    },
  };
}

/** A port is free only if both kinds of socket can have it, so a free one is looked for by TCP first. */
async function listen(address: string, port: number): Promise<[DatagramSocket, Server]> {
  const streams = createServer().listen(port, address);
  await once(streams, "listening");
  const bound = streams.address();
  if (bound === null || typeof bound === "string") throw new Error("no port");
  const datagrams = createSocket("udp4").bind(bound.port, address);
  await once(datagrams, "listening");
  return [datagrams, streams];
}

interface Question {
  readonly name: string;
  readonly type: number;
  readonly bytes: Buffer;
}

function readQuestion(message: Buffer): Question {
  const labels: string[] = [];
  let at = 12;
  for (let length = message[at]!; length > 0; length = message[at]!) {
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join(".").toLowerCase(), type: message.readUInt16BE(at + 1), bytes: message.subarray(12, at + 5) };
}

function writeAnswer(message: Buffer, question: Question, found: Exclude<NameServerAnswer, "silent">, isTcp: boolean): Buffer {
  const addresses = "addresses" in found ? found.addresses : [];
  const isTruncated = "onlyByTcp" in found && !isTcp;
  const wanted = isTruncated ? [] : addresses.filter((address) => question.type === (address.includes(":") ? 28 : 1));
  const ttl = "addresses" in found ? (found.ttlSeconds ?? 60) : 0;
  const code = "code" in found ? found.code : 0;
  return Buffer.concat([
    message.subarray(0, 2),
    uint16(0x8180 | (isTruncated ? 0x0200 : 0) | code),
    uint16(1),
    uint16(wanted.length),
    uint16(0),
    uint16(0),
    question.bytes,
    ...wanted.map((address) => writeRecord(question.type, ttl, address)),
  ]);
}

function writeRecord(type: number, ttl: number, address: string): Buffer {
  const data = type === 1 ? Buffer.from(address.split(".").map(Number)) : ipv6Bytes(address);
  return Buffer.concat([uint16(0xc00c), uint16(type), uint16(1), uint16(0), uint16(ttl), uint16(data.length), data]);
}

function ipv6Bytes(address: string): Buffer {
  const [head = "", tail = ""] = address.split("::");
  const groups = (text: string): number[] => (text === "" ? [] : text.split(":").map((group) => Number.parseInt(group, 16)));
  const [before, after] = [groups(head), groups(tail)];
  const zeros = Array.from({ length: 8 - before.length - after.length }, () => 0);
  return Buffer.concat([...before, ...zeros, ...after].map(uint16));
}

function uint16(value: number): Buffer {
  const bytes = Buffer.alloc(2);
  bytes.writeUInt16BE(value);
  return bytes;
}
