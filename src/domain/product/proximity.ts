import type { FilterWork } from './filter-work.ts'
import type { CoveragePoint } from './product.ts'

type Position = readonly [lng: number, lat: number]

/** An area around a point, or a drawn one (AdCP core/product-filters.json, `geo_proximity`). */
type ProximityArea =
  | { readonly kind: 'circle'; readonly lat: number; readonly lng: number; readonly radiusKm: number }
  | { readonly kind: 'polygons'; readonly rings: readonly Ring[] }

/** A closed line with the latitudes between which it lies. */
interface Ring {
  readonly positions: readonly Position[]
  readonly south: number
  readonly north: number
}

const KM: Readonly<Record<string, number>> = { km: 1, mi: 1.609344, m: 0.001 }
const HOURS: Readonly<Record<string, number>> = { min: 1 / 60, hr: 1 }

/**
 * Straight-line speed in km/h, a city's average door to door. An isochrone needs a road network; a circle of this radius holds it,
 * so that no inventory in reach is left out.
 */
const SPEED: Readonly<Record<string, number>> = { walking: 5, cycling: 15, driving: 45, public_transport: 25 }

/** A degree of latitude is no shorter than this anywhere on the sphere that {@link distanceKm} measures on. */
const KM_OF_DEGREE = 111.19
/** What a distance costs, in comparisons. */
const DISTANCE_WORK = 6

/**
 * A test for inventory around a point: whether it lies in one of the areas at least in part. The answer for a place is worked out once, however many products
 * are there. `spend` is called with the number of comparisons that a place took.
 */
export function proximityTest(
  entries: readonly Readonly<Record<string, unknown>>[],
  spend: FilterWork,
): (point: CoveragePoint) => boolean {
  const areas = entries.map(readProximity)
  const answers = new Map<string, boolean>()
  return (point) => {
    const key = `${point.lat} ${point.lng} ${point.radiusKm}`
    const known = answers.get(key)
    if (known !== undefined) return known
    const answer = areas.some((area) => reaches(area, point, spend))
    answers.set(key, answer)
    return answer
  }
}

/** Reads an entry that has passed the schema; an entry of another kind reaches nothing. */
function readProximity(entry: Readonly<Record<string, unknown>>): ProximityArea {
  const { lat, lng } = entry
  if (typeof lat === 'number' && typeof lng === 'number') {
    const radius = measure(entry.radius, KM)
    const travel = measure(entry.travel_time, HOURS) * (SPEED[String(entry.transport_mode)] ?? 0)
    return { kind: 'circle', lat, lng, radiusKm: radius > 0 ? radius : travel }
  }
  return { kind: 'polygons', rings: ringsOf(entry.geometry) }
}

/** Whether inventory that covers `point.radiusKm` around a point lies in an area at least in part. */
function reaches(area: ProximityArea, point: CoveragePoint, spend: FilterWork): boolean {
  if (area.kind === 'circle') return isWithin(area, point, area.radiusKm + point.radiusKm, spend)
  return area.rings.some(({ positions, south, north }) => {
    spend(1)
    const reach = point.radiusKm / KM_OF_DEGREE
    if (point.lat + reach < south || point.lat - reach > north) return false
    spend(positions.length)
    return contains(positions, point) || positions.some(([lng, lat]) => isWithin({ lat, lng }, point, point.radiusKm, spend))
  })
}

/** Whether two places are no further apart than that. Most are told apart by their latitudes. */
function isWithin(a: { lat: number; lng: number }, b: { lat: number; lng: number }, km: number, spend: FilterWork): boolean {
  spend(1)
  if (Math.abs(a.lat - b.lat) * KM_OF_DEGREE > km) return false
  spend(DISTANCE_WORK)
  return distanceKm(a, b) <= km
}

/** Great-circle distance (haversine) on a sphere of the Earth's mean radius. */
export function distanceKm(a: { lat: number; lng: number }, b: { lat: number; lng: number }): number {
  const rad = Math.PI / 180
  const h =
    Math.sin(((b.lat - a.lat) * rad) / 2) ** 2 +
    Math.cos(a.lat * rad) * Math.cos(b.lat * rad) * Math.sin(((b.lng - a.lng) * rad) / 2) ** 2
  return 2 * 6371 * Math.asin(Math.min(1, Math.sqrt(h)))
}

function measure(value: unknown, units: Readonly<Record<string, number>>): number {
  if (typeof value !== 'object' || value === null || !('value' in value) || !('unit' in value)) return 0
  return typeof value.value === 'number' ? value.value * (units[String(value.unit)] ?? 0) : 0
}

/** Outer rings of a GeoJSON Polygon or MultiPolygon (RFC 7946 §3.1.6); holes are not cut out. */
function ringsOf(geometry: unknown): Ring[] {
  if (typeof geometry !== 'object' || geometry === null || !('coordinates' in geometry)) return []
  const { coordinates } = geometry
  if (!Array.isArray(coordinates)) return []
  const polygons: readonly unknown[] = 'type' in geometry && geometry.type === 'MultiPolygon' ? coordinates : [coordinates]
  return polygons.flatMap((polygon) => {
    const outer: unknown = Array.isArray(polygon) ? polygon[0] : undefined
    if (!Array.isArray(outer)) return []
    const positions = outer.flatMap(positionOf)
    const [south, north] = positions.reduce(
      ([low, high], [, lat]) => [Math.min(low, lat), Math.max(high, lat)],
      [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY],
    )
    return [{ positions, south, north }]
  })
}

function positionOf(value: unknown): Position[] {
  if (!Array.isArray(value)) return []
  const [lng, lat]: readonly unknown[] = value
  return typeof lng === 'number' && typeof lat === 'number' ? [[lng, lat]] : []
}

/** Even-odd rule: a ray to the east crosses the ring an odd number of times. */
function contains(ring: readonly Position[], { lat, lng }: { lat: number; lng: number }): boolean {
  let inside = false
  ring.forEach(([x1, y1], index) => {
    const [x2, y2] = ring[(index + ring.length - 1) % ring.length] ?? [x1, y1]
    if (y1 > lat !== y2 > lat && lng < ((x2 - x1) * (lat - y1)) / (y2 - y1) + x1) inside = !inside
  })
  return inside
}
