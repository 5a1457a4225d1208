import { OPEN_STATES } from './approval/approvals.ts'
import { countUnsealed } from './audit/audit.ts'
import type { Db } from './database.ts'
import { countDue } from './directory/directory-leases.ts'

/** What waits in the store. Counts and seconds; each is one look at an index. */
export interface Backlog {
  readonly outboxPending: number
  readonly outboxDead: number
  readonly outboxOldestSeconds: number
  readonly approvalsWaiting: number
  readonly auditUnsealed: number
  readonly crawlDue: number
  readonly crawlOverdueSeconds: number
}

/** The length of every queue of the store, of all tenants together. */
export async function readBacklog(db: Db, now: Date): Promise<Backlog> {
  const outbox = await db
    .selectFrom('webhook_outbox')
    .select(['state', (eb) => eb.fn.countAll<number>().as('rows'), (eb) => eb.fn.min('created_at').as('oldest')])
    .where('state', 'in', ['pending', 'dead'])
    .groupBy('state')
    .execute()
  const pending = outbox.find((row) => row.state === 'pending')
  const approvals = await db
    .selectFrom('approvals')
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .where('state', 'in', [...OPEN_STATES])
    .executeTakeFirstOrThrow()
  const crawl = await db
    .selectFrom('directory_publishers')
    .select((eb) => eb.fn.min('next_attempt_at').as('oldest'))
    .executeTakeFirstOrThrow()
  return {
    outboxPending: Number(pending?.rows ?? 0),
    outboxDead: Number(outbox.find((row) => row.state === 'dead')?.rows ?? 0),
    outboxOldestSeconds: secondsSince(pending?.oldest, now),
    approvalsWaiting: Number(approvals.rows),
    auditUnsealed: await countUnsealed(db),
    crawlDue: await countDue(db, now),
    crawlOverdueSeconds: secondsSince(crawl.oldest, now),
  }
}

function secondsSince(time: string | null | undefined, now: Date): number {
  return typeof time === 'string' ? Math.max(0, (now.getTime() - Date.parse(time)) / 1000) : 0
}
