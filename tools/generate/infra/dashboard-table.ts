// The dashboards: what each shows, by one query a line. `dashboards.ts` makes Grafana's JSON of this table.

export interface Panel {
  readonly title: string;
  /** PromQL; `$__rate_interval` is Grafana's. */
  readonly query: string;
  /** The name of a line, by the labels of its series. */
  readonly legend: string;
  /** Grafana's name of the unit. */
  readonly unit: "short" | "s" | "reqps" | "ops" | "bytes" | "percentunit" | "dateTimeAsIso";
}

export interface Dashboard {
  /** Part of the file's name and of the dashboard's address. */
  readonly name: string;
  readonly title: string;
  readonly panels: readonly Panel[];
}

const rate = "$__rate_interval";

function perSecond(counter: string, by: string): string {
  return `sum by (${by}) (rate(${counter}[${rate}]))`;
}

function slowest(histogram: string): string {
  return `histogram_quantile(0.99, sum by (le) (rate(${histogram}_bucket[${rate}])))`;
}

function panel(title: string, unit: Panel["unit"], legend: string, query: string): Panel {
  return { title, unit, legend, query };
}

export const dashboards: readonly Dashboard[] = [
  {
    name: "flow",
    title: "Sluice: what flows",
    panels: [
      panel("Requests answered, by status", "reqps", "{{status}}", perSecond("sluice_ingress_requests_total", "status")),
      panel("Time to the answer, 99th percentile", "s", "p99", slowest("sluice_ingress_answer_seconds")),
      panel("Time from receipt to verdict, 99th percentile", "s", "p99", slowest("sluice_scheduler_verdict_seconds")),
      panel("Verdicts", "ops", "{{verdict}}", perSecond("sluice_validator_verdicts_total", "verdict")),
      panel("Entries into states", "ops", "{{state}}", perSecond("sluice_scheduler_state_entries_total", "state")),
      panel(
        "Age of the oldest record that is not done",
        "s",
        "{{job}} {{partition}}",
        'max by (job, partition) (sluice_partition_record_age_seconds{topic="sluice.journal.v1"})',
      ),
    ],
  },
  {
    name: "windows",
    title: "Sluice: windows and gates",
    panels: [
      panel(
        "Time until the open window closes",
        "s",
        "{{scheme}}",
        "max by (scheme) (sluice_scheduler_window_closes_timestamp_seconds) - time() > 0",
      ),
      panel("Debits that are due", "short", "{{scheme}}", "sum by (scheme) (sluice_scheduler_due_debits)"),
      panel("Releases", "ops", "releases", `sum(rate(sluice_scheduler_releases_total[${rate}]))`),
      panel("Held debits, of the banks that have most", "short", "{{bank}}", "sum by (bank) (sluice_scheduler_bank_held_debits)"),
      panel("Debits at closed gates", "short", "{{bank}}", "sum by (bank) (sluice_scheduler_debits_at_closed_gates)"),
      panel("Credits that keep a gate closed", "short", "{{bank}}", "sum by (bank) (sluice_scheduler_gate_credits)"),
    ],
  },
  {
    name: "deliveries",
    title: "Sluice: deliveries",
    panels: [
      panel("Attempts, by class of the answer", "ops", "{{class}}", perSecond("sluice_delivery_attempts_total", "class")),
      panel("Time of an attempt, 99th percentile", "s", "p99", slowest("sluice_delivery_attempt_seconds")),
      panel("Deliveries ended, by outcome", "ops", "{{job}} {{outcome}}", perSecond("sluice_delivery_ended_total", "job, outcome")),
      panel("Messages parked, by reason", "ops", "{{reason}}", perSecond("sluice_delivery_parked_total", "reason")),
      panel("Backlog", "short", "{{receiver}}", "sum by (receiver) (sluice_delivery_backlog_messages)"),
      panel("Messages that wait", "short", "{{receiver}}", "sum by (receiver) (sluice_delivery_waiting_messages)"),
    ],
  },
  {
    name: "receivers",
    title: "Sluice: banks and connectors in trouble",
    panels: [
      panel("Open breakers", "short", "{{receiver}}", "max by (receiver) (sluice_delivery_breaker_open)"),
      panel("Paused receivers", "short", "{{receiver}}", "max by (receiver) (sluice_delivery_receiver_paused)"),
      panel(
        "Time since an acknowledgement",
        "s",
        "{{receiver}}",
        "time() - min by (receiver) (sluice_delivery_unacknowledged_since_seconds)",
      ),
      panel("Requests at once that an endpoint bears", "short", "{{receiver}}", "min by (receiver) (sluice_delivery_concurrency)"),
      panel("Names that cannot be resolved", "short", "{{instance}}", "max by (instance) (sluice_delivery_names_failing)"),
      panel(
        "Certificates to present end",
        "dateTimeAsIso",
        "{{receiver}}",
        "min by (receiver) (sluice_delivery_certificate_ends_timestamp_seconds) * 1000",
      ),
    ],
  },
  {
    name: "log",
    title: "Sluice: the log and its readers",
    panels: [
      panel("Time of an append, 99th percentile", "s", "p99", slowest("sluice_log_append_seconds")),
      panel("Appends that wait", "short", "{{instance}} {{producer}}", "max by (instance, producer) (sluice_log_appends_waiting)"),
      panel(
        "Records read and not done",
        "short",
        "{{job}} {{partition}}",
        "max by (job, topic, partition) (sluice_partition_received_offset - sluice_partition_committed_offset)",
      ),
      panel(
        "Time since the last heartbeat of a partition",
        "s",
        "{{job}} {{partition}}",
        "time() - max by (job, topic, partition) (sluice_partition_heartbeat_timestamp_seconds)",
      ),
      panel("Clock against the broker's", "s", "{{instance}}", "max by (instance) (sluice_clock_skew_seconds)"),
      panel("Dead letters in the last hour", "short", "{{fact}}", "sum by (fact) (increase(sluice_scheduler_dead_letters_total[1h])) > 0"),
      panel(
        "Batches repeated behind another writer",
        "ops",
        "partition {{partition}}",
        perSecond("sluice_scheduler_lost_writes_total", "partition"),
      ),
    ],
  },
  {
    name: "processes",
    title: "Sluice: processes",
    panels: [
      panel("Processes, by service", "short", "{{service}}", "sum by (service) (sluice_service_info)"),
      panel("Processes that are not ready", "short", "{{instance}}", "sluice_service_ready == 0"),
      panel("Processor time", "percentunit", "{{instance}}", `sum by (instance) (rate(process_cpu_seconds_total[${rate}]))`),
      panel("Memory", "bytes", "{{instance}}", "max by (instance) (process_resident_memory_bytes)"),
      panel("Delay of the event loop", "s", "{{instance}}", "max by (instance) (nodejs_eventloop_lag_seconds)"),
      panel("Configurations in force", "short", "{{version}} {{hash}}", "count by (version, hash) (sluice_configuration_version)"),
    ],
  },
  {
    name: "objectives",
    title: "Sluice: objectives",
    panels: [
      panel(
        "Budget of 30 days that is left",
        "percentunit",
        "{{sloth_slo}}",
        `slo:period_error_budget_remaining:ratio{sloth_service="sluice"}`,
      ),
      panel("How much too fast the budget burns", "short", "{{sloth_slo}}", `slo:current_burn_rate:ratio{sloth_service="sluice"}`),
      panel("Share missed in an hour", "percentunit", "{{sloth_slo}}", `slo:sli_error:ratio_rate1h{sloth_service="sluice"}`),
      panel("Share missed in three days", "percentunit", "{{sloth_slo}}", `slo:sli_error:ratio_rate3d{sloth_service="sluice"}`),
    ],
  },
  {
    name: "reconciliation",
    title: "Sluice: conservation, items and people",
    panels: [
      panel("Partitions that do not balance", "short", "partition {{partition}}", "max by (partition) (sluice_conservation_broken)"),
      panel("Transactions of the day, by what became of them", "short", "{{column}}", "sum by (column) (sluice_conservation_transactions)"),
      panel(
        "Items made in the last hour, by state",
        "short",
        "{{state}}",
        "sum by (state) (increase(sluice_scheduler_items_total[1h])) > 0",
      ),
      panel("Quarantined transactions", "short", "quarantined", "sum(sluice_scheduler_quarantined_transactions)"),
      panel(
        "Messages without effect, in the last hour",
        "short",
        "{{kind}}",
        "sum by (kind) (increase(sluice_scheduler_observations_total[1h])) > 0",
      ),
      panel("Age of the oldest proposal", "s", "proposal", "max(sluice_console_proposal_age_seconds)"),
    ],
  },
];
