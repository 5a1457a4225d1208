import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { MOST_OF_ACCOUNT } from '../../../src/domain/account/most-of-account.ts'
import { SqliteConnection } from '../../../src/store/sqlite/sqlite-connection.ts'
import { type BuyerDataAgent, startBuyerDataAgent } from '../../support/buyer-data-agent.ts'

let agent: BuyerDataAgent

beforeAll(async () => {
  agent = await startBuyerDataAgent()
})
afterAll(() => agent.stop())

const NAMES = { audiences: 'audience_id', event_sources: 'event_source_id' } as const
const KINDS = ['audiences', 'event_sources'] as const
type Kind = (typeof KINDS)[number]

const sync = async (kind: Kind, ids: readonly string[], more: object = {}) =>
  (await agent.run(`sync_${kind}`, { [kind]: ids.map((id) => ({ [NAMES[kind]]: id, name: id })), ...more })).data[kind]

/** Rows like the one that is stored, each with an id of its own, until an account has all that it may have. */
async function fill(kind: Kind) {
  await agent.server.store.transaction(async (tx) => {
    const row = await tx.selectFrom(kind).selectAll().executeTakeFirstOrThrow()
    for (let index = 1; index < MOST_OF_ACCOUNT[kind]; index++)
      await tx
        .insertInto(kind)
        .values({ ...row, [NAMES[kind]]: `copy ${index}`, seller_id: `copy ${index}` })
        .execute()
  })
}

it.each(KINDS)('an account has so many %s, and one more is refused until some are deleted', async (kind) => {
  await sync(kind, ['kept'])
  await fill(kind)
  const [changed, added] = await sync(kind, ['kept', 'more'])
  expect(changed.action).not.toBe('failed')
  expect(added).toMatchObject({ action: 'failed', errors: [{ message: expect.stringMatching(/has at most [12]000 .*delete/) }] })

  const queries = vi.spyOn(SqliteConnection.prototype, 'executeQuery')
  const rows: readonly { readonly action: string }[] = await sync(kind, ['kept'], { delete_missing: true })
  expect(rows.filter(({ action }) => action === 'deleted')).toHaveLength(MOST_OF_ACCOUNT[kind] - 1)
  // Orders, which may name audiences, are looked through once for all that go.
  const looks = queries.mock.calls.filter(([{ sql }]) => /from "media_buys"/.test(sql)).length
  vi.restoreAllMocks()
  if (kind === 'audiences') expect(looks).toBeGreaterThan(0)
  expect(looks).toBeLessThan(10)
  expect(await sync(kind, ['kept', 'more'])).toMatchObject([{}, { action: 'created' }])
})
