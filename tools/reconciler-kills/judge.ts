import { loadDesiredOrder } from '../../src/ad-serving/reconcile/load-desired-order.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import type { Config } from '../../src/config/config.ts'
import { diff } from '../../src/domain/ad-serving/diff.ts'
import { describeStep } from '../../src/domain/ad-serving/step.ts'
import type { Store } from '../../src/store/database.ts'
import { openStore } from '../../src/store/open.ts'
import type { OrderState } from './orders.ts'

/** Lines that an order at an ad server may have: those of its packages that are not over. */
const PACKAGES = 2

export interface Judged {
  /** Orders by ad server. */
  readonly orders: Readonly<Record<string, number>>
  readonly problems: readonly string[]
}

/** Whether every order that was acknowledged is there once, as its buyer was told, and as it is wanted: desired = observed. */
export async function judgeOrders(config: Config, acknowledged: ReadonlyMap<string, OrderState>): Promise<Judged> {
  const store = await openStore(config, { create: false })
  try {
    const rows = await store.read.selectFrom('ad_server_orders').selectAll().execute()
    const backends = (await operatorOn(store, config).services.adServers()).backends('demo')
    const problems: string[] = []
    const known = new Set(rows.map(({ media_buy_id }) => media_buy_id))
    for (const id of acknowledged.keys()) if (!known.has(id)) problems.push(`order ${id} was acknowledged and is lost`)
    for (const row of rows) {
      const name = `order ${row.media_buy_id} at ${row.ad_server}`
      const backend = backends.get(row.ad_server)?.backend
      const at = { tenantId: row.tenant_id, principalId: row.principal_id, mediaBuyId: row.media_buy_id, adServer: row.ad_server }
      const desired = await loadDesiredOrder(store.read, at)
      if (!backend || !desired) {
        problems.push(`${name} has no ${backend ? 'media buy' : 'ad server'}`)
        continue
      }
      const observed = await backend.observe(desired.key)
      const steps = diff(desired, observed, backend.capabilities)
      if (steps.length > 0) problems.push(`${name} is not as wanted: ${steps.map(describeStep).join(', ')}`)
      if (observed?.duplicateIds?.length) problems.push(`${name} is there ${observed.duplicateIds.length + 1} times`)
      const ids = observed?.lines.map(({ externalId }) => externalId) ?? []
      if (ids.length > PACKAGES || new Set(ids).size !== ids.length) problems.push(`${name} has lines ${ids.join(', ')}`)
      const told = acknowledged.get(row.media_buy_id)
      const budgets = desired.lines.map(({ settings }) => settings.budgetMicros / 1e6)
      if (
        told &&
        (told.canceled !== (desired.state === 'ended') || (!told.canceled && budgets.some((budget) => budget !== told.budget)))
      )
        problems.push(`${name} is ${desired.state} with ${budgets.join(', ')}; its buyer was told ${JSON.stringify(told)}`)
      if (row.applied !== row.requested || row.attempts !== 0) problems.push(`${name} waits: ${row.reason}`)
    }
    const drift = await store.read.selectFrom('ad_server_drift').select('drift_id').execute()
    if (drift.length > 0) problems.push(`${drift.length} changes of our own were taken for drift`)
    return { orders: countsOf(rows.map(({ ad_server }) => ad_server)), problems }
  } finally {
    await store.close()
  }
}

/** Whether every order has been brought to its ad server. */
export async function isSettled(config: Config): Promise<boolean> {
  const store: Store = await openStore(config, { create: false })
  try {
    const rows = await store.read
      .selectFrom('ad_server_orders')
      .select(['applied', 'requested', 'attempts', 'reason', 'lease'])
      .execute()
    return rows.every(
      ({ applied, requested, attempts, reason, lease }) =>
        applied === requested && attempts === 0 && reason === null && lease === '',
    )
  } finally {
    await store.close()
  }
}

function countsOf(names: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1
  return counts
}
