import type { ProductDocument } from './products-file.ts'

/** One field that differs; `path` names it for a person, e.g. `pricing_options[cpm_usd_fixed].fixed_price`. */
export interface FieldChange {
  readonly path: string
  readonly before: unknown
  readonly after: unknown
}

export interface ProductsDiff {
  readonly added: readonly string[]
  readonly removed: readonly string[]
  readonly changed: readonly { readonly product_id: string; readonly fields: readonly FieldChange[] }[]
  readonly unchanged: readonly string[]
}

/** What an import would do: product ids added, removed and unchanged, and each change by field. */
export function diffProducts(before: readonly ProductDocument[], after: readonly ProductDocument[]): ProductsDiff {
  const old = new Map(before.map((product) => [product.product_id, product]))
  const kept = new Set(after.map((product) => product.product_id))
  const pairs = after.flatMap((product) => {
    const previous = old.get(product.product_id)
    return previous
      ? [{ product_id: product.product_id, fields: changesOf(fieldsOfProduct(previous), fieldsOfProduct(product)) }]
      : []
  })
  return {
    added: after.map((product) => product.product_id).filter((id) => !old.has(id)),
    removed: before.map((product) => product.product_id).filter((id) => !kept.has(id)),
    changed: pairs.filter((pair) => pair.fields.length > 0),
    unchanged: pairs.filter((pair) => pair.fields.length === 0).map((pair) => pair.product_id),
  }
}

/** Whether two JSON values are the same; the order of members does not count. */
export function sameJson(a: unknown, b: unknown): boolean {
  if (a === b) return true
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const left = Object.entries(a).filter(([, value]) => value !== undefined)
  const right = new Map(Object.entries(b).filter(([, value]) => value !== undefined))
  return left.length === right.size && left.every(([key, value]) => right.has(key) && sameJson(value, right.get(key)))
}

function changesOf(before: ReadonlyMap<string, unknown>, after: ReadonlyMap<string, unknown>): FieldChange[] {
  const paths = [...new Set([...before.keys(), ...after.keys()])]
  return paths
    .filter((path) => !sameJson(before.get(path), after.get(path)))
    .map((path) => ({ path, before: before.get(path), after: after.get(path) }))
}

/** Fields by path: pricing options, placements and seasons by their id, and `selling` by member, one level down; the rest whole. */
export function fieldsOfProduct(product: ProductDocument): Map<string, unknown> {
  const {
    pricing_options,
    placements = [],
    selling: { seasons = [], ...selling },
    ...fields
  } = product
  return new Map<string, unknown>([
    ...Object.entries(fields),
    ...Object.entries(selling).map(([name, value]): [string, unknown] => [`selling.${name}`, value]),
    ...seasons.flatMap((season) =>
      Object.entries(season).map(([name, value]): [string, unknown] => [`selling.seasons[${season.season_id}].${name}`, value]),
    ),
    ...placements.flatMap((placement) =>
      Object.entries(placement).map(([name, value]): [string, unknown] => [
        `placements[${placement.placement_id}].${name}`,
        value,
      ]),
    ),
    ...pricing_options.flatMap((option) =>
      Object.entries(option).map(([name, value]): [string, unknown] => [
        `pricing_options[${option.pricing_option_id}].${name}`,
        value,
      ]),
    ),
  ])
}
