import type { Issue } from '../../protocol/errors.ts'
import { repeatedAt } from '../repeated.ts'
import type { BrandsFile, RightsOffering } from './brands-file.ts'
import { presentIdentity } from './present-identity.ts'

/** One problem of an import file. `pointer` is an RFC 6901 pointer into it. */
export interface BrandProblem {
  readonly pointer: string
  readonly message: string
}

/** JSON Schema checks that the caller supplies. */
export interface BrandValidators {
  /** schemas/brands-import.json */
  readonly file: (value: unknown) => readonly Issue[]
  /** AdCP brand/get-brand-identity-response.json */
  readonly identity: (value: unknown) => readonly Issue[]
  /** AdCP brand/get-rights-response.json */
  readonly rights: (value: unknown) => readonly Issue[]
}

export type BrandsImport =
  | { readonly ok: true; readonly file: BrandsFile }
  | { readonly ok: false; readonly problems: readonly BrandProblem[] }

/** Reads a parsed import file: all of it, or every problem that was found. */
export function importBrands(value: unknown, validators: BrandValidators): BrandsImport {
  const shape = validators.file(value)
  if (!isBrandsFile(value, shape)) return { ok: false, problems: shape.map(problemOf) }
  const problems = [
    ...value.brands.flatMap((brand, index) =>
      validators
        .identity(presentIdentity(brand, { house: value.house, linked: true }))
        .map((issue) => problemOf({ ...issue, pointer: `/brands/${index}${issue.pointer}` })),
    ),
    ...(value.rights ?? []).flatMap((right, index) =>
      validators
        .rights({ rights: [right] })
        .map((issue) => problemOf({ ...issue, pointer: issue.pointer.replace(/^\/rights\/0/, `/rights/${index}`) })),
    ),
    ...(value.rights ?? []).flatMap(usesOutside),
    ...strangers(value),
    ...repeated(value),
  ]
  return problems.length > 0 ? { ok: false, problems } : { ok: true, file: value }
}

/** A file that our schema accepts has the shape of the type. */
function isBrandsFile(_value: unknown, issues: readonly Issue[]): _value is BrandsFile {
  return issues.length === 0
}

function problemOf({ pointer, message }: Issue): BrandProblem {
  return { pointer, message }
}

/** Prices and providers are for uses that the right has, and each of them has a price. */
function usesOutside(right: RightsOffering, index: number): BrandProblem[] {
  const { available_uses: available, pricing_options: prices, clearance } = right
  const places = [
    ...prices.map(({ uses }, at) => ({ uses, pointer: `/rights/${index}/pricing_options/${at}/uses` })),
    ...(clearance?.generation_providers ?? []).map(({ uses = [] }, at) => ({
      uses,
      pointer: `/rights/${index}/clearance/generation_providers/${at}/uses`,
    })),
  ]
  const outside = places.flatMap(({ uses, pointer }) =>
    uses.filter((use) => !available.includes(use)).map((use) => ({ pointer, message: `${use} is none of available_uses` })),
  )
  const unpriced = available.filter((use) => prices.every(({ uses }) => !uses.includes(use)))
  const pointer = `/rights/${index}/available_uses`
  return [...outside, ...unpriced.map((use) => ({ pointer, message: `${use} has no price in pricing_options` }))]
}

/** Rights and offerings are of brands of the file. */
function strangers({ brands, rights = [], offerings = [] }: BrandsFile): BrandProblem[] {
  const known = new Set(brands.map(({ brand_id }) => brand_id))
  const check = (list: readonly { readonly brand_id: string }[], member: string) =>
    list.flatMap(({ brand_id: id }, index) =>
      known.has(id) ? [] : [{ pointer: `/${member}/${index}/brand_id`, message: 'is none of brands' }],
    )
  return [...check(rights, 'rights'), ...check(offerings, 'offerings')]
}

function repeated({ brands, rights = [], offerings = [] }: BrandsFile): BrandProblem[] {
  return [
    ...twice(brands, (brand) => brand.brand_id, '/brands', 'brand_id'),
    ...twice(rights, (right) => right.rights_id, '/rights', 'rights_id'),
    ...rights.flatMap((right, index) =>
      twice(right.pricing_options, (price) => price.pricing_option_id, `/rights/${index}/pricing_options`, 'pricing_option_id'),
    ),
    ...twice(offerings, (offering) => offering.offering_id, '/offerings', 'offering_id'),
  ]
}

function twice<T>(list: readonly T[], idOf: (item: T) => string, at: string, member: string): BrandProblem[] {
  return [...repeatedAt(list.map(idOf))].map((index) => ({
    pointer: `${at}/${index}/${member}`,
    message: 'appears twice in the file',
  }))
}
