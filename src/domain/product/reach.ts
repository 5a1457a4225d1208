import type { Coverage, Product } from './product.ts'

/** Where and when a product reaches, as a row shows it in `ext.reach`: AdCP core/product.json has no member for it. */
export interface Reach {
  /** The product is bound to no place: it may run in any country that its orders do not leave out. */
  readonly anywhere?: true
  /** ISO 3166-1 alpha-2; absent: not bound to countries. */
  readonly countries?: readonly string[]
  /** ISO 3166-2. */
  readonly regions?: readonly string[]
  /** Number of metropolitan areas, postal areas and points that it is bound to. */
  readonly areas?: number
  readonly available_from?: string
  readonly available_until?: string
}

/** A row that lists more places says less: their number is left. */
const MOST_REGIONS = 12

/** The reach of a product. */
export function reachOf({ selling }: Product): Reach {
  const { coverage, availableFrom, availableUntil } = selling
  const { countries, regions = [] } = coverage
  const areas = areasOf(coverage) + (regions.length > MOST_REGIONS ? regions.length : 0)
  return {
    ...(!countries && regions.length === 0 && areas === 0 && { anywhere: true }),
    ...(countries && { countries }),
    ...(regions.length > 0 && regions.length <= MOST_REGIONS && { regions }),
    ...(areas > 0 && { areas }),
    ...(availableFrom !== undefined && { available_from: availableFrom }),
    ...(availableUntil !== undefined && { available_until: availableUntil }),
  }
}

function areasOf({ metros = [], postalAreas = [], points = [] }: Coverage): number {
  return metros.length + postalAreas.reduce((sum, { values }) => sum + values.length, 0) + points.length
}

/** The reach that the `ext` of a row states, in a few words; empty where it states none. */
export function reachWords(ext: unknown): string {
  const reach = memberOf(ext, 'reach')
  const [from, until] = [memberOf(reach, 'available_from'), memberOf(reach, 'available_until')].map((day) =>
    typeof day === 'string' ? day : '',
  )
  const areas = memberOf(reach, 'areas')
  const countries = textsOf(memberOf(reach, 'countries'))
  const regions = textsOf(memberOf(reach, 'regions'))
  const anywhere = memberOf(reach, 'anywhere') === true ? ['runs anywhere'] : []
  const places = [
    ...anywhere,
    ...(regions.length > 0 ? regions : countries),
    ...(typeof areas === 'number' ? [`(${areas} areas)`] : []),
  ]
  const days = [from && `from ${from}`, until && `until ${until}`].filter((part) => part !== '')
  return [places.join(' '), days.join(' ')].filter((part) => part !== '').join(', ')
}

function memberOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}

function textsOf(value: unknown): string[] {
  return Array.isArray(value) ? value.filter((each) => typeof each === 'string') : []
}
