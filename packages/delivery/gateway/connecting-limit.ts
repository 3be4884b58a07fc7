// Limits the connections that are being made at once, over all receivers (I15). Each is a socket without a use.
//
// #1 An address whose last connection failed shares half of the places with the others of its kind. So addresses that
//    never answer keep no place from one that does (I14).
// #2 Who finds no place waits, first come first served. A request whose deadline passes meanwhile is not sent
//    (`exchange.ts` #2).

import type { Counter, Gauge, Metrics } from "@sluice/kernel";
import type { buildConnector } from "undici";
import { LinkedList } from "../linked-list.ts";

/** Connections that are being made at once in a process. */
const connectingMax = 1_024;

type AddressKind = "sound" | "failing";

export class ConnectingLimit {
  readonly #max: number;
  readonly #gauge: Gauge;
  readonly #waits: Counter;
  readonly #running: Record<AddressKind, number> = { sound: 0, failing: 0 };
  readonly #waiting: Record<AddressKind, LinkedList<() => void>> = { sound: new LinkedList(), failing: new LinkedList() };

  constructor(metrics: Metrics, max: number = connectingMax) {
    this.#max = max;
    this.#gauge = metrics.gauge("sluice_delivery_connecting", "Connections to receivers that are being made.");
    this.#waits = metrics.counter("sluice_delivery_connects_waited_total", "Connections that waited because too many were being made.", []);
    this.#waits.add({}, 0);
  }

  /** Bounds the connections to one address. */
  limit(connect: buildConnector.connector): buildConnector.connector {
    let kind: AddressKind = "sound";
    return (to, callback) => {
      this.#start(kind, (done) =>
        connect(to, (...[error, socket]) => {
          kind = error === null ? "sound" : "failing";
          done();
          if (error === null) callback(null, socket);
          else callback(error, null);
        }),
      );
    };
  }

  #start(kind: AddressKind, connect: (done: () => void) => void): void {
    const begin = (): void => {
      this.#count(kind, 1);
      connect(() => {
        this.#count(kind, -1);
        this.#serve();
      });
    };
    if (this.#isFree(kind)) return begin();
    this.#waits.add({});
    this.#waiting[kind].add(begin);
  }

  #isFree(kind: AddressKind): boolean {
    const { sound, failing } = this.#running;
    return sound + failing < this.#max && (kind === "sound" || failing < this.#max / 2);
  }

  #serve(): void {
    for (const kind of ["sound", "failing"] as const) {
      for (let { first } = this.#waiting[kind]; first !== null && this.#isFree(kind); { first } = this.#waiting[kind]) {
        this.#waiting[kind].remove(first);
        first.value();
      }
    }
  }

  #count(kind: AddressKind, change: 1 | -1): void {
    this.#running[kind] += change;
    this.#gauge.set(this.#running.sound + this.#running.failing);
  }
}
