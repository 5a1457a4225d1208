import type { Db } from '../../store/database.ts'
import { listEmbeddedAssociations } from '../../store/embedded/creatives.ts'
import { type EmbeddedOrderRow, listEmbeddedLines } from '../../store/embedded/orders.ts'
import type { DirectCreative, DirectLine, DirectOrder } from './direct-order.ts'
import { type CreativeTerms, HOSTED, type LineTerms } from './line.ts'
import { DIRECT, directCreativeOf, directLineOf, hostedFilesUrl, inOrder, settingsOfStored } from './stored-direct-order.ts'
import type { AssociationDocument, CreativeDocument, LineDocument } from './stored-documents.ts'

/** A stored order as a direct order of the same flights. */
export interface CopiedOrder {
  readonly order: DirectOrder
  /** What a direct order cannot say, or what is not served, in words: it is not in the copy. */
  readonly leftOut: readonly string[]
}

/**
 * What the embedded ad server serves of an order, whoever sold it, as a direct order `orderId`. Lines that ended by themselves are left out, unless all did. Lines and
 * creatives of buyers get ids of their own where a direct order cannot have theirs. `filesOrigin` is where hosted files are served.
 */
export async function copyOfStored(
  db: Db,
  tenantId: string,
  row: EmbeddedOrderRow,
  { orderId, filesOrigin }: { readonly orderId: string; readonly filesOrigin: string },
): Promise<CopiedOrder> {
  const { name, advertiserId, currency } = settingsOfStored(row)
  const stored = await listEmbeddedLines(db, tenantId, row.orderId)
  const open = stored.filter(({ state }) => state !== 'ended')
  const lines = open.length > 0 ? open : stored
  const creatives = await creativesOf(db, tenantId, lines, filesOrigin)
  const leftOut: string[] = []
  const copied = lines.map((line, index): DirectLine => {
    const document: LineDocument = JSON.parse(line.document)
    const lineId = copiedId(row.anchor.startsWith(DIRECT) ? line.anchor.slice(row.anchor.length + 1) : line.anchor, 'line', index)
    const own = directLineOf(lineId, document, [])
    const said = own.impressions === undefined ? withBoughtImpressions(own, document.terms) : own
    leftOut.push(...unsaidOfLine(document.terms).map((what) => `${lineId}: ${what}`))
    if (said.priority === 'guaranteed' && said.impressions === undefined)
      leftOut.push(`${lineId}: its goal; a guaranteed direct line needs impressions`)
    const ads = inOrder(creatives.get(line.lineId) ?? [], ({ creative }) => creative?.creative_id ?? '')
    leftOut.push(...ads.flatMap(({ unsaid }) => unsaid.map((what) => `${lineId}: ${what}`)))
    const shown = ads.flatMap(({ creative }) => creative ?? [])
    if (shown.length === 0) leftOut.push(`${lineId}: it has no creative that can be copied; nothing is served until one is added`)
    return { ...said, creatives: shown }
  })
  const order = { order_id: orderId, name, advertiser: advertiserId, currency, lines: inOrder(copied, ({ line_id }) => line_id) }
  return { order, leftOut }
}

/** A creative of a line as a direct order has it, and what of it a direct order cannot say. */
interface CopiedCreative {
  readonly creative?: DirectCreative
  readonly unsaid: readonly string[]
}

async function creativesOf(
  db: Db,
  tenantId: string,
  lines: readonly { readonly lineId: string }[],
  filesOrigin: string,
): Promise<ReadonlyMap<string, readonly CopiedCreative[]>> {
  const copied = new Map<string, CopiedCreative[]>()
  const ids = lines.map(({ lineId }) => lineId)
  for (const row of ids.length > 0 ? await listEmbeddedAssociations(db, tenantId, ids) : []) {
    const document: CreativeDocument = JSON.parse(row.creative)
    const { association }: AssociationDocument = JSON.parse(row.document)
    const own = copied.get(row.lineId) ?? []
    own.push(copiedCreative(document, association, { index: own.length, filesUrl: hostedFilesUrl(filesOrigin, tenantId) }))
    copied.set(row.lineId, own)
  }
  return copied
}

function copiedCreative(
  { externalId, terms }: CreativeDocument,
  { weight, placementIds }: AssociationDocument['association'],
  { index, filesUrl }: { readonly index: number; readonly filesUrl: string },
): CopiedCreative {
  if (!terms) return { unsaid: [`creative ${externalId} is not served`] }
  if (terms.content.kind === 'script')
    return { unsaid: [`creative ${externalId} is a script, which a direct order does not have`] }
  const hasTrackers = [terms.trackers, terms.viewTrackers, terms.clickTrackers].some((each) => (each?.length ?? 0) > 0)
  const creative = directCreativeOf(copiedId(externalId, 'creative', index), linked(terms, filesUrl), filesUrl)
  // Shares of buyers are per cent, and may be fractions; those of a direct order are whole numbers from 1.
  const share = weight === null ? undefined : Math.max(1, Math.round(weight))
  return {
    creative: { ...creative, ...(share !== undefined && { weight: share }) },
    unsaid: [
      ...(hasTrackers ? [`the trackers of creative ${externalId}`] : []),
      ...(placementIds === null ? [] : [`creative ${externalId} is limited to ${placementIds.join(', ')}`]),
    ],
  }
}

/** The terms with addresses that browsers reach in place of the names of hosted files. */
function linked(terms: CreativeTerms, filesUrl: string): CreativeTerms {
  const { content } = terms
  const address = (url: string) => (url.startsWith(HOSTED) ? `${filesUrl}/${url.slice(HOSTED.length)}` : url)
  switch (content.kind) {
    case 'image':
    case 'video':
      return { ...terms, content: { ...content, url: address(content.url) } }
    case 'native':
      return content.image === undefined ? terms : { ...terms, content: { ...content, image: address(content.image) } }
    default:
      return terms
  }
}

/** A guaranteed line that a buyer bought by its budget alone, with the impressions that the budget buys, where its price says them. */
function withBoughtImpressions(line: DirectLine, { priority, pricing, units }: LineTerms): DirectLine {
  if (priority !== 'guaranteed' || pricing.model !== 'cpm' || units === undefined) return line
  const { budget: _spentOnThem, ...rest } = line
  return { ...rest, impressions: Math.floor(units) }
}

/** What a line is narrowed by that a direct order cannot say. */
function unsaidOfLine({ targeting, caps = [], lists = {} }: LineTerms): readonly string[] {
  const keywords = [...(targeting?.keyword_targets ?? []), ...(targeting?.negative_keywords ?? [])]
  return [
    ...Object.keys(lists).map((dimension) => `its ${dimension} of the buyer`),
    ...(caps.length > 1 ? ['its second frequency cap'] : []),
    ...(keywords.some(({ match_type: type }) => type !== 'phrase')
      ? ['how its keywords match: those of a direct line are phrases']
      : []),
  ]
}

/** The id, where a direct order can have it (schemas/direct-order.json), else one by its place. */
function copiedId(id: string, kind: string, index: number): string {
  return /^(?!\.+$)[A-Za-z0-9._-]{1,64}$/.test(id) ? id : `${kind}-${index + 1}`
}
