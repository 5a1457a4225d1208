import { withTimeLimit } from '../../ad-serving/reconcile/timed-backend.ts'
import type { ExistingPage } from '../../domain/ad-serving/existing-line.ts'
import type { DraftFormat } from '../../domain/ad-serving/product-draft.ts'
import { ProductSuggestions } from '../../domain/ad-serving/suggest-products.ts'
import { DISPLAY_SIZES } from '../../domain/creative/formats/display-formats.ts'
import { currencyOf } from '../../domain/identity/publisher-settings.ts'
import { AdcpError } from '../../protocol/errors.ts'
import { findTenant } from '../../store/identity/tenants.ts'
import { askAdServer } from '../ask-ad-server.ts'
import type { OperatorContext } from '../operator-context.ts'
import { getBackend } from './show-ad-servers.ts'

/** Longest call, in milliseconds. */
const CALL_MS = 60_000
/** Sizes that there are formats for. */
const SIZES = new Set(DISPLAY_SIZES.map(([width, height]) => `${width}x${height}`))
/** Keys and values whose names are remembered for the explanations; the others go by their ids. */
const MOST_NAMES = 50_000
/** Pages of 1,000 that one pass reads. */
const MOST_PAGES = 1_000

/** Lines that are at an ad server, a page at a time. Throws UNSUPPORTED_FEATURE for an ad server that does not list them. */
export async function existingLines(
  context: OperatorContext,
  tenantId: string,
  { adServer, after }: { readonly adServer?: string | undefined; readonly after?: string | undefined },
): Promise<ExistingPage> {
  const { name, backend } = await getBackend(context, tenantId, adServer)
  if (!backend.listLines) throw new AdcpError('UNSUPPORTED_FEATURE', `${name} does not list what people booked there`)
  const { listLines } = backend
  return askAdServer(name, () => listLines(after))
}

/** What suggestions are asked for. */
interface Asked {
  readonly adServer?: string | undefined
  /** Absent: that of the publisher. */
  readonly currency?: string | undefined
  readonly most: number
  /** Only these units and what lies below them. */
  readonly units?: readonly string[] | undefined
  readonly search?: string | undefined
  readonly formats?: readonly DraftFormat[] | undefined
}

/**
 * Suggests products from the ad units of an ad server and what was sold on them, in one pass over both. Nothing is stored: the document is one for
 * `products import`, the places belong into the options of the ad server. Throws UNSUPPORTED_FEATURE, and what the ad server throws.
 */
export async function suggestProducts(
  context: OperatorContext,
  tenantId: string,
  { adServer, currency: named, most, units: chosen = [], search, formats }: Asked,
) {
  const { name, backend: used } = await getBackend(context, tenantId, adServer)
  const publisher = await findTenant(context.store.read, tenantId)
  const currency = named ?? currencyOf(publisher?.settings ?? {})
  const backend = withTimeLimit(used, CALL_MS)
  const { listLines } = backend
  if (!listLines) throw new AdcpError('UNSUPPORTED_FEATURE', `${name} does not list what people booked there`)
  const suggestions = new ProductSuggestions()
  const names = new Map<string, string>()
  let [units, lines] = [0, 0]
  let after: string | undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const { units: found, next } = await askAdServer(name, () => backend.listInventory(tenantId, after))
    for (const unit of found) {
      if (unit.kind === 'ad_unit') suggestions.addUnit(unit)
      else if (unit.kind !== 'placement' && names.size < MOST_NAMES) names.set(unit.id, unit.name)
    }
    units += found.length
    after = next
    if (after === undefined) break
  }
  const [unknown] = suggestions.unknown(chosen)
  if (unknown !== undefined)
    throw new AdcpError('REFERENCE_NOT_FOUND', `${name} has no ad unit ${unknown}; adservers inventory lists them`, {
      field: 'units',
    })
  after = undefined
  for (let page = 0; page < MOST_PAGES; page += 1) {
    const found: ExistingPage = await askAdServer(name, () => listLines(after))
    for (const line of found.lines) suggestions.addLine(line, currency)
    lines += found.lines.length
    after = found.next
    if (after === undefined) break
  }
  const found = suggestions.suggest({
    domain: publisher?.domain ?? '',
    currency,
    sizes: SIZES,
    most,
    units: chosen,
    nameOf: (id) => names.get(id),
    ...(formats && formats.length > 0 && { formats }),
    ...(search !== undefined && { search }),
  })
  return {
    ad_server: name,
    read: { units, lines },
    explanations: Object.fromEntries(found.map(({ product, explanation }) => [product.product_id, explanation])),
    options: { products: Object.fromEntries(found.map(({ product, place }) => [product.product_id, place])) },
    document: { version: 1, products: found.map(({ product }) => product) },
  }
}
