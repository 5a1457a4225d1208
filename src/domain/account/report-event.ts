/** Files of a report can be fetched (AdCP 3.2, core/reporting-delivery-ready-webhook.json). */
export const DELIVERY_READY = 'reporting.delivery_ready'
/** A report or a correction was published (AdCP 3.2, core/reporting-ledger-changed-webhook.json). */
export const LEDGER_CHANGED = 'reporting.ledger_changed'

/** What was published of the reports of an account. */
export interface Published {
  readonly type: typeof DELIVERY_READY | typeof LEDGER_CHANGED
  /** Of the record, whoever is told. */
  readonly id: string
  /** Members of the notification that say what it is. */
  readonly about: object
}

/** What was published, for one subscriber. */
export interface ReportEvent {
  readonly published: Published
  readonly accountId: string
  readonly subscriberId: string
  readonly at: Date
}

/** The body of a notification as text: ids alone, by which the receiver reads the report. */
export function reportEventBody({ published, accountId, subscriberId, at }: ReportEvent, idempotencyKey: string): string {
  return JSON.stringify({
    ...{ idempotency_key: idempotencyKey, notification_id: published.id, notification_type: published.type },
    ...{ fired_at: at.toISOString(), subscriber_id: subscriberId, account_id: accountId },
    ...published.about,
  })
}
