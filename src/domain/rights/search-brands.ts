import type { BrandDocument, RightsOffering } from '../brand/brands-file.ts'
import type { BrandHouse } from '../brand/identity-document.ts'
import { presentIdentity, rightsSummary } from '../brand/present-identity.ts'
import { readPart, termsOf } from '../product/brief-terms.ts'
import { type BuyerFacts, isAvailableIn, refusalOfBuyer } from './clearance.ts'

/** AdCP brand/search-brands-request.json. */
export interface BrandSearch {
  readonly query: string
  readonly industries?: readonly string[]
  readonly countries?: readonly string[]
}

export interface BrandRoll {
  readonly house: BrandHouse
  readonly brands: readonly BrandDocument[]
  readonly rights: readonly RightsOffering[]
  /** Industries that the answer may name (AdCP enums/advertiser-industry.json); brands may have others. */
  readonly industries: ReadonlySet<string>
}

/** Words of every search for brands, which therefore distinguish nothing. */
const GENERIC = new Set(termsOf('brand brands company companies find show list any all license licensed licensing rights'))

/**
 * The brands that fit a search, best first, each with what everybody may see of it (AdCP search_brands). A brand with no word of the query is left out,
 * unless the query has no word that distinguishes anything. With countries: brands of which a right can be had in one of them. A buyer does not see brands
 * that refuse it every right. The same question gives the same order.
 */
export function searchBrands(
  { house, brands, rights, industries: named }: BrandRoll,
  { query, industries, countries }: BrandSearch,
  buyer: BuyerFacts,
): readonly object[] {
  const words = termsOf(readPart(query)).filter((term) => !GENERIC.has(term))
  return brands
    .map((brand) => ({ brand, offered: rights.filter(({ brand_id }) => brand_id === brand.brand_id) }))
    .filter(({ brand }) => !industries || industries.some((industry) => brand.industries?.includes(industry)))
    .filter(({ offered }) => !countries || offered.some((right) => countries.some((country) => isAvailableIn(right, country))))
    .filter(({ offered }) => offered.length === 0 || offered.some((right) => !refusalOfBuyer(right, buyer)))
    .map((found) => ({ ...found, score: scoreOf(found.brand, found.offered, words) }))
    .filter(({ score }) => words.length === 0 || score > 0)
    .toSorted((a, b) => b.score - a.score)
    .map(({ brand, offered }) => presentStub(brand, offered, { house, named }))
}

function scoreOf(brand: BrandDocument, offered: readonly RightsOffering[], words: readonly string[]): number {
  const names = brand.names.flatMap((name) => Object.values(name))
  const { brand_id, description, industries = [], tagline } = brand
  const texts = [brand_id, ...names, description, ...industries, typeof tagline === 'string' ? tagline : undefined]
  const ofRights = offered.flatMap(({ name, description: about, right_type, available_uses }) => [
    name,
    about,
    right_type,
    ...available_uses,
  ])
  const known = new Set(termsOf([...texts, ...ofRights].map((text) => text?.replaceAll('_', ' ') ?? '').join(' ')))
  return words.filter((word) => known.has(word)).length
}

/** A brand whose file is that of its house is described by the house itself: `inline`. */
function presentStub(
  brand: BrandDocument,
  offered: readonly RightsOffering[],
  { house, named }: { readonly house: BrandHouse; readonly named: ReadonlySet<string> },
): object {
  const { available_fields: _more, ...stub } = presentIdentity(brand, {
    house,
    linked: false,
    fields: ['description', 'keller_type', 'logos'],
  })
  const industries = brand.industries?.filter((industry) => named.has(industry)) ?? []
  const isOfHouse = (brand.house?.domain ?? house.domain) === house.domain
  return {
    ...stub,
    ...(industries.length > 0 && { industries }),
    ...(isOfHouse && { relationship_trust: 'inline' }),
    ...(offered.length > 0 && { rights: rightsSummary(offered) }),
  }
}
