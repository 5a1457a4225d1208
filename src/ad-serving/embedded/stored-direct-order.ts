import type { LineSettings, OrderSettings } from '../../domain/ad-serving/desired-order.ts'
import { mulDivCeil } from '../../domain/money.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { Db } from '../../store/database.ts'
import { listEmbeddedAssociations } from '../../store/embedded/creatives.ts'
import { type EmbeddedOrderRow, findEmbeddedOrderByAnchor, listEmbeddedLines } from '../../store/embedded/orders.ts'
import { DIRECT_PRICE_MODELS, type DirectCreative, type DirectLine, type DirectOrder } from './direct-order.ts'
import { directTargetingOf } from './direct-targeting.ts'
import type { CreativeTerms } from './line.ts'
import type { AssociationDocument, CreativeDocument, LineDocument, OrderDocument } from './stored-documents.ts'

/** What direct orders are stored under: no media buy has an id that begins like this. */
export const DIRECT = 'direct:'

/** What a line of a direct order is stored under, and the ledger has it as. */
export function anchorOfLine(orderId: string, lineId: string): string {
  return `${DIRECT}${orderId}/${lineId}`
}

/** Throws REFERENCE_NOT_FOUND. */
export async function getDirectOrder(db: Db, tenantId: string, externalId: string): Promise<EmbeddedOrderRow> {
  const found = await findEmbeddedOrderByAnchor(db, tenantId, `${DIRECT}${externalId}`)
  if (!found) throw new AdcpError('REFERENCE_NOT_FOUND', `${tenantId} has no direct order ${externalId}`, { field: 'order_id' })
  return found
}

/** What a stored order says of itself. */
export function settingsOfStored({ document }: Pick<EmbeddedOrderRow, 'document'>): OrderSettings {
  const { settings }: OrderDocument = JSON.parse(document)
  return settings
}

/**
 * A direct order as it can be entered again: its lines that have not ended by themselves, in the order of their ids. `filesOrigin` is where hosted archives are served.
 */
export async function readDirectOrder(
  db: Db,
  tenantId: string,
  row: EmbeddedOrderRow,
  filesOrigin: string,
): Promise<DirectOrder> {
  const { orderId, anchor } = row
  const settings = settingsOfStored(row)
  const lines = (await listEmbeddedLines(db, tenantId, orderId)).filter(({ state }) => state !== 'ended')
  const ids = lines.map(({ lineId }) => lineId)
  const creatives = new Map<string, DirectCreative[]>()
  for (const { lineId, ...row } of ids.length > 0 ? await listEmbeddedAssociations(db, tenantId, ids) : []) {
    const { externalId, terms }: CreativeDocument = JSON.parse(row.creative)
    const { association }: AssociationDocument = JSON.parse(row.document)
    if (!terms) continue
    const creative = directCreativeOf(externalId, terms, hostedFilesUrl(filesOrigin, tenantId))
    const weighted = association.weight === null ? creative : { ...creative, weight: association.weight }
    const own = creatives.get(lineId)
    if (own) own.push(weighted)
    else creatives.set(lineId, [weighted])
  }
  return {
    order_id: anchor.slice(DIRECT.length),
    name: settings.name,
    advertiser: settings.advertiserId,
    currency: settings.currency,
    lines: inOrder(
      lines.map((row) => {
        const line: LineDocument = JSON.parse(row.document)
        const own = inOrder(creatives.get(row.lineId) ?? [], ({ creative_id }) => creative_id)
        return directLineOf(row.anchor.slice(anchor.length + 1), line, own)
      }),
      ({ line_id }) => line_id,
    ),
  }
}

/** Where hosted files of a publisher are served. */
export function hostedFilesUrl(filesOrigin: string, tenantId: string): string {
  return `${filesOrigin}/ads/files/${tenantId}`
}

/** Made once, since to make one takes longer than to sort the creatives of a line. */
const { compare } = new Intl.Collator('en', { numeric: true })

/** In the order of their ids, `line-2` before `line-10`. */
export function inOrder<T>(each: readonly T[], idOf: (one: T) => string): T[] {
  return [...each].sort((a, b) => compare(idOf(a), idOf(b)))
}

/** A stored line as a direct order says it. */
export function directLineOf(
  lineId: string,
  { settings, terms, dayRateMicros }: LineDocument,
  creatives: readonly DirectCreative[],
): DirectLine {
  const targeting = directTargetingOf(terms)
  return {
    line_id: lineId,
    product_id: settings.productId,
    priority: terms.priority,
    starts_at: settings.startsAt,
    ends_at: settings.endsAt,
    ...(settings.goalImpressions !== null && { impressions: settings.goalImpressions }),
    ...(dayRateMicros === undefined ? priceOf(settings) : { price_model: 'per_day' as const, rate: dayRateMicros / 1_000_000 }),
    pacing: settings.pacing,
    ...(targeting && { targeting }),
    creatives,
  }
}

function priceOf({ price, budgetMicros, goalImpressions }: LineSettings): Partial<DirectLine> {
  const { model, rateMicros } = price
  const rate = rateMicros / 1_000_000
  const isFromGoal = goalImpressions !== null && budgetMicros === mulDivCeil(goalImpressions, rateMicros, 1000)
  const budget = budgetMicros < Number.MAX_SAFE_INTEGER ? { budget: budgetMicros / 1_000_000 } : {}
  const known = DIRECT_PRICE_MODELS.find((each) => each === model)
  if (known === undefined) return { cpm: rate, ...(!isFromGoal && budget) }
  return { price_model: known, rate, ...(known !== 'flat_rate' && budget) }
}

/** A stored creative as a direct order says it; `filesUrl` is where hosted archives of the publisher are served. Throws for a script, which no direct order has. */
export function directCreativeOf(
  creativeId: string,
  { content, size, clickUrl }: CreativeTerms,
  filesUrl: string,
): DirectCreative {
  const sized = content.kind === 'video' ? { width: content.width, height: content.height } : (size ?? {})
  return {
    creative_id: creativeId,
    ...sized,
    ...(clickUrl !== undefined && { click_url: clickUrl }),
    ...contentOf(content, filesUrl),
  }
}

function contentOf(content: CreativeTerms['content'], filesUrl: string): Partial<DirectCreative> {
  switch (content.kind) {
    case 'image':
      return { image: { url: content.url, ...(content.alt !== '' && { alt: content.alt }) } }
    case 'html':
      return { html: content.html }
    case 'bundle':
      return { html5: { url: [filesUrl, content.bundleId, ...content.entryPoint.split('/').map(encodeURIComponent)].join('/') } }
    case 'native': {
      const { kind: _kind, logo: _logo, ...native } = content
      return { native }
    }
    case 'video':
      return {
        video: { url: content.url, duration_seconds: content.durationMs / 1000, mime_type: videoTypeOf(content.mimeType) },
      }
    case 'vast':
      return { vast: content.url }
    case 'script':
      throw new Error('a direct order has no creative of the kind script')
  }
}

function videoTypeOf(text: string) {
  return text === 'video/webm' || text === 'video/quicktime' ? text : 'video/mp4'
}
