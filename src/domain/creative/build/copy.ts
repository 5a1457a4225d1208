import { AdcpError } from '../../../protocol/errors.ts'
import type { Asset, Assets } from '../assets.ts'
import { type CatalogItem, shownItem } from '../macros/catalog-macros.ts'
import { urlTemplate } from '../macros/fill.ts'
import type { Directions, Part } from './read-message.ts'

export type Brief = Extract<Asset, { asset_type: 'brief' }>
type TextPart = Exclude<Part, 'image' | 'logo'>

/** What is known of the brand that an ad is for. */
export interface BrandLook {
  readonly domain: string
  readonly name: string
  /** `#rrggbb` */
  readonly accent?: string
}

/** Everything that an ad says and shows; addresses are URL templates in normal form. */
export interface Copy {
  readonly headline?: string | undefined
  readonly body?: string | undefined
  readonly cta?: string | undefined
  readonly sponsor?: string | undefined
  readonly price?: string | undefined
  readonly disclosures: readonly string[]
  readonly image?: AdImage | undefined
  readonly clickUrl?: string | undefined
  readonly trackers: readonly string[]
}

export interface AdImage {
  readonly url: string
  readonly alt: string
  /** Pixels; absent for pictures of catalog items, whose feeds do not tell. */
  readonly size?: { readonly width: number; readonly height: number }
}

/** Asset ids that formats use for the texts of an ad. */
export const TEXT_IDS: { readonly [P in TextPart]: readonly string[] } = {
  headline: ['headline', 'title'],
  body: ['body', 'description', 'primary_text', 'tagline', 'text', 'script'],
  cta: ['cta', 'call_to_action'],
  sponsor: ['sponsor', 'brand', 'brand_name', 'advertiser'],
}

const CTA_OF_WORDS: readonly (readonly [RegExp, string])[] = [
  [/\b(?:sale|off|discount|deal|shop|gear|buy|price|product)/i, 'Shop Now'],
  [/\b(?:reserv|book|table|hotel|flight|travel)/i, 'Book Now'],
  [/\b(?:sign up|subscri|newsletter|trial|register)/i, 'Sign Up'],
  [/\b(?:download|app|install)\b/i, 'Download'],
  [/\b(?:job|career|hiring|vacanc)/i, 'Apply Now'],
]

/** Where the words of an ad come from. */
export interface CopySources {
  readonly assets: Assets
  readonly directions: Directions
  readonly brand: BrandLook | undefined
  /** The item that the ad is about, when it is about one. */
  readonly item: CatalogItem | undefined
}

/**
 * The words of an ad: what the message says outright, then what the assets hold, then the brief, the catalog item, the subject of
 * the message, and last the brand. Parts that the message removes stay out.
 */
export function copyOf({ assets, directions, brand, item }: CopySources): Omit<Copy, 'clickUrl' | 'trackers'> {
  const brief = briefOf(assets)
  const shown = item && shownItem(item)
  const said = (part: TextPart) => directions.texts[part] ?? textIn(assets, TEXT_IDS[part])
  const subject = directions.subject && titleCase(directions.subject)
  const headline = said('headline') ?? brief?.messaging?.headline ?? shown?.title ?? subject ?? brand?.name
  const allowed = brief?.messaging?.key_messages?.find((message) => claimIn(message, brief) === undefined)
  const body = said('body') ?? brief?.messaging?.tagline ?? allowed ?? shown?.description
  const words = [headline, body, directions.subject, brief?.territory].join(' ')
  const parts = {
    headline: headline && emphasised(headline, directions.texts.headline === undefined ? directions.emphasis : undefined),
    body,
    cta:
      said('cta') ??
      brief?.messaging?.cta ??
      (headline && (CTA_OF_WORDS.find(([pattern]) => pattern.test(words))?.[1] ?? 'Learn More')),
    sponsor: said('sponsor') ?? brand?.name,
    price: shown?.price,
  }
  const edited = Object.fromEntries(
    Object.entries(parts).map(([part, text]) => [
      part,
      directions.removed.some((removed) => removed === part) ? undefined : text && replaced(text, directions),
    ]),
  )
  return {
    ...edited,
    disclosures: brief?.compliance?.required_disclosures?.map(({ text }) => text) ?? [],
    image: directions.removed.includes('image') ? undefined : imageOf(assets, shown?.imageUrl, headline),
  }
}

/** The brief among the assets. */
export function briefOf(assets: Assets): Brief | undefined {
  const isBrief = (asset: Asset | undefined): asset is Brief => asset?.asset_type === 'brief'
  return Object.values(assets).find(isBrief)
}

/** The brief that travels with a built ad: the buyer's own, else what the message said. */
export function carriedBrief(assets: Assets, { subject, tone, audience }: Directions, copy: Copy): Brief {
  const own = briefOf(assets)
  if (own) return own
  return {
    asset_type: 'brief',
    name: (subject ?? copy.headline ?? 'Untitled').slice(0, 200),
    ...(tone !== undefined && { tone }),
    ...(audience !== undefined && { audience }),
    messaging: {
      ...(copy.headline !== undefined && { headline: copy.headline }),
      ...(copy.body !== undefined && { tagline: copy.body }),
      ...(copy.cta !== undefined && { cta: copy.cta }),
    },
  }
}

/** Throws CREATIVE_REJECTED when an ad makes a claim that its brief rules out. `field` is the path of the assets. */
export function requireAllowedClaims(copy: Copy, assets: Assets, field: string): void {
  const brief = briefOf(assets)
  for (const part of ['headline', 'body', 'cta'] as const) {
    const claim = copy[part] === undefined || !brief ? undefined : claimIn(copy[part], brief)
    if (claim === undefined) continue
    throw new AdcpError('CREATIVE_REJECTED', `the ${part} makes a claim that the brief prohibits: ${claim}`, {
      field: `${field}.brief`,
      suggestion: `change the ${part}, or the prohibited claims of the brief`,
    })
  }
}

function claimIn(text: string, brief: Brief): string | undefined {
  const lower = text.toLowerCase()
  return brief.compliance?.prohibited_claims?.find((claim) => lower.includes(claim.toLowerCase()))
}

function textIn(assets: Assets, ids: readonly string[]): string | undefined {
  for (const id of ids) {
    const asset = assets[id]
    if (asset?.asset_type === 'text' || asset?.asset_type === 'markdown') return asset.content
  }
  return undefined
}

function imageOf(assets: Assets, itemImage: string | undefined, alt = ''): Copy['image'] {
  const [, own] = Object.entries(assets).find(([id, asset]) => asset?.asset_type === 'image' && id !== 'logo') ?? []
  const url = urlTemplate(own?.asset_type === 'image' ? own.url : (itemImage ?? ''))
  if (url === undefined) return undefined
  if (own?.asset_type !== 'image') return { url, alt }
  return { url, alt: own.alt_text ?? alt, size: { width: own.width, height: own.height } }
}

function emphasised(headline: string, emphasis: string | undefined): string {
  if (emphasis === undefined || headline.toLowerCase().includes(emphasis.toLowerCase())) return headline
  return `${headline} — ${titleCase(emphasis)}`
}

function replaced(text: string, { replaced: pairs }: Directions): string {
  return pairs.reduce((changed, { from, to }) => changed.replaceAll(from, () => to), text)
}

function titleCase(text: string): string {
  return text.replace(/(^|[\s-])(\p{Ll})/gu, (_whole, before: string, letter: string) => before + letter.toUpperCase())
}
