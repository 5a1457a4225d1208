import { unitsPerPrice } from '../../domain/ad-serving/charged.ts'
import type { LineSettings, OrderSettings } from '../../domain/ad-serving/desired-order.ts'
import { startedDays } from '../../domain/calendar/time-units.ts'
import { mulDiv, mulDivCeil } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { capsOfDirectLine, type DirectTargeting, lineTargetingOf } from './direct-targeting.ts'
import type { CreativeTerms, LineTerms, Priority } from './line.ts'

/** An order that the publisher's people sold themselves, as a file has it (schemas/direct-order.json). */
export interface DirectOrderFile {
  readonly order_id: string
  readonly name: string
  readonly advertiser?: string
  readonly currency?: string
  readonly lines: readonly DirectLineFile[]
}

/** A line of which creatives may be left out: they come later. */
type DirectLineFile = Omit<DirectLine, 'creatives'> & Partial<Pick<DirectLine, 'creatives'>>

/** The same with the currency that it is in, and with the creatives that it has so far. */
export interface DirectOrder extends DirectOrderFile {
  /** ISO 4217. */
  readonly currency: string
  readonly lines: readonly DirectLine[]
}

/** Prices of lines beside that of a thousand impressions. */
export const DIRECT_PRICE_MODELS = ['vcpm', 'cpc', 'cpv', 'cpcv', 'flat_rate', 'per_day'] as const
type DirectPriceModel = (typeof DIRECT_PRICE_MODELS)[number]

export interface DirectLine {
  readonly line_id: string
  readonly product_id: string
  readonly priority?: Priority
  readonly starts_at: string
  readonly ends_at: string
  readonly impressions?: number
  readonly cpm?: number
  readonly price_model?: DirectPriceModel
  readonly rate?: number
  readonly budget?: number
  readonly pacing?: LineTerms['pacing']
  readonly targeting?: DirectTargeting
  readonly creatives: readonly DirectCreative[]
}

export interface DirectCreative {
  readonly creative_id: string
  readonly weight?: number
  readonly width?: number
  readonly height?: number
  readonly click_url?: string
  readonly image?: { readonly url: string; readonly alt?: string }
  readonly html?: string
  readonly native?: {
    readonly title: string
    readonly body?: string
    readonly cta?: string
    readonly sponsor?: string
    readonly image?: string
  }
  readonly vast?: string
  /** A hosted archive, by the address of its page. */
  readonly html5?: { readonly url: string }
  readonly video?: { readonly url: string; readonly duration_seconds: number; readonly mime_type?: VideoType }
}

type VideoType = 'video/mp4' | 'video/webm' | 'video/quicktime'

/** What a direct order says of itself: from its first line's begin to its last line's end, and what all of them cost. */
export function orderSettingsOf(order: DirectOrder): OrderSettings {
  const lines = order.lines.map(settingsOfDirectLine)
  return {
    name: order.name,
    advertiserId: order.advertiser ?? 'direct',
    currency: order.currency,
    budgetMicros: lines.reduce((sum, { budgetMicros }) => Math.min(Number.MAX_SAFE_INTEGER, sum + budgetMicros), 0),
    startsAt: lines.reduce((least, { startsAt }) => (startsAt < least ? startsAt : least), lines[0]?.startsAt ?? ''),
    endsAt: lines.reduce((most, { endsAt }) => (endsAt > most ? endsAt : most), ''),
  }
}

/** What a direct line was ordered as, in the form that every line is stored and charged in. */
export function settingsOfDirectLine(line: DirectLine): LineSettings {
  const { product_id, priority = 'guaranteed', impressions, pacing = 'even' } = line
  const rateMicros = Math.round((line.price_model === undefined ? (line.cpm ?? 0) : (line.rate ?? 0)) * 1_000_000)
  const price: LineSettings['price'] =
    line.price_model === 'per_day'
      ? {
          model: 'flat_rate',
          basis: 'fixed',
          rateMicros: rateMicros * startedDays({ startsAt: line.starts_at, endsAt: line.ends_at }),
        }
      : { model: line.price_model ?? 'cpm', basis: 'fixed', rateMicros }
  return {
    productId: product_id,
    startsAt: new Date(line.starts_at).toISOString(),
    endsAt: new Date(line.ends_at).toISOString(),
    budgetMicros: budgetOfDirectLine(line, price),
    price,
    goalImpressions: impressions ?? null,
    priority: priority === 'guaranteed' ? 'guaranteed' : 'non_guaranteed',
    pacing,
    targeting: null,
  }
}

/** What a line costs a day, in micros; undefined: it is not sold by the day. Its price is then the flat one of its flight. */
export function dayRateOf({ price_model: model, rate = 0 }: DirectLine): number | undefined {
  return model === 'per_day' ? Math.round(rate * 1_000_000) : undefined
}

/** The most that a line costs, in micros; the largest safe integer: it is not limited. */
function budgetOfDirectLine({ impressions, budget }: DirectLine, { model, rateMicros }: LineSettings['price']): number {
  if (model === 'flat_rate') return rateMicros
  const most = budget === undefined ? Number.MAX_SAFE_INTEGER : Math.round(budget * 1_000_000)
  return model === 'cpm' && impressions !== undefined ? Math.min(most, mulDivCeil(impressions, rateMicros, 1000)) : most
}

/** Throws INVALID_REQUEST for a price that says two things, or half of one; `field` names a member of the line. */
export function requirePrice(
  { cpm, price_model: model, rate, budget }: DirectLine,
  field: (name: string) => { field: string },
): void {
  const refuse = (name: string, message: string) => {
    throw new AdcpError('INVALID_REQUEST', message, field(name))
  }
  if (model !== undefined && cpm !== undefined && cpm !== 0)
    refuse('cpm', `a line has one price: send cpm, or price_model ${model} with rate`)
  if (model !== undefined && rate === undefined) refuse('rate', `price_model ${model} needs the rate`)
  if (model === undefined && rate !== undefined)
    refuse('price_model', `rate needs price_model, one of ${DIRECT_PRICE_MODELS.join(', ')}; a thousand impressions are cpm`)
  if ((model === 'flat_rate' || model === 'per_day') && budget !== undefined)
    refuse('budget', 'a flat rate, or one by the day, is what the line costs: leave budget out')
}

/** What decisions on a direct line are made on. `places`: ids under which tags ask for its product. */
export function termsOfDirectLine(
  line: DirectLine,
  { currency, places, timeZone }: { readonly currency: string; readonly places: readonly string[]; readonly timeZone: string },
): LineTerms {
  const settings = settingsOfDirectLine(line)
  const { startsAt, endsAt, price, pacing } = settings
  const isLimited = line.budget !== undefined && price.rateMicros > 0
  const targeting = lineTargetingOf(line.targeting ?? {})
  const caps = capsOfDirectLine(line.targeting ?? {})
  return {
    name: line.line_id,
    priority: line.priority ?? 'guaranteed',
    places,
    startsAt,
    endsAt,
    pricing: { model: price.model, currency },
    rateMicros: price.rateMicros,
    ...(isLimited && { units: mulDiv(settings.budgetMicros, unitsPerPrice(price.model), price.rateMicros) }),
    ...(line.impressions !== undefined && { impressions: line.impressions }),
    pacing,
    ...(Object.keys(targeting).length > 0 && { targeting }),
    ...(caps.length > 0 && { caps }),
    timeZone,
  }
}

/** An HTML5 archive that is hosted for the publisher. */
export interface HostedBundle {
  readonly bundleId: string
  readonly entryPoint: string
}

/** The archive that an address of a hosted page names (`/ads/files/{publisher}/{id}/{path}`); undefined for any other address. */
export function hostedBundleOf(tenantId: string, url: string): HostedBundle | undefined {
  if (!URL.canParse(url)) return undefined
  const [, tenant, bundleId, entryPoint] =
    /^\/ads\/files\/([a-z0-9-]{1,64})\/([0-9a-f]{32})\/(.{1,600})$/.exec(new URL(url).pathname) ?? []
  if (tenant !== tenantId || bundleId === undefined || entryPoint === undefined) return undefined
  try {
    return { bundleId, entryPoint: decodeURIComponent(entryPoint) }
  } catch {
    return undefined
  }
}

/** The hosted file that an address names (`/ads/files/{publisher}/{id}.{ending}`); undefined for any other address. */
export function hostedFileOf(tenantId: string, url: string): string | undefined {
  if (!URL.canParse(url)) return undefined
  const [, tenant, fileId] =
    /^\/ads\/files\/([a-z0-9-]{1,64})\/([0-9a-f]{32,64})\.[a-z0-9]{1,8}$/.exec(new URL(url).pathname) ?? []
  return tenant === tenantId ? fileId : undefined
}

/** What is served of a creative of a direct order. The schema asks for exactly one kind of content; `bundle` is the archive that `html5` names. */
export function termsOfDirectCreative(creative: DirectCreative, bundle?: HostedBundle): CreativeTerms {
  const { creative_id, width, height, click_url: clickUrl } = creative
  const isFluid = creative.native !== undefined || creative.video !== undefined || creative.vast !== undefined
  return {
    name: creative_id,
    content: bundle ? { kind: 'bundle', ...bundle } : contentOf(creative),
    ...(width !== undefined && height !== undefined && !isFluid && { size: { width, height } }),
    ...(clickUrl !== undefined && { clickUrl }),
    trackers: [],
  }
}

function contentOf({ image, html, native, vast, video, width = 0, height = 0 }: DirectCreative): CreativeTerms['content'] {
  if (image) return { kind: 'image', url: image.url, alt: image.alt ?? '' }
  if (html !== undefined) return { kind: 'html', html }
  if (native) return { kind: 'native', ...native }
  if (video) {
    const { url, duration_seconds: seconds, mime_type: mimeType = 'video/mp4' } = video
    return { kind: 'video', url, mimeType, durationMs: Math.round(seconds * 1000), width, height }
  }
  return { kind: 'vast', url: vast ?? '' }
}
