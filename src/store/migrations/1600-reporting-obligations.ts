import type { Kysely } from 'kysely'

interface Owner {
  tenant_id: string
  principal_id: string
  account_id: string
}

interface Before {
  reporting_generations: Owner
  reporting_records: Owner & {
    seq: number
    kind: string
    document: string
    generation: string | null
    period_end: string | null
  }
}

/** Documents that are read at once: each names the orders of an account. */
const BATCH = 100

/** What is owed is found by its configuration and period without its document, which names every order of an account. */
export async function up(db: Kysely<Before>): Promise<void> {
  await db.schema.alterTable('reporting_records').addColumn('generation', 'text').execute()
  await db.schema.alterTable('reporting_records').addColumn('period_end', 'text').execute()
  // Obligations of configurations that are forgotten are in no answer.
  const owners = await db
    .selectFrom('reporting_generations')
    .select(['tenant_id', 'principal_id', 'account_id'])
    .distinct()
    .execute()
  for (const owner of owners) await describeStored(db, owner)
  await db.schema
    .createIndex('reporting_records_owed')
    .on('reporting_records')
    .columns([
      'tenant_id',
      'principal_id',
      'account_id',
      'generation',
      'period_start',
      'seq',
      'period_end',
      'record_id',
      'slice_id',
    ])
    .where('generation', 'is not', null)
    .execute()
}

async function describeStored(db: Kysely<Before>, owner: Owner): Promise<void> {
  for (let after = 0; ; ) {
    const rows = await db
      .selectFrom('reporting_records')
      .select(['seq', 'document'])
      .where('tenant_id', '=', owner.tenant_id)
      .where('principal_id', '=', owner.principal_id)
      .where('account_id', '=', owner.account_id)
      .where('seq', '>', after)
      .where('kind', '=', 'obligation')
      .orderBy('seq')
      .limit(BATCH)
      .execute()
    for (const { seq, document } of rows) {
      const { configId, version, period }: { configId: string; version: number; period: { end: string } } = JSON.parse(document)
      await db
        .updateTable('reporting_records')
        .set({ generation: `${configId} ${version}`, period_end: period.end })
        .where('tenant_id', '=', owner.tenant_id)
        .where('principal_id', '=', owner.principal_id)
        .where('account_id', '=', owner.account_id)
        .where('seq', '=', seq)
        .execute()
      after = seq
    }
    if (rows.length < BATCH) return
  }
}
