import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { CompiledQuery, type RootOperationNode } from 'kysely'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { driftOf } from '../../src/store/ad-serving/ad-server-drift.ts'
import { findCreative } from '../../src/store/creative/creatives.ts'
import type { Db, Store } from '../../src/store/database.ts'
import { listHouseCreatives } from '../../src/store/house/house-creatives.ts'
import { findHouseLines, listHouseLines } from '../../src/store/house/house-orders.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'

const folder = mkdtempSync(join(tmpdir(), 'plans-'))
const order = { tenantId: 'acme', mediaBuyId: 'mb_1', adServer: 'embedded' }
let store: Store

beforeAll(async () => {
  store = await openSqlite(join(folder, 'a.db'))
})

afterAll(async () => {
  await store.close()
  rmSync(folder, { recursive: true })
})

/** How SQLite finds the rows of each statement that a read executes. */
async function plansOf(read: (db: Db) => Promise<unknown>): Promise<string[]> {
  const nodes: RootOperationNode[] = []
  const recording = store.read.withPlugin({
    transformQuery: ({ node }) => {
      nodes.push(node)
      return node
    },
    transformResult: async ({ result }) => result,
  })
  await read(recording)
  const plans = nodes.map(async (node) => {
    const { sql, parameters } = store.read.getExecutor().compileQuery(node, { queryId: 'plan' })
    const { rows } = await store.read.executeQuery<{ detail: string }>(
      CompiledQuery.raw(`explain query plan ${sql}`, [...parameters]),
    )
    return rows.map(({ detail }) => detail)
  })
  return (await Promise.all(plans)).flat()
}

describe('a lookup by id reads the rows of that id alone', () => {
  const lookups: readonly [name: string, read: (db: Db) => Promise<unknown>, terms: string][] = [
    ['lines of an order', (db) => listHouseLines(db, 'acme', 'o1'), 'tenant_id=? AND order_id=?'],
    ['lines by anchor', (db) => findHouseLines(db, 'acme', ['p1', 'p2']), 'tenant_id=? AND anchor=?'],
    ['creatives of an order', (db) => listHouseCreatives(db, 'acme', 'o1'), 'tenant_id=? AND order_id=?'],
    [
      'a creative',
      (db) => findCreative(db, { tenantId: 'acme', principalId: 'buyer', accountId: undefined }, 'c1'),
      'tenant_id=? AND principal_id=? AND creative_id=?',
    ],
    ['drift of an order', (db) => driftOf(db, order, ['open']), 'tenant_id=? AND media_buy_id=? AND ad_server=? AND state=?'],
  ]
  it.each(lookups)('%s', async (_name, read, terms) => {
    expect(await plansOf(read)).toEqual([expect.stringContaining(`(${terms})`)])
  })
})
