import { placeOfFormats } from '../../domain/ad-serving/place-tag.ts'
import type { ProductDocument } from '../../domain/product/products-file.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { OperatorContext } from '../operator-context.ts'
import type { ShownPlacement } from '../placements/placement-shapes.ts'
import { readPlacements } from '../placements/read-placements.ts'

type Placements = NonNullable<ProductDocument['placements']>

/** What a product is to be sold on. */
export interface Picked {
  /** Ids of placements. */
  readonly ids: readonly string[]
  /** Formats that the product takes, by id. */
  readonly formats: readonly string[]
  /** As the product is now; absent: a new one. Placements that stay keep what else they say, and formats that they leave out. */
  readonly before?: Pick<ProductDocument, 'placements' | 'format_ids'> | undefined
}

/**
 * The cell `product_json` that gives a product its placements, with those formats of the product that each of them shows. Throws INVALID_REQUEST for placements that
 * there are not, and for those that show none of the formats.
 */
export async function placementsCell({ store }: OperatorContext, tenantId: string, picked: Picked): Promise<string> {
  const known = new Map((await readPlacements(store.read, tenantId)).map((each) => [each.placement_id, each]))
  const placements = picked.ids.map((id) => placementOf(known.get(id), id, picked))
  return JSON.stringify({ placements: placements.length === 0 ? null : placements })
}

function placementOf(known: ShownPlacement | undefined, id: string, { formats, before }: Picked): Placements[number] {
  if (!known) throw new AdcpError('INVALID_REQUEST', `there is no placement ${id}`, { field: 'placements' })
  const own = before?.placements?.find((each) => each.placement_id === id)
  const leftOut =
    own?.format_ids === undefined ? [] : namesOf(before?.format_ids).filter((each) => !namesOf(own.format_ids).includes(each))
  const fitting = formats.filter((format) => fits(known, format) && !leftOut.includes(format))
  if (fitting.length > 0) return { ...own, placement_id: id, name: known.name, format_ids: fitting }
  const shows = known.sizes.length === 0 ? known.kind : `${known.kind} ${known.sizes.join(', ')}`
  throw new AdcpError('INVALID_REQUEST', `${id} shows ${shows}, and the product takes no such format`, { field: 'placements' })
}

function namesOf(formats: ProductDocument['format_ids'] = []): readonly string[] {
  return formats.map((format) => (typeof format === 'string' ? format : format.id))
}

/** Formats of the publisher's own say no size here: it is left to people where they fit. */
function fits({ kind, sizes }: ShownPlacement, format: string): boolean {
  const of = placeOfFormats([format])
  if (!of) return true
  return of.kind === kind && (sizes.length === 0 || of.sizes.every((size) => sizes.includes(size)))
}
