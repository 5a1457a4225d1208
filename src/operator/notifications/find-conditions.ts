import { createHash } from 'node:crypto'
import { isMissing } from '../../domain/ad-serving/missing.ts'
import { EXPIRES_SOON_MS } from '../../domain/approval/policy.ts'
import { HOUR_MS } from '../../domain/calendar/instant.ts'
import type { NotificationKind } from '../../domain/notification/notification.ts'
import { listDrift } from '../../store/ad-serving/ad-server-drift.ts'
import { listDeliveries } from '../../store/webhook/outbox.ts'
import { listQueue, type QueueEntry } from '../../tasks/approvals/queue.ts'
import { publisherCalendar } from '../flight.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { Condition } from './condition.ts'
import { findBrokenPromises } from './find-broken-promises.ts'
import { findFailedReports } from './find-failed-reports.ts'
import { findUnderdelivery } from './find-underdelivery.ts'
import { buyerNames, otherDecisions } from './name-decisions.ts'

/** What examines a publisher for conditions of some kinds. */
export interface ConditionCheck {
  readonly kinds: readonly NotificationKind[]
  readonly everyMs: number
  find(context: OperatorContext, tenantId: string): Promise<readonly Condition[]>
}

/** A backend or a receiver that fails for all of its orders is reported in a few lines, not in thousands. */
const MOST_FOUND = 500
/** What was given up longer ago than this is no news. */
const OLD_MS = 7 * 24 * HOUR_MS
/** In the order of their haste. A look at running orders asks the ad servers for their delivery, so it is the rarest. */
export const CHECKS: readonly ConditionCheck[] = [
  { kinds: ['waiting', 'expiring'], everyMs: 5_000, find: findDecisions },
  { kinds: ['webhook_failed'], everyMs: 30_000, find: findFailedWebhooks },
  { kinds: ['drift'], everyMs: 30_000, find: findDrift },
  { kinds: ['report_failed'], everyMs: 30_000, find: findFailedReports },
  { kinds: ['promise_broken'], everyMs: 60_000, find: findBrokenPromises },
  { kinds: ['underdelivery'], everyMs: HOUR_MS, find: findUnderdelivery },
]

const TASKS: Readonly<Record<string, string>> = {
  create_media_buy: 'A new order',
  update_media_buy: 'A change of an order',
  sync_creatives: 'A creative',
  sync_accounts: 'A new account',
  acquire_rights: 'An acquisition of rights',
}

export async function findDecisions(context: OperatorContext, tenantId: string): Promise<readonly Condition[]> {
  const now = context.clock()
  const { timeZone: zone } = await publisherCalendar(context, tenantId)
  const [entries, others] = await Promise.all([listQueue(context.store.read, tenantId), otherDecisions(context, tenantId)])
  const open = entries.filter(({ state }) => state !== 'approving')
  const names = await buyerNames(
    context,
    tenantId,
    open.map(({ principal }) => principal),
  )
  const path = `/t/${tenantId}/inbox`
  return [
    ...open.flatMap((entry) => entryConditions(entry, { tenantId, now, zone }, names.get(entry.principal) ?? entry.principal)),
    ...others.map(({ key, subject, what, page }): Condition => {
      const title = `${what} needs a decision`
      return {
        kind: 'waiting',
        key,
        subject,
        title,
        text: `${title}.`,
        path: page === undefined ? path : `/t/${tenantId}/${page}`,
        at: now.toISOString(),
      }
    }),
  ]
}

interface Viewed {
  readonly tenantId: string
  readonly now: Date
  /** IANA name of the time zone that moments are written in. */
  readonly zone: string
}

function entryConditions(entry: QueueEntry, { tenantId, now, zone }: Viewed, buyer: string): readonly Condition[] {
  const { id, kind, task, account, expiresAt, since, summary } = entry
  // The id of a creative is the buyer's text; a digest of it identifies it without repeating it.
  const subject = kind === 'creative' ? `creative ${digest(id)}` : id
  const what = `${TASKS[task] ?? `A ${task} request`} of ${buyer} (account ${account}${amountOf(summary)})`
  const until = expiresAt === undefined ? '' : ` by ${momentText(expiresAt, zone)}`
  const title = `${what} needs a decision`
  // A task has a page of its own, which also says what became of it; ids of the others are texts of buyers.
  const path = `/t/${tenantId}/inbox${kind === 'task' ? `/${encodeURIComponent(id)}` : ''}`
  const common = { subject, path, at: now.toISOString(), ...(expiresAt !== undefined && { expiresAt }) }
  const key = kind === 'creative' ? `${digest(id)}:${since}` : id
  return [
    { ...common, kind: 'waiting', key, title, text: `${title}${until}.` },
    ...(expiresAt !== undefined && isUrgent(since, expiresAt, now)
      ? [
          {
            ...common,
            kind: 'expiring' as const,
            key,
            title: `${what} expires soon`,
            text: `${what} is rejected unless it is decided${until}.`,
          },
        ]
      : []),
  ]
}

function isUrgent(since: string, expiresAt: string, now: Date): boolean {
  const [begin, end] = [Date.parse(since), Date.parse(expiresAt)]
  const warnMs = Math.min(EXPIRES_SOON_MS, (end - begin) / 4)
  return now.getTime() >= end - warnMs
}

function amountOf({ budget, currency }: QueueEntry['summary']): string {
  return typeof budget === 'number' && typeof currency === 'string' ? `, ${budget} ${currency}` : ''
}

async function findFailedWebhooks(context: OperatorContext, tenantId: string): Promise<readonly Condition[]> {
  const now = context.clock()
  const dead = await listDeliveries(context.store.read, tenantId, { state: 'dead', limit: MOST_FOUND })
  const fresh = dead.filter(({ settledAt = '' }) => settledAt > new Date(now.getTime() - OLD_MS).toISOString())
  const names = await buyerNames(
    context,
    tenantId,
    fresh.map(({ principalId }) => principalId),
  )
  return fresh.map(({ deliveryId, event, principalId: id, attempts }) => {
    const buyer = names.get(id) ?? id
    return {
      kind: 'webhook_failed',
      key: deliveryId,
      subject: deliveryId,
      title: `A webhook to ${buyer} (${event}) was given up`,
      text: `The webhook ${deliveryId} (${event}) to ${buyer} was given up after ${attempts} attempts.`,
      path: `/t/${tenantId}/webhooks?state=dead`,
      at: now.toISOString(),
    }
  })
}

async function findDrift(context: OperatorContext, tenantId: string): Promise<readonly Condition[]> {
  const drift = await listDrift(context.store.read, tenantId, { states: ['open'], limit: MOST_FOUND })
  const orders = new Map<string, (typeof drift)[number][]>()
  for (const each of drift) {
    const key = JSON.stringify([each.mediaBuyId, each.adServer])
    orders.set(key, [...(orders.get(key) ?? []), each])
  }
  return [...orders].flatMap(([key, [first, ...rest]]): Condition[] => {
    if (!first) return []
    const { mediaBuyId, adServer } = first
    const count = rest.length === 0 ? 'one setting' : `${rest.length + 1} settings`
    const isLost = [first, ...rest].some(isMissing)
    const title = isLost
      ? `An order is missing at the ad server ${adServer}`
      : `An order was changed at the ad server ${adServer}`
    const text = isLost
      ? `Order ${mediaBuyId}, or a line of it, cannot be found at the ad server ${adServer}. Nothing is booked in its place, and changes of the buyer wait: find it there, or say that it is gone.`
      : `At the ad server ${adServer}, ${count} of order ${mediaBuyId} no longer agree with what was sold.`
    const path = `/t/${tenantId}/orders/${encodeURIComponent(mediaBuyId)}`
    // That it is missing is news to whom was told of a change before.
    return [
      {
        kind: 'drift',
        key: isLost ? `${key} missing` : key,
        subject: mediaBuyId,
        title,
        text,
        path,
        at: context.clock().toISOString(),
      },
    ]
  })
}

/** A moment as a person reads it: `4 Mar 2026, 13:00 (Europe/Berlin)`. */
function momentText(at: string, timeZone: string): string {
  const format = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'short', timeZone })
  return `${format.format(new Date(at))} (${timeZone})`
}

function digest(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 12)
}
