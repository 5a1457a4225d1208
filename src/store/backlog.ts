import { sql } from 'kysely'
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
  const [pending, dead] = await Promise.all([countOutbox(db, 'pending'), countOutbox(db, 'dead')])
  const { oldest } = await db
    .selectFrom('tenants as t')
    .select((eb) =>
      eb.fn
        .min(
          eb
            .selectFrom('webhook_outbox as o')
            .select((e) => e.fn.min('o.created_at').as('created_at'))
            .whereRef('o.tenant_id', '=', 't.tenant_id')
            .where('o.state', '=', 'pending'),
        )
        .as('oldest'),
    )
    .executeTakeFirstOrThrow()
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
    outboxPending: pending,
    outboxDead: dead,
    outboxOldestSeconds: secondsSince(oldest, now),
    approvalsWaiting: Number(approvals.rows),
    auditUnsealed: await countUnsealed(db),
    crawlDue: await countDue(db, now),
    crawlOverdueSeconds: secondsSince(crawl.oldest, now),
  }
}

/** Webhooks that are counted at most: some milliseconds in an index. */
const MOST_COUNTED = 200_000

async function countOutbox(db: Db, state: 'pending' | 'dead'): Promise<number> {
  const all = db.selectFrom('webhook_outbox').select(sql`1`.as('one')).where('state', '=', sql.lit(state))
  const some = state === 'pending' ? all : all.where('settled_at', 'is not', null)
  const { rows } = await db
    .selectFrom(some.limit(MOST_COUNTED).as('some'))
    .select((eb) => eb.fn.countAll<number>().as('rows'))
    .executeTakeFirstOrThrow()
  return Number(rows)
}

function secondsSince(time: string | null | undefined, now: Date): number {
  return typeof time === 'string' ? Math.max(0, (now.getTime() - Date.parse(time)) / 1000) : 0
}
