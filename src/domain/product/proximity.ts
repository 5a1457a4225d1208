import type { CoveragePoint } from './product.ts'

type Position = readonly [lng: number, lat: number]

/** An area around a point, or a drawn one (AdCP core/product-filters.json, `geo_proximity`). */
export type ProximityArea =
  | { readonly kind: 'circle'; readonly lat: number; readonly lng: number; readonly radiusKm: number }
  | { readonly kind: 'polygons'; readonly rings: readonly (readonly Position[])[] }

const KM: Readonly<Record<string, number>> = { km: 1, mi: 1.609344, m: 0.001 }
const HOURS: Readonly<Record<string, number>> = { min: 1 / 60, hr: 1 }

/**
 * Straight-line speed in km/h, a city's average door to door. An isochrone needs a road network; a circle of this radius holds it,
 * so that no inventory in reach is left out.
 */
const SPEED: Readonly<Record<string, number>> = { walking: 5, cycling: 15, driving: 45, public_transport: 25 }

/** Reads an entry that has passed the schema; an entry of another kind reaches nothing. */
export function readProximity(entry: Readonly<Record<string, unknown>>): ProximityArea {
  const { lat, lng } = entry
  if (typeof lat === 'number' && typeof lng === 'number') {
    const radius = measure(entry.radius, KM)
    const travel = measure(entry.travel_time, HOURS) * (SPEED[String(entry.transport_mode)] ?? 0)
    return { kind: 'circle', lat, lng, radiusKm: radius > 0 ? radius : travel }
  }
  return { kind: 'polygons', rings: ringsOf(entry.geometry) }
}

/** Whether inventory that covers `point.radiusKm` around a point lies in an area at least in part. */
export function reaches(area: ProximityArea, point: CoveragePoint): boolean {
  if (area.kind === 'circle') return distanceKm(area, point) <= area.radiusKm + point.radiusKm
  return area.rings.some(
    (ring) => contains(ring, point) || ring.some(([lng, lat]) => distanceKm({ lat, lng }, point) <= point.radiusKm),
  )
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
function ringsOf(geometry: unknown): Position[][] {
  if (typeof geometry !== 'object' || geometry === null || !('coordinates' in geometry)) return []
  const { coordinates } = geometry
  if (!Array.isArray(coordinates)) return []
  const polygons: readonly unknown[] = 'type' in geometry && geometry.type === 'MultiPolygon' ? coordinates : [coordinates]
  return polygons.flatMap((polygon) => {
    const outer: unknown = Array.isArray(polygon) ? polygon[0] : undefined
    return Array.isArray(outer) ? [outer.flatMap(positionOf)] : []
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
