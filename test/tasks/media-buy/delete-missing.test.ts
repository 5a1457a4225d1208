import { afterAll, beforeAll, expect, it } from 'vitest'
import { type BuyerDataAgent, startBuyerDataAgent } from '../../support/buyer-data-agent.ts'

let agent: BuyerDataAgent

beforeAll(async () => {
  agent = await startBuyerDataAgent()
})
afterAll(() => agent.stop())

const MANY = 3_000

/** Rows like the one that is stored, each with an id of its own. */
async function copy(table: 'audiences' | 'event_sources', name: 'audience_id' | 'event_source_id') {
  await agent.server.store.transaction(async (tx) => {
    const row = await tx.selectFrom(table).selectAll().executeTakeFirstOrThrow()
    for (let index = 0; index < MANY; index++)
      await tx
        .insertInto(table)
        .values({ ...row, [name]: `copy ${index}`, seller_id: `copy ${index}` })
        .execute()
  })
}

/** Processor time, in milliseconds, in which a sync deletes all rows but one. */
async function deletionMs(task: string, table: 'audiences' | 'event_sources', name: 'audience_id' | 'event_source_id') {
  const kept = { [table]: [{ [name]: 'kept', name: 'Kept' }] }
  await agent.run(task, kept)
  await copy(table, name)
  const before = process.cpuUsage()
  const { data } = await agent.run(task, { ...kept, delete_missing: true })
  const { user, system } = process.cpuUsage(before)
  const rows: readonly { readonly action: string }[] = data[table]
  expect(rows.filter(({ action }) => action === 'deleted')).toHaveLength(MANY)
  return (user + system) / 1_000
}

it('thousands of missing audiences are deleted as fast as event sources: orders are looked through once', async () => {
  const sources = await deletionMs('sync_event_sources', 'event_sources', 'event_source_id')
  const audiences = await deletionMs('sync_audiences', 'audiences', 'audience_id')
  expect(audiences).toBeLessThan(sources * 1.8)
})
