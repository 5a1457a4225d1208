import type { PlaceCodes, TargetingOverlay } from '../../domain/product/targeting-overlay.ts'
import { AdcpError } from '../../protocol/errors.ts'
import type { GamOptions } from './gam-options.ts'
import type { Lookups } from './lookups.ts'

/** Countries of the systems of postal codes that the network has places of: it knows no parts of postal codes. */
const POSTAL_COUNTRIES: Readonly<Record<string, string>> = {
  us_zip: 'US',
  gb_outward: 'GB',
  ca_fsa: 'CA',
  de_plz: 'DE',
  fr_code_postal: 'FR',
  au_postcode: 'AU',
  ch_plz: 'CH',
  at_plz: 'AT',
}

/** Members of a targeting that name places below countries. */
type Finer = 'geo_regions' | 'geo_metros' | 'geo_postal_areas'
type Excluding = '' | '_exclude'

/** A place as a buyer names it, and the country that it is in. */
interface Place {
  readonly member: `${Finer}${Excluding}`
  readonly country: string
  readonly system: string
  readonly code: string
}

/** Throws AdcpError, UNSUPPORTED_FEATURE with the field, for places that no line item can be for. Makes no call. */
export function requirePlaces({ places }: Pick<GamOptions, 'places'>, overlay: TargetingOverlay): void {
  const all = [...placesOf(overlay, ''), ...placesOf(overlay, '_exclude')]
  for (const { member, system, code } of all) {
    if (system === 'region' && !Object.hasOwn(places, code))
      throw refused(member, `the region ${code} is not mapped to its geo target; ${listed('mapped are', Object.keys(places))}`)
    if (member.startsWith('geo_metros') && (system !== 'nielsen_dma' || !/^\d{3}$/.test(code)))
      throw refused(member, `${system} ${code}; the network has metros by their Nielsen DMA (nielsen_dma, three digits)`)
    if (member.startsWith('geo_postal_areas') && POSTAL_COUNTRIES[system] === undefined)
      throw refused(member, `${system}; the network has postal codes of ${Object.keys(POSTAL_COUNTRIES).join(', ')}`)
  }
  finest(overlay)
}

/** Resource names of the places that a line is for: those of the finest level, since the network shows a line in any of its places. Throws AdcpError for one that it does not know. */
export async function targetedPlaces(overlay: TargetingOverlay, lookups: Lookups): Promise<readonly string[]> {
  const found = finest(overlay)
  return found.length > 0 ? namesOf(found, lookups) : lookups.countries(overlay.geo_countries ?? [])
}

/** Resource names of the places that a line is not shown in. */
export async function excludedPlaces(overlay: TargetingOverlay, lookups: Lookups): Promise<readonly string[]> {
  const [countries, places] = await Promise.all([
    lookups.countries(overlay.geo_countries_exclude ?? []),
    namesOf(placesOf(overlay, '_exclude'), lookups),
  ])
  return [...countries, ...places]
}

/** Places below countries that lie in the countries which are named beside them. Throws AdcpError where there are none, or places of two levels: the network cannot show a line where both are. */
function finest(overlay: TargetingOverlay): readonly Place[] {
  const all = placesOf(overlay, '')
  const [first] = all
  if (!first) return []
  const other = all.find(({ member }) => member !== first.member)
  if (other)
    throw refused(other.member, `together with ${first.member}; a line in Google Ad Manager is for places of one of them`)
  const countries = overlay.geo_countries ?? []
  const inside = countries.length === 0 ? all : all.filter(({ country }) => countries.includes(country))
  if (inside.length > 0) return inside
  throw refused(first.member, `none of them is in ${countries.join(', ')} (geo_countries)`)
}

function placesOf(overlay: TargetingOverlay, excluding: Excluding): readonly Place[] {
  const regions = overlay[`geo_regions${excluding}`] ?? []
  const of = (finer: 'geo_metros' | 'geo_postal_areas', countryOf: (system: string) => string) => {
    const member = `${finer}${excluding}` as const
    const groups: readonly PlaceCodes<string>[] = overlay[member] ?? []
    return groups.flatMap(({ system, values }) =>
      values.map((code): Place => ({ member, country: countryOf(system), system, code })),
    )
  }
  return [
    ...regions.map((code): Place => ({ member: `geo_regions${excluding}`, country: code.slice(0, 2), system: 'region', code })),
    ...of('geo_metros', () => 'US'),
    ...of('geo_postal_areas', (system) => POSTAL_COUNTRIES[system] ?? ''),
  ]
}

async function namesOf(places: readonly Place[], lookups: Lookups): Promise<readonly string[]> {
  const regions = places.filter(({ system }) => system === 'region').map(({ code }) => lookups.region(code))
  const metros = places.filter(({ system }) => system === 'nielsen_dma').map(({ code }) => lookups.metro(code))
  const postal = Object.entries(POSTAL_COUNTRIES).map(async ([system, country]) => {
    const codes = places.filter((place) => place.system === system).map(({ code }) => code)
    return codes.length > 0 ? lookups.postalCodes(country, codes) : []
  })
  const [byRegion, byMetro, byCode] = await Promise.all([Promise.all(regions), Promise.all(metros), Promise.all(postal)])
  return [...byRegion, ...byMetro, ...byCode.flat()]
}

function refused(member: string, why: string): AdcpError {
  return new AdcpError('UNSUPPORTED_FEATURE', `targeting_overlay.${member}: ${why}`, { field: `targeting_overlay.${member}` })
}

function listed(lead: string, codes: readonly string[]): string {
  return codes.length === 0 ? 'none is' : `${lead} ${codes.slice(0, 20).join(', ')}`
}
