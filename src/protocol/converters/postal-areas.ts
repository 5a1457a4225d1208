import { isObject } from '../is-object.ts'
import { entries } from './change-members.ts'
import type { Json } from './line-converter.ts'

/** Postal systems of AdCP 3.0: the country, in lower case, and the system in one name (enums/legacy-postal-system.json). */
const COMBINED = /^([a-z]{2})_([a-z_]+)$/
const LISTS = ['geo_postal_areas', 'geo_postal_areas_exclude'] as const

/** Codes of a postal system that 3.1 names by country and system (core/postal-area.json), named as in 3.0: `us_zip` for `zip` of the country `US`. */
function combined({ country, system, ...area }: Json): Json {
  if (typeof country !== 'string' || typeof system !== 'string')
    return { ...(country !== undefined && { country }), system, ...area }
  const prefix = `${country.toLowerCase()}_`
  return { system: system.startsWith(prefix) ? system : `${prefix}${system}`, ...area }
}

/** The reverse of {@link combined}. */
function apart({ system, ...area }: Json): Json {
  const [, country, own] = (typeof system === 'string' && COMBINED.exec(system)) || []
  return country === undefined ? { system, ...area } : { country: country.toUpperCase(), system: own, ...area }
}

/** A request or a package with the postal areas of its `targeting_overlay` named as in 3.0. */
export function withCombinedPostalAreas(owner: Json): Json {
  return inOverlay(owner, combined)
}

/** A package with the postal areas of its `targeting_overlay` named as in 3.1. */
export function withPostalCountries(pkg: Json): Json {
  return inOverlay(pkg, apart)
}

/** Filters of products with postal areas and systems named as in 3.0 (core/product-filters.json). */
export function withCombinedPostalFilters(filters: Json): Json {
  const levels = (required: Json): Json =>
    required.level === 'postal_area' && required.system !== undefined ? combined(required) : required
  return entries(entries(filters, 'postal_areas', combined), 'required_geo_targeting', levels)
}

function inOverlay(owner: Json, change: (area: Json) => Json): Json {
  const { targeting_overlay: overlay } = owner
  if (!isObject(overlay) || !LISTS.some((list) => Object.hasOwn(overlay, list))) return owner
  return { ...owner, targeting_overlay: LISTS.reduce((changed: Json, list) => entries(changed, list, change), { ...overlay }) }
}
