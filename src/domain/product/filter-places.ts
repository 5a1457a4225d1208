import type { ProductTest } from './filter-products.ts'
import { filterWork } from './filter-work.ts'
import type { MetroArea } from './product.ts'
import type { ProductFilters } from './product-filters.ts'
import { proximityTest } from './proximity.ts'

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
  if (countries) tests.push(countryTest(countries))
  if (regions) tests.push(regionTest(regions))
  if (metros) tests.push(metroTest(metros))
  if (postal_areas) tests.push(postalTest(postal_areas))
  if (required_geo_targeting) {
    const wanted = required_geo_targeting.map(({ level, system }) => (system === undefined ? level : `${level}:${system}`))
    tests.push(({ selling }) =>
      wanted.every((level) => selling.targeting.geo.some((own) => own === level || own.startsWith(`${level}:`))),
    )
  }
  if (geo_proximity) {
    const isReached = proximityTest(geo_proximity, filterWork('geo_proximity', 'areas'))
    tests.push(
      ({ selling }) =>
        geo_proximity.length > 0 &&
        (selling.coverage.points?.some((point) => isReached(point)) ?? selling.targeting.geoProximity),
    )
  }
  return tests
}

/**
 * Inventory that is bound to no country reaches all of them. `undefined` among the countries: one that is not known, which any inventory may reach. Read once, as
 * all places here: a request may list thousands, and there are thousands of products.
 */
function countryTest(countries: readonly (string | undefined)[]): ProductTest {
  const wanted = new Set(countries)
  return ({ selling: { coverage } }) =>
    wanted.size > 0 &&
    (coverage.countries === undefined || wanted.has(undefined) || coverage.countries.some((country) => wanted.has(country)))
}

/** Inventory that is not bound to regions covers those of its countries; the same holds for metros and postal areas. */
function regionTest(regions: readonly string[]): ProductTest {
  const wanted = new Set(regions)
  const inCountry = countryTest(regions.map((region) => region.slice(0, 2)))
  return (product) => product.selling.coverage.regions?.some((region) => wanted.has(region)) ?? inCountry(product)
}

function metroTest(metros: readonly MetroArea[]): ProductTest {
  const keyOf = ({ system, code }: MetroArea) => JSON.stringify([system, code])
  const wanted = new Set(metros.map(keyOf))
  const inCountry = countryTest(
    metros.map(({ system, code }) => (system === 'eurostat_nuts2' ? code.slice(0, 2) : countryOf(system))),
  )
  return (product) => product.selling.coverage.metros?.some((metro) => wanted.has(keyOf(metro))) ?? inCountry(product)
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
  const inCountry = countryTest([...codes.keys()].map(countryOf))
  return (product) =>
    product.selling.coverage.postalAreas?.some(({ system, values }) => values.some((value) => codes.get(system)?.has(value))) ??
    inCountry(product)
}

function countryOf(system: string): string | undefined {
  return SYSTEM_COUNTRY.find(([prefix]) => system.startsWith(prefix))?.[1]
}
