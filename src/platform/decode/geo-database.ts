import { readFile, stat } from 'node:fs/promises'

/** Where an address is, as far as a database says it. */
export interface Place {
  /** ISO 3166-1 alpha-2. */
  readonly country?: string
  /** ISO 3166-2, with the country before it. */
  readonly region?: string
}

export interface GeoDatabase {
  /** Empty for an address that the database does not have. */
  placeOf(address: string): Place
}

/** How often the file is looked at: publishers replace it once or twice a week. */
const LOOK_MS = 60_000
/** It is held in memory; the largest that are sold have 150 MB. */
const MAX_BYTES = 512_000_000

/**
 * Opens a database of places in MaxMind DB format 2.0 (records as in GeoIP2: `country.iso_code`, `subdivisions[0].iso_code`). It is held in memory, and read again when
 * the file was replaced; a new one that cannot be read is reported, and the old one stays. Throws what is wrong with the file.
 */
export async function openGeoDatabase(path: string, onError: (error: unknown) => void): Promise<GeoDatabase> {
  let current = await load(path)
  let lookedAt = performance.now()
  const refresh = async () => {
    if ((await stat(path)).mtimeMs !== current.mtimeMs) current = await load(path)
  }
  return {
    placeOf(address) {
      if (performance.now() - lookedAt >= LOOK_MS) {
        lookedAt = performance.now()
        refresh().catch(onError)
      }
      return current.placeOf(address)
    },
  }
}

async function load(path: string): Promise<GeoDatabase & { readonly mtimeMs: number }> {
  const { Reader } = await import('mmdb-lib')
  const { mtimeMs, size } = await stat(path)
  if (size > MAX_BYTES) throw new Error(`${path} has ${size} bytes; a database of places may have ${MAX_BYTES}`)
  const reader = new Reader(await readFile(path))
  return { mtimeMs, placeOf: (address) => placeIn(recordOf(reader, address)) }
}

/** What is no address, or one of the other family, has no record. */
function recordOf(reader: { get(address: string): unknown }, address: string): unknown {
  try {
    return reader.get(address)
  } catch {
    return undefined
  }
}

function placeIn(record: unknown): Place {
  const country = isoCode(member(record, 'country'))
  if (country === undefined) return {}
  const subdivisions = member(record, 'subdivisions')
  const region = Array.isArray(subdivisions) ? isoCode(subdivisions[0]) : undefined
  return { country, ...(region !== undefined && { region: `${country}-${region}` }) }
}

function isoCode(value: unknown): string | undefined {
  const code = member(value, 'iso_code')
  return typeof code === 'string' ? code : undefined
}

function member(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? Reflect.get(value, name) : undefined
}
