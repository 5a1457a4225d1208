import { reconcileDue } from '../../src/ad-serving/reconcile/reconciler.ts'
import type { DriftPolicy } from '../../src/domain/ad-serving/drift.ts'
import { listDrift } from '../../src/store/ad-serving/ad-server-drift.ts'
import { listAdServerOrders, makeDue } from '../../src/store/ad-serving/ad-server-orders.ts'
import { settleChanges } from '../../src/tasks/media-buy/settle-changes.ts'
import type { GamEmulator } from './gam-emulator.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from './media-buy-agent.ts'

const START = '2026-03-01T12:00:00Z'
const SECOND_MS = 1_000
const PRODUCTS = { news: { adUnits: ['1'], sizes: ['300x250'] } }

/** An agent that sold one order, which is at an emulated network. Its reconciler runs when the test says so. */
export interface GamSold {
  readonly agent: MediaBuyAgent
  readonly mediaBuyId: string
  readonly packageId: string
  /** Reconciles the orders now, a second later. */
  look(): Promise<void>
  /** Drift that was found, `subject field state`. */
  drift(): Promise<readonly string[]>
  /** Where the order is with its ad server. */
  place(): Promise<{ readonly inStep: boolean; readonly reason: string | undefined }>
}

export async function sellInGam(network: GamEmulator, drift: DriftPolicy): Promise<GamSold> {
  let now = Date.parse(START)
  const clock = () => new Date(now)
  const agent = await startMediaBuyAgent([productDocument('news')], {
    clock,
    backend: { backend: network.backend({ products: PRODUCTS }, clock), drift },
    reconciler: { timing: { everyMs: 3_600_000 } },
  })
  const look = async () => {
    now += SECOND_MS
    await network.control({ now: clock().toISOString(), brief: true })
    const { store, services, clock: ofServer, log } = agent.server
    await store.transaction((tx) => makeDue(tx, agent.tenant, {}, clock()))
    const settle = settleChanges(store, ofServer, services.webhooks.wake)
    await reconcileDue({ store, clock: ofServer, log, backends: services.adServers.backends, settleChanges: settle })
  }
  const { isError, data } = await agent.create()
  if (isError) throw new Error(JSON.stringify(data))
  await look()
  return {
    agent,
    mediaBuyId: data.media_buy_id,
    packageId: data.packages[0].package_id,
    look,
    async drift() {
      const states = ['open', 'healed', 'adopted', 'gone', 'superseded'] as const
      const rows = await listDrift(agent.server.store.read, agent.tenant, { states: [...states], limit: 200 })
      return rows.map(({ subject, field, state }) => `${subject.split(' ')[0]} ${field} ${state}`).toSorted()
    },
    async place() {
      const [row] = await listAdServerOrders(agent.server.store.read, agent.tenant, { limit: 1 })
      if (!row) throw new Error('the order is at no ad server')
      return { inStep: row.inStep, reason: row.reason }
    },
  }
}
