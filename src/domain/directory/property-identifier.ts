import { ownValue } from '../own-value.ts'
import type { IdentifierType } from './identifier-type.ts'

/** An identifier as an imported or a foreign file states it, whatever its type. */
export interface AnyIdentifier {
  readonly type: string
  readonly value: string
}

/** A domain, app id, feed … that names a property (AdCP core/identifier.json). */
export interface Identifier {
  type: IdentifierType
  value: string
}

/** Host names, whatever the two identifier types call them. */
const HOST_TYPES: ReadonlySet<string> = new Set(['domain', 'subdomain'])

/** Labels as DNS allows them, with an optional wildcard in front (AdCP core/identifier.json, `domain`). */
const HOST = /^(\*\.)?[a-z0-9_]([a-z0-9_-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/

/** Surface that an identifier type belongs to by its definition (AdCP enums/identifier-types); absent where several share it. */
const PROPERTY_TYPES: Readonly<Record<string, string>> = {
  domain: 'website',
  subdomain: 'website',
  ios_bundle: 'mobile_app',
  android_package: 'mobile_app',
  apple_app_store_id: 'mobile_app',
  google_play_id: 'mobile_app',
  roku_store_id: 'ctv_app',
  fire_tv_asin: 'ctv_app',
  samsung_app_id: 'ctv_app',
  apple_tv_bundle: 'ctv_app',
  venue_id: 'dooh',
  screen_id: 'dooh',
  rss_url: 'podcast',
  apple_podcast_id: 'podcast',
  podcast_guid: 'podcast',
}

/** Property type that the identifier type alone implies, if it does. */
export function impliedPropertyType({ type }: AnyIdentifier): string | undefined {
  return ownValue(PROPERTY_TYPES, type)
}

/** One spelling for an identifier: hosts in lower case without a trailing dot, anything else exactly as it was given. */
export function identifierKey({ type, value }: AnyIdentifier): string {
  return HOST_TYPES.has(type) ? `host:${hostOf(value)}` : `${type}:${value}`
}

/** Whether the value can name a property at all: a host that is one, another identifier that is not blank, and no class of venues. */
export function canNameProperty({ type, value }: AnyIdentifier): boolean {
  if (HOST_TYPES.has(type)) return HOST.test(hostOf(value))
  return type !== 'openooh_venue_type' && value.trim() !== ''
}

/** The host of an identifier and every domain above it but the last label, nearest first; nothing for what names no host. */
export function hostsAbove({ type, value }: AnyIdentifier): string[] {
  if (!HOST_TYPES.has(type)) return []
  const labels = hostOf(value).replace(/^\*\./, '').split('.')
  return labels.slice(0, -1).map((_, index) => labels.slice(index).join('.'))
}

/**
 * Values by identifier. A host is found under its own name, under its base without `www.` or `m.`, and under a wildcard of any parent;
 * a `subdomain` entry matches only itself. Source: AdCP core/identifier.json.
 */
export class IdentifierIndex<T> {
  readonly #exact = new Map<string, T>()
  readonly #bases = new Map<string, T>()
  /** Of the parents of wildcards: a look at a host asks for the text of a parent only where its hash is among them. */
  readonly #parentHashes = new Set<number>()

  constructor(entries: Iterable<readonly [AnyIdentifier, T]>) {
    for (const [identifier, value] of entries) {
      const key = identifierKey(identifier)
      if (!this.#exact.has(key)) this.#exact.set(key, value)
      if (identifier.type !== 'domain' || this.#bases.has(key)) continue
      this.#bases.set(key, value)
      if (key.startsWith(WILDCARD)) this.#parentHashes.add(hashOf(key.slice(WILDCARD.length)))
    }
  }

  /** The value of the most specific entry that covers the identifier. */
  find(identifier: AnyIdentifier): T | undefined {
    const exact = this.#exact.get(identifierKey(identifier))
    if (exact !== undefined || !HOST_TYPES.has(identifier.type)) return exact
    const host = hostOf(identifier.value)
    const base = /^(?:www|m)\.(.+)$/.exec(host)?.[1]
    const ofBase = base === undefined ? undefined : this.#bases.get(`host:${base}`)
    return ofBase ?? this.#wildcard(host)
  }

  has(identifier: AnyIdentifier): boolean {
    return this.find(identifier) !== undefined
  }

  /** That of the nearest parent. One pass from the end: a host may have a hundred labels, and each of its parents as a text would cost its length. */
  #wildcard(host: string): T | undefined {
    if (this.#parentHashes.size === 0) return undefined
    const dots: number[] = []
    let hash = EMPTY_HASH
    for (let at = host.length - 1; at >= 0; at -= 1) {
      const code = host.charCodeAt(at)
      if (code === DOT && this.#parentHashes.has(hash)) dots.push(at)
      hash = extendedHash(hash, code)
    }
    for (const dot of dots.reverse()) {
      const found = this.#bases.get(`host:*${host.slice(dot)}`)
      if (found !== undefined) return found
    }
    return undefined
  }
}

/** How the key of a wildcard begins. */
const WILDCARD = 'host:*.'
const DOT = 0x2e

/** FNV-1a (32 bits), from the last character to the first. */
const EMPTY_HASH = 0x811c9dc5
const extendedHash = (hash: number, code: number) => Math.imul(hash ^ code, 0x01000193)

function hashOf(text: string): number {
  let hash = EMPTY_HASH
  for (let at = text.length - 1; at >= 0; at -= 1) hash = extendedHash(hash, text.charCodeAt(at))
  return hash
}

/** A set of identifiers with the covering rules of {@link IdentifierIndex}. */
export function identifierSet(identifiers: readonly AnyIdentifier[]): IdentifierIndex<true> {
  return new IdentifierIndex(identifiers.map((identifier) => [identifier, true] as const))
}

function hostOf(value: string): string {
  const host = value.trim().toLowerCase()
  return host.endsWith('.') ? host.slice(0, -1) : host
}
