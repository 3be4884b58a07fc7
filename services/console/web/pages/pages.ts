// Every page by its address.

import type { Asked, Elsewhere } from "../asked.ts";
import type { PageContent } from "../parts/layout.ts";
import { showAudit } from "./audit.ts";
import { showBankPage } from "./bank.ts";
import { showBanks } from "./banks.ts";
import { showCalendar } from "./calendar.ts";
import { showDay, showDays } from "./days.ts";
import { showLetters } from "./dead-letters.ts";
import { showDecided } from "./decided.ts";
import { showNow } from "./now.ts";
import { showOutcomes } from "./outcomes.ts";
import { showOwn, showOwnTransactionPage } from "./own.ts";
import { showOwnEvents } from "./own-events.ts";
import { showProposals } from "./proposals.ts";
import { showReconciliation } from "./reconciliation.ts";
import { showRequestPage } from "./request.ts";
import { showSearch } from "./search.ts";
import { showServices } from "./services.ts";
import { showSystem } from "./system.ts";
import { showTopicPage, showTopics } from "./topics.ts";
import { showTransactionPage } from "./transaction.ts";

interface Page {
  readonly path: string;
  readonly load: (asked: Asked) => Promise<PageContent | Elsewhere>;
  /** It also takes a form with a file, which it reads and does not keep. Left out: it is only read. */
  readonly takesFile?: true;
}

export const pages: readonly Page[] = [
  { path: "/", load: showNow },
  { path: "/search", load: showSearch },
  { path: "/transactions/:uetr", load: showTransactionPage },
  { path: "/transactions/:uetr/request", load: showRequestPage },
  { path: "/banks", load: showBanks },
  { path: "/banks/:bank", load: showBankPage },
  { path: "/own/:bank", load: showOwn },
  { path: "/own/:bank/events", load: showOwnEvents },
  { path: "/own/:bank/transactions/:uetr", load: showOwnTransactionPage },
  { path: "/calendar", load: showCalendar, takesFile: true },
  { path: "/days", load: showDays },
  { path: "/days/:day", load: showDay },
  { path: "/reconciliation", load: showReconciliation },
  { path: "/proposals", load: showProposals },
  { path: "/dead-letters", load: showLetters },
  { path: "/services", load: showServices },
  { path: "/system", load: showSystem },
  { path: "/topics", load: showTopics },
  { path: "/topics/:topic", load: showTopicPage },
  { path: "/audit", load: showAudit },
  { path: "/decided/:action", load: showDecided },
  { path: "/outcomes/:action", load: showOutcomes },
];
