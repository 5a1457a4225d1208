import type { DirectCreative, DirectLine, DirectOrder } from '../ad-serving/embedded/direct-order.ts'
import { sameValue } from '../domain/same-value.ts'
import { MOST_IN_FORM } from '../operator/size-limits.ts'
import { writeNumber } from '../platform/decode/read-number.ts'
import type { CreativeKind, Draft, DraftCreative, DraftLine } from './direct-order-draft.ts'
import { dayOf, orderOfDraft, videoType } from './direct-order-of-draft.ts'
import { textsOfTargeting } from './direct-targeting.ts'

/** What the form of a direct order is filled with. Days are of `zone` (IANA). */
export function draftOfOrder({ order_id, name, advertiser = '', currency = '', lines }: DirectOrder, zone: string): Draft {
  return { values: { order_id, name, advertiser, currency }, lines: lines.map((line) => draftLine(line, zone)) }
}

/** Whether the form can say all of an order: one with more lines than it takes, or with texts that it would read otherwise, is changed from a file. */
export function fitsForm(order: DirectOrder, zone: string): boolean {
  if (order.lines.length > MOST_IN_FORM.lines || order.lines.some(({ creatives }) => creatives.length > MOST_IN_FORM.creatives))
    return false
  const { order: read, problems } = orderOfDraft(draftOfOrder(order, zone), zone)
  return problems.length === 0 && sameValue(read, order)
}

function draftLine({ targeting, creatives, ...line }: DirectLine, zone: string): DraftLine {
  const { values, choices } = textsOfTargeting(targeting ?? {})
  const {
    line_id,
    product_id,
    priority = '',
    starts_at,
    ends_at,
    impressions,
    cpm,
    rate,
    budget,
    price_model = '',
    pacing = '',
  } = line
  return {
    values: {
      ...values,
      line_id,
      product_id,
      priority,
      starts_at,
      ends_at,
      first: dayOf('first', starts_at, zone) ?? '',
      last: dayOf('last', ends_at, zone) ?? '',
      impressions: numberText(impressions),
      price_model,
      cpm: numberText(rate ?? cpm),
      budget: numberText(budget),
      pacing,
    },
    choices,
    creatives: creatives.map(draftCreative),
  }
}

function draftCreative(creative: DirectCreative): DraftCreative {
  const { creative_id, weight, width, height, click_url = '' } = creative
  const [kind, content] = contentOf(creative)
  const size = { width: numberText(width), height: numberText(height) }
  return { kind, values: { creative_id, weight: numberText(weight), click_url, ...size, ...content } }
}

function contentOf({
  image,
  html,
  native,
  vast,
  html5,
  video,
}: DirectCreative): readonly [CreativeKind, Readonly<Record<string, string>>] {
  if (image) return ['picture', { ...image }]
  if (html !== undefined) return ['tag', { html }]
  if (native) return ['native', { ...native }]
  if (html5) return ['html5', { ...html5 }]
  if (!video) return ['vast', { url: vast ?? '' }]
  const { url, duration_seconds: seconds, mime_type: type = 'video/mp4' } = video
  return ['video', { url, duration_seconds: writeNumber(seconds), mime_type: type === videoType(url) ? '' : type }]
}

function numberText(number: number | undefined): string {
  return number === undefined ? '' : writeNumber(number)
}
