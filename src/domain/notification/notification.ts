import { atLocalHour, localDay, nextDay } from '../calendar/local-time.ts'

/**
 * What people are notified of. `waiting`: a decision is asked of the publisher; `expiring`: its time is almost over; `underdelivery`: an order spends
 * less than planned; `drift`: somebody changed an order at the ad server; `webhook_failed`: a webhook to a buyer was given up; `report_failed`: a saved
 * report was not sent; `promise_broken`: the check of this agent found a promise of the protocol broken that was held before.
 */
export const NOTIFICATION_KINDS = [
  'waiting',
  'expiring',
  'underdelivery',
  'drift',
  'webhook_failed',
  'report_failed',
  'promise_broken',
] as const

export type NotificationKind = (typeof NOTIFICATION_KINDS)[number]

/** Ways to a person: `mail` by SMTP, `slack` for Slack-compatible incoming webhooks, `webhook` for a signed JSON document. */
export const CHANNELS = ['mail', 'slack', 'webhook'] as const

export type Channel = (typeof CHANNELS)[number]

/**
 * A notification to a person. It names things by the ids of this deployment and by the publisher's own words; it never repeats texts of buyers, which
 * may hold names of people.
 */
export interface NotificationItem {
  /** `report`: a saved report, to those whom its schedule names; `account`: what was done with a person's own account, to them alone. */
  readonly kind: NotificationKind | 'test' | 'report' | 'account'
  /** Id of what it is about. */
  readonly subject: string
  /** What a mail is about, in a few words; absent: its id and what became of it. */
  readonly title?: string
  /** One sentence. */
  readonly text: string
  /** Path of its page in the console, below the console's address. */
  readonly path: string
  /** When it was noticed, ISO 8601 UTC. */
  readonly at: string
  /** Until when something can be done, ISO 8601 UTC. */
  readonly expiresAt?: string
}

/** Items that one message carries; the rest is counted. */
export const MAX_ITEMS = 50

/** A message to one person: the first {@link MAX_ITEMS} items, and how many more there are. */
export interface NotificationDocument {
  readonly items: readonly NotificationItem[]
  readonly more: number
  readonly isDigest: boolean
}

/** The next moment after `now` at which it is `hour` o'clock in a time zone. */
export function nextDigest(now: Date, hour: number, timeZone: string): Date {
  const today = localDay(now, timeZone)
  const at = atLocalHour(today, hour, timeZone)
  return at > now ? at : atLocalHour(nextDay(today), hour, timeZone)
}
