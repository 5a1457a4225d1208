import type { ProductFilters, ProductTest } from './filter-products.ts'
import type { Coverage } from './product.ts'
import { reaches, readProximity } from './proximity.ts'

/** Country of a metro or postal system's codes; `eurostat_nuts2` codes begin with theirs. */
const SYSTEM_COUNTRY: readonly (readonly [prefix: string, country: string])[] = [
  ['nielsen_dma', 'US'],
  ['uk_', 'GB'],
  ['us_', 'US'],
  ['gb_', 'GB'],
  ['ca_', 'CA'],
  ['de_', 'DE'],
  ['fr_', 'FR'],
  ['au_', 'AU'],
  ['ch_', 'CH'],
  ['at_', 'AT'],
]

/** The filters on where inventory reaches and what can be targeted there. */
export function placeTests(filters: ProductFilters): ProductTest[] {
  const { countries, regions, metros, postal_areas, required_geo_targeting, geo_proximity } = filters
  const tests: ProductTest[] = []
  if (countries) tests.push(({ selling }) => countries.some((country) => coversCountry(selling.coverage, country)))
  if (regions) tests.push(({ selling }) => regions.some((region) => coversRegion(selling.coverage, region)))
  if (metros) tests.push(({ selling }) => metros.some((metro) => coversMetro(selling.coverage, metro)))
  if (postal_areas) tests.push(postalTest(postal_areas))
  if (required_geo_targeting) {
    const wanted = required_geo_targeting.map(({ level, system }) => (system === undefined ? level : `${level}:${system}`))
    tests.push(({ selling }) =>
      wanted.every((level) => selling.targeting.geo.some((own) => own === level || own.startsWith(`${level}:`))),
    )
  }
  if (geo_proximity) {
    const areas = geo_proximity.map(readProximity)
    tests.push(({ selling }) =>
      areas.some((area) =>
        selling.coverage.points ? selling.coverage.points.some((point) => reaches(area, point)) : selling.targeting.geoProximity,
      ),
    )
  }
  return tests
}

/** Inventory that is bound to no country reaches all of them. */
function coversCountry({ countries }: Coverage, country: string | undefined): boolean {
  return countries === undefined || country === undefined || countries.includes(country)
}

/** Inventory that is not bound to regions covers those of its countries; the same holds for metros and postal areas. */
function coversRegion(coverage: Coverage, region: string): boolean {
  return coverage.regions ? coverage.regions.includes(region) : coversCountry(coverage, region.slice(0, 2))
}

function coversMetro(coverage: Coverage, { system, code }: { system: string; code: string }): boolean {
  if (coverage.metros) return coverage.metros.some((own) => own.system === system && own.code === code)
  return coversCountry(coverage, system === 'eurostat_nuts2' ? code.slice(0, 2) : countryOf(system))
}

type PostalAreas = NonNullable<ProductFilters['postal_areas']>

/** Codes by their system, since a product and a request may each list thousands. */
function postalTest(areas: PostalAreas): ProductTest {
  const codes = new Map<string, Set<string>>()
  for (const { system, values } of areas) {
    const known = codes.get(system) ?? new Set()
    for (const value of values) known.add(value)
    codes.set(system, known)
  }
  const systemCountries = [...codes.keys()].map(countryOf)
  return ({ selling: { coverage } }) =>
    coverage.postalAreas
      ? coverage.postalAreas.some(({ system, values }) => values.some((value) => codes.get(system)?.has(value)))
      : systemCountries.some((country) => coversCountry(coverage, country))
}

function countryOf(system: string): string | undefined {
  return SYSTEM_COUNTRY.find(([prefix]) => system.startsWith(prefix))?.[1]
}
