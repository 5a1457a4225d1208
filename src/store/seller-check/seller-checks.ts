import type { Selectable } from 'kysely'
import type { Db, Store } from '../database.ts'
import { changeRow, later } from '../leases.ts'
import type { SellerCheckTables } from './rows.ts'

/** A check that ended. Moments: ISO 8601 UTC. */
export interface EndedCheck {
  /** First day of what it is for, UTC. */
  readonly period: string
  readonly tenantId: string | undefined
  readonly startedAt: string
  readonly endedAt: string
  /** Ids of promises. */
  readonly held: readonly string[]
  readonly broken: readonly string[]
}

/** The files of a report, as they were signed. */
export interface CheckFiles {
  readonly report: string
  readonly signature: string
  /** A JWK, as JSON. */
  readonly publicKey: string
  readonly page: string
}

/** Claims the check of a period: false when it was made, or when a process that began it less than `leaseMs` ago still makes it. */
export async function claimCheck(store: Store, period: string, now: Date, leaseMs: number): Promise<boolean> {
  const started = now.toISOString()
  const empty = { ended_at: null, held: null, broken: null, report: null, signature: null, public_key: null, page: null }
  return store.transaction(
    async (tx) => {
      const row = { period, tenant_id: null, started_at: started, ...empty }
      const added = await tx
        .insertInto('seller_checks')
        .values(row)
        .onConflict((c) => c.doNothing())
        .executeTakeFirst()
      if (added.numInsertedOrUpdatedRows === 1n) return true
      const seen = await tx
        .selectFrom('seller_checks')
        .select(['period', 'started_at', 'ended_at'])
        .where('period', '=', period)
        .executeTakeFirst()
      if (!seen || seen.ended_at !== null || seen.started_at > later(now, -leaseMs)) return false
      return changeRow(tx, 'seller_checks', seen, { started_at: started })
    },
    // Compare-and-set: what others do meanwhile needs no other guard.
    { isolation: 'read-committed' },
  )
}

/** Writes what a check came to and drops all but the newest `kept` periods. Nothing is written when another process has taken the check over. */
export async function endCheck(store: Store, check: EndedCheck, files: CheckFiles, kept: number): Promise<void> {
  await store.transaction(async (tx) => {
    const held = { period: check.period, started_at: check.startedAt, ended_at: null }
    await changeRow(tx, 'seller_checks', held, {
      tenant_id: check.tenantId ?? null,
      ended_at: check.endedAt,
      held: JSON.stringify(check.held),
      broken: JSON.stringify(check.broken),
      ...{ report: files.report, signature: files.signature, public_key: files.publicKey, page: files.page },
    })
    const newest = await tx.selectFrom('seller_checks').select('period').orderBy('period', 'desc').limit(kept).execute()
    const oldest = newest.at(-1)?.period
    if (oldest !== undefined) await tx.deleteFrom('seller_checks').where('period', '<', oldest).execute()
  })
}

/** Checks that ended, newest first. */
export async function listChecks(db: Db): Promise<EndedCheck[]> {
  const rows = await db
    .selectFrom('seller_checks')
    .select(['period', 'tenant_id', 'started_at', 'ended_at', 'held', 'broken'])
    .where('ended_at', 'is not', null)
    .orderBy('period', 'desc')
    .execute()
  return rows.map(endedOf)
}

/** The files of the check of a period; undefined: there is none, or it has not ended. */
export async function findCheckFiles(db: Db, period: string): Promise<CheckFiles | undefined> {
  const row = await db
    .selectFrom('seller_checks')
    .select(['report', 'signature', 'public_key', 'page'])
    .where('period', '=', period)
    .executeTakeFirst()
  const { report, signature, public_key: publicKey, page } = row ?? {}
  return report && signature && publicKey && page ? { report, signature, publicKey, page } : undefined
}

type Row = Pick<
  Selectable<SellerCheckTables['seller_checks']>,
  'period' | 'tenant_id' | 'started_at' | 'ended_at' | 'held' | 'broken'
>

function endedOf(row: Row): EndedCheck {
  const ids = (text: string | null): readonly string[] => JSON.parse(text ?? '[]')
  return {
    period: row.period,
    tenantId: row.tenant_id ?? undefined,
    ...{ startedAt: row.started_at, endedAt: row.ended_at ?? '', held: ids(row.held), broken: ids(row.broken) },
  }
}
