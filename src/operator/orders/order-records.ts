import { HOUR_MS, hourOf } from '../../domain/calendar/instant.ts'
import { microsToAmount } from '../../domain/money.ts'
import { currentDelivery } from '../../store/ad-serving/delivery-ledger.ts'
import { listSpendApprovals } from '../../store/governance/spend-approvals.ts'
import { listDeliveriesOfOrder } from '../../store/webhook/outbox.ts'
import { defineAct } from '../act.ts'
import { adServerOrder, drift } from '../ad-servers/ad-server-shapes.ts'
import { playerErrors } from '../ad-servers/player-errors.ts'
import { showDrift, showOrders } from '../ad-servers/show-ad-servers.ts'
import type { OperatorContext } from '../operator-context.ts'
import { READERS } from '../roles.ts'
import { about, integer, listOf, moment, number, type Of, object, string } from '../shape.ts'
import { presentDelivery, webhook } from '../webhooks/webhook-shape.ts'
import { findOrder } from './find-order.ts'
import { ORDER } from './show-order.ts'

/** Newest webhooks that are shown. */
const MAX_WEBHOOKS = 20
/** Hours of delivery that are shown: two days. */
const HOURS = 48

const orderRecords = object({
  webhooks: listOf(webhook),
  governance: listOf(
    object({
      agent_url: string,
      check_id: string,
      plan_id: string,
      task: string,
      phase: string,
      conditions: number,
      expires_at: moment,
    }),
  ),
  ad_servers: listOf(adServerOrder),
  drift: listOf(drift),
  hours: listOf(object({ hour: string, impressions: integer, clicks: integer, spent: number })),
  errors: about(
    'errors of video players, most first',
    listOf(
      object({
        package_id: string,
        creative_id: string,
        code: about('VAST 4.2, 2.3.6.3: 100 to 999; 900 is undefined', string),
        meaning: string,
        errors: integer,
      }),
    ),
  ),
})

/** What is known of an order beside its buyer's terms and its history. */
export type OrderRecords = Of<typeof orderRecords>

/**
 * What happened around an order: webhooks to its buyer, newest first; what the buyer's governance agents agreed to; where the order is at reconciled ad
 * servers, and what changed there without us; delivery by hour of the last two days, where an ad server reports hours; and errors of players by their
 * codes, where the embedded ad server shows video. Hours are ISO 8601 UTC. Throws REFERENCE_NOT_FOUND.
 */
export const showOrderRecords = defineAct({
  name: 'orders.records',
  route: 'GET /orders/{order}/records',
  id: 'showOrderRecords',
  roles: READERS,
  summary: 'Webhooks, governance, ad servers with drift, delivery by hour, and errors of video players of an order.',
  fields: { order: ORDER },
  answer: orderRecords,
  command: {},
  run: (context, { order }) => recordsOf(context, context.tenantId, order),
})

async function recordsOf(context: OperatorContext, tenantId: string, mediaBuyId: string): Promise<OrderRecords> {
  const { read } = context.store
  const { buy } = await findOrder(context, tenantId, mediaBuyId)
  const { importOnRead } = await context.services.adServers()
  await importOnRead(tenantId, [buy])
  const [webhooks, approvals, orders, changes] = await Promise.all([
    listDeliveriesOfOrder(read, tenantId, mediaBuyId, MAX_WEBHOOKS),
    listSpendApprovals(read, tenantId, mediaBuyId),
    showOrders(context, tenantId, { mediaBuyId }),
    showDrift(context, tenantId, { all: true, mediaBuyId }),
  ])
  return {
    webhooks: webhooks.map(presentDelivery),
    governance: approvals.map(({ agentUrl, checkId, planId, tool, phase, conditions, expiresAt }) => ({
      agent_url: agentUrl,
      check_id: checkId,
      plan_id: planId,
      task: tool,
      phase,
      conditions: conditions.length,
      expires_at: expiresAt,
    })),
    ad_servers: orders,
    drift: changes,
    hours: await hoursOf(
      context,
      tenantId,
      buy.packages.map(({ packageId }) => packageId),
    ),
    errors: await playerErrors(context, tenantId, mediaBuyId),
  }
}

async function hoursOf({ store, clock }: OperatorContext, tenantId: string, packageIds: readonly string[]) {
  const first = new Date(clock().getTime() - HOURS * HOUR_MS).toISOString().slice(0, 13)
  const sums = new Map<string, { impressions: number; clicks: number; micros: number }>()
  for (const row of await currentDelivery(store.read, tenantId, packageIds, { first })) {
    // Counts of an ad server that reports by day (YYYY-MM-DD) cannot be split into hours.
    if (row.period.length === 10) continue
    const before = sums.get(row.period) ?? { impressions: 0, clicks: 0, micros: 0 }
    sums.set(row.period, {
      impressions: before.impressions + row.impressions,
      clicks: before.clicks + row.clicks,
      micros: before.micros + row.spendMicros,
    })
  }
  return [...sums]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([period, { impressions, clicks, micros }]) => ({
      hour: hourOf(period),
      impressions,
      clicks,
      spent: microsToAmount(micros),
    }))
}
