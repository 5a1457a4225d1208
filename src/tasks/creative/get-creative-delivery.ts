import type { GetCreativeDeliveryRequest, GetCreativeDeliveryResponse } from '@adcp/sdk/types'
import { accountScopeOf } from '../../domain/account/account.ts'
import { type Metrics, NOTHING, rangeOf, sumDays } from '../../domain/media-buy/delivery.ts'
import { presentMetrics } from '../../domain/media-buy/present-metrics.ts'
import { reportingPeriod } from '../../domain/media-buy/report-totals.ts'
import { divide } from '../../domain/media-buy/share-delivery.ts'
import { microsToAmount } from '../../domain/money.ts'
import { pageOf } from '../../domain/page.ts'
import { type AuthenticatedContext, defineTask } from '../../pipeline/task.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findCreative } from '../../store/creative/creatives.ts'
import { type CreativeDelivery, creativeDeliveries } from './creative-deliveries.ts'
import { variantsOf } from './creative-variants.ts'

type WireRow = GetCreativeDeliveryResponse['creatives'][number]

export const getCreativeDelivery = defineTask<GetCreativeDeliveryRequest, GetCreativeDeliveryResponse>()({
  name: 'get_creative_delivery',
  access: 'authenticated',
  scope: 'creatives',
  account: 'optional',
  summary: 'Delivery of your creatives on your media buys, in total and by variant (UTC days).',
  async prepare(request, context): Promise<GetCreativeDeliveryResponse> {
    const { media_buy_ids: mediaBuyIds, creative_ids: creativeIds, max_variants: most, pagination } = request
    if (!mediaBuyIds && !creativeIds) {
      throw new AdcpError('INVALID_REQUEST', 'media_buy_ids or creative_ids is required', { field: 'media_buy_ids' })
    }
    const range = rangeOf(request.start_date, request.end_date)
    const { buys, rows } = await creativeDeliveries(context, { mediaBuyIds, creativeIds }, range)
    const query = ['get_creative_delivery', context.account?.accountId, mediaBuyIds, creativeIds, range]
    const page = pageOf(rows, ({ creativeId, mediaBuyId }) => `${mediaBuyId}/${creativeId}`, query, pagination)
    const currency = buys[0]?.currency ?? 'USD'
    const creatives: WireRow[] = []
    for (const row of page.items) creatives.push(await present(row, context, { currency, most }))
    const [first] = page.items
    const [only] = mediaBuyIds?.length === 1 ? mediaBuyIds : []
    return {
      ...(context.account && { account_id: context.account.accountId }),
      ...(only !== undefined && { media_buy_id: only }),
      currency,
      reporting_period: { ...reportingPeriod(buys, range, context.now), timezone: 'UTC' },
      creatives,
      ...(pagination && {
        pagination: {
          limit: pagination.max_results ?? DEFAULT_PAGE,
          offset: first ? rows.indexOf(first) : rows.length,
          total: rows.length,
          // The response schema counts pages by offset, the request asks for them by cursor.
          ...page.pagination,
        },
      }),
    }
  },
  handle: async (_request, _context, prepared) => prepared,
})

/** core/pagination-request.json */
const DEFAULT_PAGE = 50

async function present(
  row: CreativeDelivery,
  context: AuthenticatedContext,
  { currency, most }: { readonly currency: string; readonly most: number | undefined },
): Promise<WireRow> {
  const { total } = sumDays(row.days)
  const reach = {
    ...accountScopeOf(context.principal, undefined),
    ...(!context.principal.conformance && { accountId: row.accountId }),
  }
  const creative = await findCreative(context.db, reach, row.creativeId)
  const all = creative && total.impressions > 0 ? await variantsOf(context, creative) : []
  // Nothing here prefers one item over another.
  const parts = divide(
    total,
    all.map(() => 1),
  )
  const variants = all.map(({ variantId, manifest }, index) => ({
    variant_id: variantId,
    manifest,
    ...counts(parts[index] ?? NOTHING, row, currency),
  }))
  return {
    creative_id: row.creativeId,
    media_buy_id: row.mediaBuyId,
    ...(row.formatId && { format_id: row.formatId }),
    totals: counts(total, row, currency),
    variant_count: all.length,
    variants: variants.slice(0, most),
  }
}

/** Amounts in another currency than the reply's would not be comparable, and stay out. */
function counts(metrics: Metrics, row: CreativeDelivery, currency: string) {
  return { ...presentMetrics(metrics), ...(row.currency === currency && { spend: microsToAmount(metrics.spendMicros) }) }
}
