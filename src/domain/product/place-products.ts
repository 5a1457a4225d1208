import { countryNameOf } from '../country-names.ts'
import { placeListsIn } from './named-places.ts'
import { runsOnlyIn } from './only-places.ts'
import type { Product } from './product.ts'
import type { NamedProduct } from './product-names.ts'

/** Stands for the products that run in one country (ISO 3166-1 alpha-2) alone. No id of a product begins so. */
const PREFIX = 'place:'

const AFTER = /^(?:[ -](?:only|alone))?[ -](?:products?|lines?|items?|packages?|placements?|ones?)(?![\p{L}\p{N}])/iu
const CODES = /(?<=\bthe )[A-Z]{2}(?=[ -](?:only |alone )?(?:products?|lines?|items?|packages?|placements?|ones?)\b)/g

/** "the Norway product", "the Norway-only line", "the NO package": where a text means products by the one country that they run in. */
export function placeProductsIn(text: string): NamedProduct[] {
  const codes = Array.from(text.matchAll(CODES), ({ 0: code, index: start }) => ({ codes: [code], start, end: start + 2 }))
  return [...codes.filter(({ codes: [code = ''] }) => countryNameOf(code) !== undefined), ...placeListsIn(text)].flatMap(
    ({ codes: [code, ...more], start, end }) => {
      const [after] = AFTER.exec(text.slice(end, end + 30)) ?? []
      return code === undefined || more.length > 0 || after === undefined
        ? []
        : [{ id: `${PREFIX}${code}`, start, end: end + after.length }]
    },
  )
}

/** Whether an id of an ask stands for a product in this way. */
export function isOfPlace(product: Product, id: string): boolean {
  return id.startsWith(PREFIX) && runsOnlyIn(product, [id.slice(PREFIX.length)])
}

/** How answers name what an id of an ask stands for. */
export function nameOfId(id: string): string {
  return id.startsWith(PREFIX) ? `what runs in ${id.slice(PREFIX.length)} alone` : id
}
