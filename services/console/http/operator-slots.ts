// Slots of operators. Sluice's own and the people of banks have separate ones, so that a bank that asks much takes
// nothing from those who mend. All people of one bank share that bank's part.

import { createRequestSlots, type RequestSlot, type RequestSlotLimits } from "./request-slots.ts";

export interface OperatorSlots {
  /** Null: all slots are taken. */
  acquire(operator: SlotHolder): RequestSlot | null;
}

interface SlotHolder {
  readonly id: string;
  readonly bank: string | null;
}

export interface OperatorSlotLimits {
  /** Of Sluice's own operators; one caller is one operator. */
  readonly own: RequestSlotLimits;
  /** Of the people of banks; one caller is one bank. */
  readonly banks: RequestSlotLimits;
}

export function createOperatorSlots(limits: OperatorSlotLimits): OperatorSlots {
  const [own, banks] = [createRequestSlots(limits.own), createRequestSlots(limits.banks)];
  return { acquire: ({ id, bank }) => (bank === null ? own.acquire(id) : banks.acquire(bank)) };
}
