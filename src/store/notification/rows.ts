import type { DeliveryState } from '../../domain/delivery-state.ts'
import type { Channel, NotificationKind } from '../../domain/notification/notification.ts'

export interface NotificationTables {
  /** Where people want to be notified; one row a person and channel. */
  notification_channels: {
    tenant_id: string
    person_id: string
    channel: Channel
    /** Sealed: addresses of incoming webhooks are secrets. */
    address: string
    /** JSON array of kinds. */
    kinds: string
    /** Hour of the day (UTC) of a daily summary; null: at once. */
    digest_hour: number | null
    updated_at: string
  }
  /** Conditions that were noticed, so that each is reported once. */
  notification_conditions: {
    tenant_id: string
    kind: NotificationKind
    subject: string
    found_at: string
    /** When it was no longer so; it is forgotten a day later. */
    gone_at: string | null
  }
  /** What is collected for the next message of a channel. */
  notification_items: {
    item_id: string
    tenant_id: string
    person_id: string
    channel: Channel
    /** JSON. */
    document: string
    created_at: string
    due_at: string
  }
  /** Messages: written in the transaction that takes their items, sent by whichever process leases them. */
  notification_outbox: {
    delivery_id: string
    tenant_id: string
    person_id: string
    channel: Channel
    /** JSON. */
    document: string
    state: DeliveryState
    attempts: number
    /** When it may be leased: the next try, or, while it is leased, the end of the lease. */
    next_attempt_at: string
    lease: string | null
    last_status: number | null
    last_error: string | null
    created_at: string
    settled_at: string | null
    /** Id of the report that is attached. */
    report_file: string | null
  }
}
