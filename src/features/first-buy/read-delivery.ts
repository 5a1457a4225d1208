import type { GetMediaBuyDeliveryResponse } from '@adcp/sdk/types'
import { AdcpError } from '../../protocol/errors.ts'
import { type FirstBuyParts, money, poll } from './step.ts'

/** What a media buy has delivered; money in units of the currency. */
export interface Delivered {
  readonly impressions: number
  readonly spend: number
  readonly currency: string
}

/** Reads delivery until impressions and spend are above zero. Throws AdcpError when they are not in time. */
export async function readDelivery(parts: FirstBuyParts, mediaBuyId: string): Promise<Delivered> {
  const request = { media_buy_ids: [mediaBuyId] }
  const { answer, waitedMs } = await poll(
    parts,
    () => parts.call<GetMediaBuyDeliveryResponse>('get_media_buy_delivery', request),
    (each) => isAboveZero(deliveredIn(each)),
  )
  const delivered = deliveredIn(answer)
  const { impressions, spend, currency } = delivered
  parts.report({
    actor: 'buyer',
    call: 'get_media_buy_delivery',
    request,
    answer,
    lines: [
      `${answer.media_buy_deliveries?.[0]?.status ?? 'not reported yet'}: ${impressions} impressions, ${money(spend, currency)} spent`,
    ],
  })
  if (isAboveZero(delivered)) return delivered
  throw new AdcpError(
    'INVALID_REQUEST',
    `nothing was delivered in ${Math.round(waitedMs / 1000)} s; call get_media_buy_delivery again later, or wait longer with --wait`,
  )
}

function deliveredIn({ media_buy_deliveries: buys, currency = '' }: GetMediaBuyDeliveryResponse): Delivered {
  const { impressions = 0, spend = 0 } = buys?.[0]?.totals ?? {}
  return { impressions, spend, currency }
}

function isAboveZero({ impressions, spend }: Delivered): boolean {
  return impressions > 0 && spend > 0
}
