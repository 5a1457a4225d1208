import type { GetMediaBuysRequest, GetMediaBuysResponse } from '@adcp/sdk/types'
import { accountScopeOf } from '../../domain/account/account.ts'
import { isMissing, LACKS } from '../../domain/ad-serving/missing.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { deliveryInSteps, NOTHING } from '../../domain/media-buy/delivery.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { presentMediaBuy } from '../../domain/media-buy/present.ts'
import { acceptedMembers } from '../../domain/media-buy/present-commitment.ts'
import { presentSnapshot } from '../../domain/media-buy/present-delivery.ts'
import { availableNow } from '../../domain/media-buy/present-state.ts'
import type { ShownSnapshot } from '../../domain/media-buy/shown-buy.ts'
import { type Wait, waitsFor } from '../../domain/media-buy/waits-for.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { inTurns } from '../../platform/concurrency/yield-to-event-loop.ts'
import { listDrift } from '../../store/ad-serving/ad-server-drift.ts'
import type { Db } from '../../store/database.ts'
import { listLiveNames } from '../../store/media-buy/list-media-buys.ts'
import { activityOfMediaBuys } from '../webhook-activity.ts'
import { actionRulesOf } from './action-rules.ts'
import { openChangesOf, withWaits } from './change-waits.ts'
import { GET_MEDIA_BUYS } from './input-notes.ts'
import { reportsOf } from './orders.ts'
import { selectMediaBuys, statusesOf } from './select-media-buys.ts'
import { summarizeMediaBuys } from './summaries.ts'

const DEFAULT_PAGE = 50
/** Packages of a page: what a large order has is written while others wait. */
const MOST_PACKAGES = 2_000
/** Bytes of their documents, after which a page ends. */
const MOST_BYTES = 2_000_000
/** Orders that a person is helped to name. */
const MOST_NAMED = 1_000

export const getMediaBuys = defineTask<GetMediaBuysRequest, GetMediaBuysResponse>()({
  name: 'get_media_buys',
  access: 'authenticated',
  scope: 'media_buys',
  account: 'optional',
  summary: 'Your media buys: status, packages, creative approvals, allowed actions, history and delivery snapshots.',
  input: GET_MEDIA_BUYS,
  summarize: summarizeMediaBuys,
  async named({ db, principal, now }) {
    const rows = await listLiveNames(db, principal, now, MOST_NAMED + 1)
    return { rows: rows.slice(0, MOST_NAMED), isCut: rows.length > MOST_NAMED }
  },
  async handle(request, context) {
    const { tx, principal, now } = context
    const { media_buy_ids: ids, pagination } = request
    const statuses = statusesOf(request.status_filter) ?? (ids ? undefined : ['active' as const])
    const query = [
      'get_media_buys',
      principal.tenantId,
      principal.principalId,
      accountScopeOf(context.principal, context.account).accountId,
      ids,
      statuses,
    ]
    const page = await selectMediaBuys(tx, context, {
      ids,
      statuses,
      after: decodeCursor(query, pagination?.cursor),
      limit: pagination?.max_results ?? DEFAULT_PAGE,
      mostPackages: MOST_PACKAGES,
      mostBytes: MOST_BYTES,
    })
    const rules = await actionRulesOf(context)
    const withAccepted = ids !== undefined && context.contract.has('buy_products')
    const snapshots = request.include_snapshot ? await snapshotsOf(context, page.buys, page.creatives) : undefined
    const shown = page.buys.map(({ mediaBuyId }) => mediaBuyId)
    const waiting = await openChangesOf(tx, principal, shown)
    const lost = ids === undefined ? new Set<string>() : await lostOrders(tx, principal.tenantId, shown)
    const activity = await activityOfMediaBuys(request, context, shown)
    return {
      media_buys: page.buys.map((buy) => {
        const row = presentMediaBuy(buy, {
          creatives: page.creatives,
          now,
          history: request.include_history ?? 0,
          whole: ids !== undefined,
          rules,
          ...(snapshots && { snapshots }),
        })
        return {
          ...row,
          ...withWaits(row.ext, waiting.get(buy.mediaBuyId), [
            ...waitsFor(buy, page.creatives, now),
            ...(lost.has(buy.mediaBuyId) ? [LOST] : []),
          ]),
          ...(withAccepted && acceptedMembers(buy, availableNow(buy, page.creatives, now, rules))),
          ...(activity.has(buy.mediaBuyId) && { webhook_activity: activity.get(buy.mediaBuyId) }),
        }
      }),
      ...(page.missing.length > 0 && { errors: page.missing }),
      pagination: {
        has_more: page.after !== undefined,
        ...(page.after !== undefined && { cursor: encodeCursor(query, page.after) }),
      },
      ...((principal.sandbox || context.account?.sandbox) && { sandbox: true }),
    }
  },
})

/** Orders whose state at the ad server is asked for: each is a query. */
const MOST_ASKED = 10
const LOST: Wait = { for: 'ad_server', message: LACKS }

/** Of the first orders, those that the ad server lacks, or lacks a part of. */
async function lostOrders(tx: Db, tenantId: string, mediaBuyIds: readonly string[]): Promise<ReadonlySet<string>> {
  const lost = new Set<string>()
  for (const mediaBuyId of mediaBuyIds.slice(0, MOST_ASKED)) {
    const drift = await listDrift(tx, tenantId, { states: ['open'], mediaBuyId, limit: 200 })
    if (drift.some(isMissing)) lost.add(mediaBuyId)
  }
  return lost
}

async function snapshotsOf(
  context: AuthenticatedContext,
  buys: readonly MediaBuy[],
  creatives: CreativeFacts,
): Promise<Map<string, ShownSnapshot>> {
  const reports = await reportsOf(context, buys, creatives)
  const snapshots = new Map<string, ShownSnapshot>()
  for (const buy of buys) {
    const delivery = await inTurns(deliveryInSteps(buy, reports.get(buy.mediaBuyId) ?? []))
    for (const pkg of buy.packages) {
      const total = delivery.packages.get(pkg.packageId)?.total ?? NOTHING
      snapshots.set(pkg.packageId, presentSnapshot(buy, pkg, { total, creatives }, context.now))
    }
  }
  return snapshots
}
