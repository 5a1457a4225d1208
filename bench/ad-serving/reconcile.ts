import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createEmbeddedBackend } from '../../src/ad-serving/embedded/embedded-backend.ts'
import { writeIds } from '../../src/ad-serving/external-id.ts'
import { reconcileDue } from '../../src/ad-serving/reconcile/reconciler.ts'
import { planMediaBuy } from '../../src/domain/media-buy/create.ts'
import { requestOrders } from '../../src/store/ad-serving/ad-server-orders.ts'
import type { Store } from '../../src/store/database.ts'
import { addTenant } from '../../src/store/identity/tenants.ts'
import { insertMediaBuy } from '../../src/store/media-buy/media-buys.ts'
import { openSqlite } from '../../src/store/sqlite/sqlite.ts'
import { NOW, product, request } from '../../test/support/media-buy-fixtures.ts'

export interface ReconcileFigures {
  readonly lines: number
  /** Of bringing the orders there, milliseconds of processor time for each line. */
  readonly writeMs: number
  /** Of looking whether they are as they should be, the same. */
  readonly checkMs: number
  /** Grown memory after all of it. */
  readonly heapBytes: number
}

const LINES_OF_AN_ORDER = 10
const TENANT = 'bench'
const OWNER = { tenantId: TENANT, principalId: 'buyer' }
const MINUTE = 60_000

/** New orders of ten lines each are brought to the embedded ad server, on a file; then each is compared with what is there. */
export async function measureReconciler(lines: number): Promise<ReconcileFigures> {
  const folder = mkdtempSync(join(tmpdir(), 'bench-reconcile-'))
  const store = await openSqlite(join(folder, 'orders.sqlite'))
  try {
    let now = NOW
    const clock = () => now
    await order(store, lines / LINES_OF_AN_ORDER)
    const backend = createEmbeddedBackend({
      places: { countries: true, regions: true },
      store,
      clock,
      reportEveryMs: 300_000,
      liveEveryMs: 2_000,
      timeZoneOf: async () => 'UTC',
      placesOf: async () => [],
      formatOf: async () => undefined,
      listInventory: async () => ({ units: [] }),
    })
    const failures: unknown[] = []
    const silent = {
      info() {},
      warn: (facts: object) => void failures.push(facts),
      error: (facts: object) => void failures.push(facts),
    }
    const backends = () => new Map([[backend.name, { backend, drift: 'leave' as const }]])
    const run = async () => {
      const began = process.cpuUsage()
      // A batch of orders each time.
      for (let more = true; more; ) more = await reconcileDue({ store, clock, log: silent, backends })
      const { user, system } = process.cpuUsage(began)
      return (user + system) / 1000 / lines
    }
    globalThis.gc?.()
    const before = process.memoryUsage().heapUsed
    const writeMs = await run()
    now = new Date(now.getTime() + 20 * MINUTE)
    const checkMs = await run()
    globalThis.gc?.()
    const heapBytes = process.memoryUsage().heapUsed - before
    const { there } = await store.read
      .selectFrom('embedded_lines')
      .select((e) => e.fn.countAll<number>().as('there'))
      .where('state', '=', 'active')
      .executeTakeFirstOrThrow()
    if (there !== lines || failures.length > 0)
      throw new Error(`${there} of ${lines} lines are there: ${JSON.stringify(failures[0])}`)
    return { lines, writeMs, checkMs, heapBytes }
  } finally {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

async function order(store: Store, orders: number): Promise<void> {
  await store.transaction((tx) => addTenant(tx, { tenantId: TENANT, name: 'Bench', domain: 'bench.example' }, NOW))
  const pkg = { product_id: 'news', pricing_option_id: 'cpm', budget: 1000 }
  const asked = request({ packages: Array.from({ length: LINES_OF_AN_ORDER }, () => pkg) })
  for (let index = 0; index < orders; index += 1) {
    const mediaBuyId = `mb_${index}`
    const planned = planMediaBuy(asked, {
      mediaBuyId,
      accountId: 'acc',
      principalId: OWNER.principalId,
      actor: 'bench',
      products: new Map([['news', product('news')]]),
      declare: () => undefined,
      keepsOf: () => undefined,
      proposal: undefined,
      now: NOW,
      timeZone: 'UTC',
    })
    const at = (id: string) => writeIds([{ adServer: 'embedded', id }])
    const packages = planned.packages.map((each) => ({ ...each, lineId: at(each.packageId) }))
    await store.transaction(async (tx) => {
      await insertMediaBuy(tx, OWNER, { ...planned, orderId: at(mediaBuyId), packages })
      await requestOrders(tx, OWNER, mediaBuyId, ['embedded'], NOW)
    })
  }
}
