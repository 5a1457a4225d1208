import type { GetMediaBuysRequest, GetMediaBuysResponse } from '@adcp/sdk/types'
import { accountScopeOf } from '../../domain/account/account.ts'
import { decodeCursor, encodeCursor } from '../../domain/cursor.ts'
import { groupBy } from '../../domain/group-by.ts'
import type { PrincipalRef } from '../../domain/identity/principal.ts'
import { deliveryOf, NOTHING } from '../../domain/media-buy/delivery.ts'
import type { CreativeFacts, MediaBuy } from '../../domain/media-buy/media-buy.ts'
import { presentMediaBuy } from '../../domain/media-buy/present.ts'
import { acceptedMembers } from '../../domain/media-buy/present-commitment.ts'
import { presentSnapshot } from '../../domain/media-buy/present-delivery.ts'
import { availableNow } from '../../domain/media-buy/present-state.ts'
import type { ShownSnapshot } from '../../domain/media-buy/shown-buy.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import type { Approval } from '../../store/approval/approvals.ts'
import { waitingChanges } from '../../store/approval/waiting-changes.ts'
import type { Db } from '../../store/database.ts'
import { changesIn } from '../approvals/end-waiting-changes.ts'
import { activityOfMediaBuys } from '../webhook-activity.ts'
import { actionRulesOf } from './action-rules.ts'
import { GET_MEDIA_BUYS } from './input-notes.ts'
import { reportsOf } from './orders.ts'
import { selectMediaBuys, statusesOf } from './select-media-buys.ts'
import { summarizeMediaBuys } from './summaries.ts'

const DEFAULT_PAGE = 50
/** Packages of a page: what a large order has is written while others wait. */
const MOST_PACKAGES = 2_000

export const getMediaBuys = defineTask<GetMediaBuysRequest, GetMediaBuysResponse>()({
  name: 'get_media_buys',
  access: 'authenticated',
  scope: 'media_buys',
  account: 'optional',
  summary: 'Your media buys: status, packages, creative approvals, allowed actions, history and delivery snapshots.',
  input: GET_MEDIA_BUYS,
  summarize: summarizeMediaBuys,
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
    })
    const rules = await actionRulesOf(context)
    const withAccepted = ids !== undefined && context.contract.has('buy_products')
    const snapshots = request.include_snapshot ? await snapshotsOf(context, page.buys, page.creatives) : undefined
    const shown = page.buys.map(({ mediaBuyId }) => mediaBuyId)
    const waiting = await openChangesOf(tx, principal, shown)
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
          ...(waiting.has(buy.mediaBuyId) && { ext: { ...row.ext, open_changes: waiting.get(buy.mediaBuyId) } }),
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

/** The changes that wait for a decision by the seller, by order: their tasks, when they were asked for, and what they would change. */
async function openChangesOf(
  tx: Db,
  owner: PrincipalRef,
  mediaBuyIds: readonly string[],
): Promise<ReadonlyMap<unknown, object[]>> {
  const waiting = await waitingChanges(tx, owner, mediaBuyIds)
  const byOrder = groupBy(waiting, ({ summary }) => summary.media_buy_id)
  return new Map([...byOrder].map(([id, changes]) => [id, changes.map(openChange)]))
}

function openChange({ taskId, createdAt, summary }: Approval): object {
  return { task_id: taskId, submitted_at: createdAt, changes: changesIn(summary) }
}

async function snapshotsOf(
  context: AuthenticatedContext,
  buys: readonly MediaBuy[],
  creatives: CreativeFacts,
): Promise<Map<string, ShownSnapshot>> {
  const reports = await reportsOf(context, buys, creatives)
  return new Map(
    buys.flatMap((buy) => {
      const delivery = deliveryOf(buy, reports.get(buy.mediaBuyId) ?? [])
      return buy.packages.map((pkg) => {
        const total = delivery.packages.get(pkg.packageId)?.total ?? NOTHING
        return [pkg.packageId, presentSnapshot(buy, pkg, total, context.now)] as const
      })
    }),
  )
}
