import type { Kysely } from 'kysely'

/** Approvals read in one step. */
const STEP = 500

type Tables = {
  approvals: { tenant_id: string; task_id: string; summary: string; media_buy_id: string | null }
}

/** Approvals name the order that they change in a column, so that those of an order are found without reading all of a buyer. */
export async function up(db: Kysely<unknown>): Promise<void> {
  await db.schema.alterTable('approvals').addColumn('media_buy_id', 'text').execute()
  await nameOrders(db as Kysely<Tables>)
  await db.schema
    .createIndex('approvals_of_order')
    .on('approvals')
    .columns(['tenant_id', 'media_buy_id', 'created_at'])
    .where('media_buy_id', 'is not', null)
    .execute()
}

async function nameOrders(db: Kysely<Tables>): Promise<void> {
  for (let after = { tenant_id: '', task_id: '' }; ; ) {
    const rows = await db
      .selectFrom('approvals')
      .select(['tenant_id', 'task_id', 'summary'])
      .where((eb) =>
        eb.or([
          eb('tenant_id', '>', after.tenant_id),
          eb.and([eb('tenant_id', '=', after.tenant_id), eb('task_id', '>', after.task_id)]),
        ]),
      )
      .orderBy('tenant_id')
      .orderBy('task_id')
      .limit(STEP)
      .execute()
    for (const { tenant_id, task_id, summary } of rows) {
      const { media_buy_id: id } = JSON.parse(summary) as { readonly media_buy_id?: unknown }
      if (typeof id !== 'string') continue
      const named = db.updateTable('approvals').set({ media_buy_id: id })
      await named.where('tenant_id', '=', tenant_id).where('task_id', '=', task_id).execute()
    }
    const last = rows.at(-1)
    if (last === undefined || rows.length < STEP) return
    after = last
  }
}
