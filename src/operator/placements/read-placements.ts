import type { LineTerms } from '../../ad-serving/embedded/line.ts'
import { type Placement, type PlacementDocument, placeRules } from '../../ad-serving/embedded/placement.ts'
import { DIRECT } from '../../ad-serving/embedded/stored-direct-order.ts'
import type { LineDocument } from '../../ad-serving/embedded/stored-documents.ts'
import { placeOfFormats, type TaggedPlace } from '../../domain/ad-serving/place-tag.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import type { Db } from '../../store/database.ts'
import { listOpenEmbeddedLines } from '../../store/embedded/orders.ts'
import { findEmbeddedPlacement, listEmbeddedPlacements } from '../../store/embedded/placements.ts'
import { productsWithPlacements } from '../../store/product/product-list.ts'
import type { ShownPlacement } from './placement-shapes.ts'

/** Lines of a placement that are shown. */
const MOST_LINES = 200

/** The placements of a publisher by id: those that people set up, and those that products name. */
export async function readPlacements(db: Db, tenantId: string): Promise<readonly ShownPlacement[]> {
  const stored = (await listEmbeddedPlacements(db, tenantId)).map(({ document }) => placementOf(document))
  const uses = new Map<string, ProductDocument[]>(stored.map(({ placement_id: id }) => [id, []]))
  for (const product of await productsWithPlacements(db, tenantId))
    for (const id of new Set(placesOf(product).map((each) => each.placement_id))) {
      const known = uses.get(id)
      if (known) known.push(product)
      else uses.set(id, [product])
    }
  const byId = new Map(stored.map((placement) => [placement.placement_id, placement]))
  return [...uses].sort(([a], [b]) => (a < b ? -1 : 1)).map(([id, products]) => shown(byId.get(id), id, products))
}

/** One of them; undefined where there is none. */
export async function readPlacement(db: Db, tenantId: string, id: string): Promise<ShownPlacement | undefined> {
  const stored = await findEmbeddedPlacement(db, tenantId, id)
  const products = (await productsWithPlacements(db, tenantId, id)).filter((product) =>
    placesOf(product).some((each) => each.placement_id === id),
  )
  return stored || products.length > 0 ? shown(stored && placementOf(stored.document), id, products) : undefined
}

/** What people set for a placement; undefined where they set nothing. */
export async function readStoredPlacement(db: Db, tenantId: string, id: string): Promise<Placement | undefined> {
  const stored = await findEmbeddedPlacement(db, tenantId, id)
  return stored && placementOf(stored.document)
}

/** Ids of the placements that show no ads at a moment and will not by themselves: paused, or after their last day. */
export async function closedPlacements(db: Db, tenantId: string, now: Date): Promise<ReadonlySet<string>> {
  const stored = await listEmbeddedPlacements(db, tenantId)
  const closed = stored.filter(({ document }) => {
    const placement: PlacementDocument = JSON.parse(document)
    return placeRules(placement).closesAt <= now.getTime()
  })
  return new Set(closed.map(({ placementId }) => placementId))
}

function placementOf(document: string): Placement {
  const { placement }: PlacementDocument = JSON.parse(document)
  return placement
}

function placesOf({ placements = [] }: ProductDocument): NonNullable<ProductDocument['placements']> {
  return placements
}

function shown(stored: Placement | undefined, id: string, products: readonly ProductDocument[]): ShownPlacement {
  const onSale = products.filter(({ selling }) => (selling.status ?? 'active') === 'active')
  return {
    ...(stored ?? unsetPlacement(id, products)),
    is_set_up: stored !== undefined,
    products: products.map(({ product_id: product }) => product),
    promised: onSale.reduce((sum, { selling }) => sum + selling.daily_capacity, 0),
  }
}

/** A placement for which nobody has set anything, as its products have it. */
function unsetPlacement(id: string, products: readonly ProductDocument[]): Placement {
  const own = products.flatMap((product) => placesOf(product).filter((each) => each.placement_id === id))
  const formats = own.flatMap(({ format_ids: ids }, index) => ids ?? products[index]?.format_ids ?? [])
  const names = formats.map((format) => (typeof format === 'string' ? format : format.id))
  const { kind, sizes }: Pick<TaggedPlace, 'kind' | 'sizes'> = placeOfFormats(names) ?? { kind: 'display', sizes: [] }
  return {
    ...{ placement_id: id, name: own[0]?.name ?? id, kind, sizes, status: 'active' },
    ...{ daily_capacity: null, available_from: null, available_until: null, targeting: {} },
  }
}

/** Lines that may be shown in a placement now or later, by their begin; at most {@link MOST_LINES}. */
export async function linesAt(db: Db, tenantId: string, id: string, now: Date) {
  const quoted = JSON.stringify(id)
  const rows = (await listOpenEmbeddedLines(db, tenantId, now)).filter(({ document }) => document.includes(quoted))
  const lines = rows.flatMap(({ document, orderAnchor, anchor }) => {
    const { terms }: LineDocument = JSON.parse(document)
    return terms.places.includes(id) ? [lineAt(terms, orderAnchor, anchor)] : []
  })
  return lines.toSorted((a, b) => (a.starts_at < b.starts_at ? -1 : 1)).slice(0, MOST_LINES)
}

function lineAt({ name, priority, startsAt, endsAt }: LineTerms, orderAnchor: string, anchor: string) {
  const isDirect = orderAnchor.startsWith(DIRECT)
  return {
    order_id: isDirect ? orderAnchor.slice(DIRECT.length) : orderAnchor,
    line_id: isDirect ? name : anchor,
    is_direct: isDirect,
    ...{ priority, starts_at: startsAt, ends_at: endsAt },
  }
}
