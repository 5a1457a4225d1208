import { LRUCache } from 'lru-cache'
import {
  type AuthorizedOperator,
  type BrandAgent,
  type BrandEntry,
  type BrandJson,
  brandJsonAt,
  isDomain,
  readBrandJson,
} from '../../domain/brand/brand-json.ts'
import { agentsFor, chooseBrand, operatorsFor } from '../../domain/brand/choose-brand.ts'
import { followBrandFile } from '../../domain/brand/follow-brand-file.ts'
import { BrandFileFault, type BrandFileOptions, openBrandFile } from '../../security/signing/open-brand-file.ts'

/**
 * How a brand and its house vouch for each other: `inline`: the house lists the brand in its own file; `mutual`: each names the other;
 * `leaf_only`: only the brand names the house; `house_only`: only the house names the brand; `standalone`: there is no house; `unverifiable`: the other
 * side could not be read.
 */
export type RelationshipTrust = 'inline' | 'mutual' | 'leaf_only' | 'house_only' | 'standalone' | 'unverifiable'

export interface ResolvedBrand {
  /** The domain that was asked for. */
  readonly domain: string
  /** The house, as far as it vouches for the brand. */
  readonly house: { readonly domain: string; readonly name: string } | undefined
  /** The house that the brand itself names. */
  readonly claimedHouseDomain: string | undefined
  readonly trust: RelationshipTrust
  /** Undefined when a house has several brands and none was asked for, or a file names only agents. */
  readonly brand: BrandEntry | undefined
  /** Ids of the brands of the house. */
  readonly brandIds: readonly string[]
  readonly agents: readonly BrandAgent[]
  readonly operators: readonly AuthorizedOperator[]
  /** `last_updated` of the brand's file (ISO 8601), where it has one. */
  readonly lastUpdated?: string
  /** Addresses of the files that were read, in order. */
  readonly files: readonly string[]
}

export type Resolution =
  | { readonly ok: true; readonly brand: ResolvedBrand }
  /** `not_found`: no file, or no such brand in it; `unreachable`: try again later; `malformed`: the file is no brand.json. */
  | { readonly ok: false; readonly reason: 'not_found' | 'unreachable' | 'malformed'; readonly files: readonly string[] }

export interface BrandResolver {
  /** The brand of a domain; never rejects. `fresh` does not believe the cache. */
  resolve(
    domain: string,
    options: { readonly brandId?: string | undefined; readonly now: Date; readonly fresh?: boolean },
  ): Promise<Resolution>
}

/** AdCP key discovery: what could not be read is asked for again after at most a minute. */
const KEEP_MS = 15 * 60_000
const KEEP_FAILURE_MS = 60_000
const MAX_CACHED = 1000

type Loaded = { readonly json: BrandJson } | { readonly failure: 'not_found' | 'unreachable' | 'malformed' }

/** Reads brand.json files under the outbound policy, follows their redirects, and caches them for a quarter of an hour. */
export function createBrandResolver(options: BrandFileOptions): BrandResolver {
  const cache = new LRUCache<string, { readonly loaded: Promise<Loaded>; until: number }>({ max: MAX_CACHED })

  function load(url: string, now: number, fresh: boolean): Promise<Loaded> {
    const known = cache.get(url)
    if (known && !fresh && now < known.until) return known.loaded
    const entry = { loaded: read(url, options), until: now + KEEP_MS }
    void entry.loaded.then((loaded) => {
      if ('failure' in loaded) entry.until = now + KEEP_FAILURE_MS
    })
    cache.set(url, entry)
    return entry.loaded
  }

  return {
    async resolve(domain, { brandId, now, fresh = false }) {
      if (!isDomain(domain)) return { ok: false, reason: 'not_found', files: [] }
      const files: string[] = []
      const open = async (url: string): Promise<Loaded> => {
        files.push(url)
        return load(url, now.getTime(), fresh)
      }
      const found = await follow(brandJsonAt(domain), open, now)
      if ('failure' in found) return { ok: false, reason: found.failure, files }
      const resolved = await describe(found.json, { domain, brandId, now, open })
      if ('failure' in resolved) return { ok: false, reason: resolved.failure, files }
      const updated = found.json.variant === 'redirect' ? undefined : found.json.lastUpdated
      return { ok: true, brand: { ...resolved, domain, files, ...(updated !== undefined && { lastUpdated: updated }) } }
    },
  }
}

type Open = (url: string) => Promise<Loaded>

/** Goes where redirects lead. */
async function follow(url: string, open: Open, now: Date): Promise<Loaded> {
  const redirectOf = (loaded: Loaded) =>
    'json' in loaded && loaded.json.variant === 'redirect' ? loaded.json.redirect : undefined
  const found = await followBrandFile(url, { open, redirectOf, now })
  if (found === 'not-yet') return { failure: 'not_found' }
  return found === 'too-far' ? { failure: 'malformed' } : found
}

interface Asked {
  readonly domain: string
  readonly brandId: string | undefined
  readonly now: Date
  readonly open: Open
}

type Described = Omit<ResolvedBrand, 'domain' | 'files'> | { readonly failure: 'not_found' }

async function describe(json: BrandJson, asked: Asked): Promise<Described> {
  switch (json.variant) {
    case 'portfolio':
      return inPortfolio(json, asked)
    case 'brand':
      return onItsOwn(json, asked)
    default: {
      const agents = json.variant === 'agents' ? json.agents : []
      return { ...NOTHING, agents }
    }
  }
}

const NOTHING = {
  house: undefined,
  claimedHouseDomain: undefined,
  trust: 'standalone',
  brand: undefined,
  brandIds: [],
  agents: [],
  operators: [],
} as const

async function inPortfolio(json: Extract<BrandJson, { variant: 'portfolio' }>, asked: Asked): Promise<Described> {
  const { domain, brandId, now, open } = asked
  const { house, brands, refs, operators } = json
  const shared = {
    house: { domain: house.domain, name: house.name },
    brandIds: [...brands.flatMap(({ id }) => id ?? []), ...refs.map((ref) => ref.brandId)],
  }
  const inline = chooseBrand(json, domain, brandId)
  if (inline)
    return { ...shared, ...actors(inline, house.agents, operators, now), claimedHouseDomain: undefined, trust: 'inline' }
  const ref = refs.find((one) => (brandId === undefined ? one.domain === domain : one.brandId === brandId))
  if (!ref) {
    if (brandId !== undefined) return { failure: 'not_found' }
    return { ...shared, ...actors(undefined, house.agents, operators, now), claimedHouseDomain: undefined, trust: 'inline' }
  }
  const leaf = await open(brandJsonAt(ref.domain))
  const own = 'json' in leaf && leaf.json.variant === 'brand' ? leaf.json : undefined
  const trust = own ? (own.houseDomain === house.domain ? 'mutual' : 'house_only') : 'unverifiable'
  const brand = own && { ...own.brand, id: own.brand.id ?? ref.brandId }
  return { ...shared, ...actors(brand, house.agents, operators, now), claimedHouseDomain: own?.houseDomain, trust }
}

/** A brand with a file of its own; its house counts once it names the brand back. */
async function onItsOwn(
  { brand, houseDomain }: Extract<BrandJson, { variant: 'brand' }>,
  { domain, brandId, now, open }: Asked,
): Promise<Described> {
  if (brandId !== undefined && brand.id !== undefined && brand.id !== brandId) return { failure: 'not_found' }
  const alone = {
    ...NOTHING,
    brand,
    claimedHouseDomain: houseDomain,
    brandIds: brand.id === undefined ? [] : [brand.id],
    agents: brand.agents,
  }
  if (houseDomain === undefined) return alone
  const loaded = await follow(brandJsonAt(houseDomain), open, now)
  if ('failure' in loaded || loaded.json.variant !== 'portfolio') return { ...alone, trust: 'unverifiable' }
  const { house, refs, operators } = loaded.json
  const ref = refs.find((one) => one.domain === domain)
  if (!ref) return { ...alone, trust: 'leaf_only' }
  const named = { ...brand, id: brand.id ?? ref.brandId }
  return {
    ...alone,
    ...actors(named, house.agents, operators, now),
    house: { domain: house.domain, name: house.name },
    brandIds: [named.id],
    trust: 'mutual',
  }
}

function actors(
  brand: BrandEntry | undefined,
  houseAgents: readonly BrandAgent[],
  operators: readonly AuthorizedOperator[],
  now: Date,
) {
  return { brand, agents: agentsFor(brand, houseAgents), operators: operatorsFor(operators, brand?.id, now) }
}

async function read(url: string, options: BrandFileOptions): Promise<Loaded> {
  try {
    const json = readBrandJson(await openBrandFile(url, options))
    return json ? { json } : { failure: 'malformed' }
  } catch (error) {
    if (!(error instanceof BrandFileFault)) return { failure: 'malformed' }
    return { failure: error.problem === 'untrusted' ? 'unreachable' : error.problem }
  }
}
