// The journal records from which a message is rendered.

import type * as wire from "../../generated/records.ts";
import type { PaymentReceived } from "../../wire/payment-received.ts";

export interface MessageSources {
  readonly received: PaymentReceived;
  /** Null before the verdict. */
  readonly verdict: wire.AccountVerified | null;
  /** Null before the final report. */
  readonly finalReport: wire.StatusReportReceived | null;
  /** The message that a `duplicate-refused` or a `report-again` answers; null for every other form. */
  readonly answered: PaymentReceived | null;
}
