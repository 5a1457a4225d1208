import type { DataProvider, SignalDocument, SignalsFile } from '../../domain/signal/signal.ts'
import type { Db } from '../database.ts'
import { hotQuery } from '../hot-query.ts'

export interface StoredSignals {
  readonly revision: number
  readonly providers: readonly DataProvider[]
  /** In the order of the file. */
  readonly signals: readonly SignalDocument[]
  /** No longer on offer. */
  readonly removed: readonly SignalDocument[]
}

const revisionOf = hotQuery(['tenantId'], (db, value) =>
  db.selectFrom('signal_revisions').select('revision').where('tenant_id', '=', value('tenantId')),
)

/** Revision of a tenant's signals; 0 while it never had any. */
export async function signalsRevision(db: Db, tenantId: string): Promise<number> {
  const [row] = (await revisionOf(db, { tenantId })).rows
  return row?.revision ?? 0
}

/** The signals of a tenant. */
export async function loadSignals(db: Db, tenantId: string): Promise<StoredSignals> {
  const head = await db.selectFrom('signal_revisions').selectAll().where('tenant_id', '=', tenantId).executeTakeFirst()
  const rows = await db
    .selectFrom('signals')
    .select(['document', 'removed_at'])
    .where('tenant_id', '=', tenantId)
    .orderBy('position')
    .orderBy('segment_id')
    .execute()
  const parsed = (removed: boolean): SignalDocument[] =>
    rows.filter((row) => (row.removed_at !== null) === removed).map((row) => JSON.parse(row.document))
  return {
    revision: head?.revision ?? 0,
    providers: head ? JSON.parse(head.data_providers) : [],
    signals: parsed(false),
    removed: parsed(true),
  }
}

/** Replaces a tenant's signals with those of a file. What it no longer lists stays for the deployments that refer to it, unless `merge` keeps it on offer. */
export async function saveSignals(
  tx: Db,
  tenantId: string,
  file: SignalsFile,
  options: { readonly merge: boolean },
  now: Date,
): Promise<void> {
  const at = now.toISOString()
  const before = await loadSignals(tx, tenantId)
  if (!options.merge) {
    await tx
      .updateTable('signals')
      .set({ removed_at: at })
      .where('tenant_id', '=', tenantId)
      .where('removed_at', 'is', null)
      .execute()
  }
  for (const [position, document] of file.signals.entries()) {
    const values = { position, document: JSON.stringify(document), removed_at: null }
    await tx
      .insertInto('signals')
      .values({ tenant_id: tenantId, segment_id: document.signal_agent_segment_id, ...values })
      .onConflict((c) => c.columns(['tenant_id', 'segment_id']).doUpdateSet(values))
      .execute()
  }
  const listed = file.data_providers ?? []
  // Signals that stay, on offer or not, keep the name of their provider.
  const others = before.providers.filter(({ domain }) => listed.every((provider) => provider.domain !== domain))
  const head = { data_providers: JSON.stringify([...listed, ...others]), revision: before.revision + 1, updated_at: at }
  await tx
    .insertInto('signal_revisions')
    .values({ tenant_id: tenantId, ...head })
    .onConflict((c) => c.column('tenant_id').doUpdateSet(head))
    .execute()
}
