import type { AuthorizedOperator, BrandAgent, BrandEntry, BrandJson } from './brand-json.ts'

type Portfolio = Extract<BrandJson, { variant: 'portfolio' }>

/**
 * The brand of a house that is meant: the one with the id; else the one whose own address or property is the domain; else the only one.
 */
export function chooseBrand({ brands }: Portfolio, domain: string, brandId: string | undefined): BrandEntry | undefined {
  if (brandId !== undefined) return brands.find(({ id }) => id === brandId)
  return brands.find((brand) => isAt(brand, domain)) ?? (brands.length === 1 ? brands[0] : undefined)
}

function isAt({ url, properties }: BrandEntry, domain: string): boolean {
  const own = url !== undefined && URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : undefined
  return own === domain || properties.some(({ identifier, relationship }) => identifier === domain && relationship === 'owned')
}

/** Agents that act for a brand: its own, and those of its house of the types that it has none of. */
export function agentsFor(brand: BrandEntry | undefined, house: readonly BrandAgent[]): readonly BrandAgent[] {
  const own = brand?.agents ?? []
  return [...own, ...house.filter(({ type }) => own.every((agent) => agent.type !== type))]
}

/** The operators that a house lets act for a brand at a moment. */
export function operatorsFor(
  operators: readonly AuthorizedOperator[],
  brandId: string | undefined,
  now: Date,
): readonly AuthorizedOperator[] {
  return operators.filter(
    ({ brands, validFrom, validUntil }) =>
      (brands.includes('*') || (brandId !== undefined && brands.includes(brandId))) &&
      (validFrom === undefined || Date.parse(validFrom) <= now.getTime()) &&
      (validUntil === undefined || Date.parse(validUntil) > now.getTime()),
  )
}
