import { isObject } from '../../protocol/is-object.ts'

/** Why a brand leads elsewhere (AdCP brand.json, redirect variants). */
export interface BrandRedirect {
  readonly kind: 'location' | 'house'
  readonly url: string
  /** The domain of a house redirect. */
  readonly domain?: string
  readonly reason?: string
  /** ISO 8601; before that moment the redirect does not hold. */
  readonly effectiveAt?: string
}

/** An entry of `agents[]`. */
export interface BrandAgent {
  readonly type: string
  readonly url: string
  readonly id: string
  readonly jwksUri: string | undefined
  readonly description: string | undefined
}

/** An entry of `authorized_operators[]`. */
export interface AuthorizedOperator {
  readonly domain: string
  /** Ids of brands, or `*`. */
  readonly brands: readonly string[]
  readonly countries: readonly string[] | undefined
  readonly scopes: readonly string[] | undefined
  readonly validFrom: string | undefined
  readonly validUntil: string | undefined
}

/** An entry of `brand_refs[]`: a brand of the house that has its own file. */
export interface BrandRef {
  readonly domain: string
  readonly brandId: string
  readonly managedBy: string | undefined
  readonly effectiveAt: string | undefined
}

/** A brand as its file describes it. `fields` is the entry itself. */
export interface BrandEntry {
  readonly id: string | undefined
  readonly names: readonly Readonly<Record<string, string>>[]
  readonly url: string | undefined
  readonly kellerType: string | undefined
  readonly parentBrand: string | undefined
  readonly industries: readonly string[]
  readonly properties: readonly { readonly type: string; readonly identifier: string; readonly relationship: string }[]
  readonly agents: readonly BrandAgent[]
  readonly fields: Readonly<Record<string, unknown>>
}

/** One brand.json document by its variant. `lastUpdated` is its `last_updated` as written (ISO 8601). */
export type BrandJson =
  | { readonly variant: 'redirect'; readonly redirect: BrandRedirect }
  | { readonly variant: 'agents'; readonly agents: readonly BrandAgent[]; readonly lastUpdated?: string }
  | {
      readonly variant: 'portfolio'
      readonly house: { readonly domain: string; readonly name: string; readonly agents: readonly BrandAgent[] }
      readonly brands: readonly BrandEntry[]
      readonly refs: readonly BrandRef[]
      readonly operators: readonly AuthorizedOperator[]
      readonly lastUpdated?: string
    }
  | {
      readonly variant: 'brand'
      readonly brand: BrandEntry
      readonly houseDomain: string | undefined
      readonly lastUpdated?: string
    }

const DOMAIN = /^[a-z0-9]([a-z0-9-]*[a-z0-9])?(\.[a-z0-9]([a-z0-9-]*[a-z0-9])?)+$/

/**
 * Reads a brand.json of any of the five variants (AdCP brand.json). Entries that make no sense are left out; undefined when the document itself is
 * none of them.
 */
export function readBrandJson(document: unknown): BrandJson | undefined {
  const redirect = redirectOf(document)
  if (redirect) return { variant: 'redirect', redirect }
  const updated = text(document, 'last_updated')
  const dated = updated === undefined ? {} : { lastUpdated: updated }
  const house = field(document, 'house')
  const [domain, name] = [text(house, 'domain'), text(house, 'name')]
  if (domain !== undefined && isDomain(domain)) {
    return {
      variant: 'portfolio',
      house: { domain, name: name ?? domain, agents: agentsOf(house) },
      brands: records(document, 'brands').map(brandOf),
      refs: records(document, 'brand_refs').flatMap(refOf),
      operators: records(document, 'authorized_operators').flatMap(operatorOf),
      ...dated,
    }
  }
  if (house !== undefined) return undefined
  const names = records(document, 'names')
  if (isObject(document) && (names.length > 0 || text(document, 'house_domain') !== undefined)) {
    const houseDomain = text(document, 'house_domain')
    return {
      variant: 'brand',
      brand: brandOf(document),
      houseDomain: houseDomain !== undefined && isDomain(houseDomain) ? houseDomain : undefined,
      ...dated,
    }
  }
  const agents = agentsOf(document)
  return agents.length > 0 ? { variant: 'agents', agents, ...dated } : undefined
}

/** Where a brand.json is by convention. */
export function brandJsonAt(domain: string): string {
  return `https://${domain}/.well-known/brand.json`
}

/** Whether a text can be the domain of a brand. */
export function isDomain(domain: string): boolean {
  return domain.length <= 253 && DOMAIN.test(domain)
}

/** Where a brand.json leads, when it is a redirect. */
export function redirectOf(document: unknown): BrandRedirect | undefined {
  const [reason, effectiveAt] = [text(document, 'redirect_reason'), text(document, 'redirect_effective_at')]
  const more = { ...(reason !== undefined && { reason }), ...(effectiveAt !== undefined && { effectiveAt }) }
  const location = text(document, 'authoritative_location')
  if (location !== undefined) return isHttps(location) ? { kind: 'location', url: location, ...more } : undefined
  const house = text(document, 'house')
  return house !== undefined && isDomain(house) ? { kind: 'house', url: brandJsonAt(house), domain: house, ...more } : undefined
}

function brandOf(entry: Readonly<Record<string, unknown>>): BrandEntry {
  return {
    id: text(entry, 'id') ?? text(entry, 'brand_id'),
    names: records(entry, 'names').map((name) =>
      Object.fromEntries(Object.entries(name).filter((pair): pair is [string, string] => typeof pair[1] === 'string')),
    ),
    url: text(entry, 'url'),
    kellerType: text(entry, 'keller_type'),
    parentBrand: text(entry, 'parent_brand'),
    industries: texts(entry, 'industries') ?? [],
    properties: records(entry, 'properties').flatMap((property) => {
      const [type, identifier] = [text(property, 'type'), text(property, 'identifier')]
      if (type === undefined || identifier === undefined) return []
      return [{ type, identifier, relationship: text(property, 'relationship') ?? 'owned' }]
    }),
    agents: agentsOf(entry),
    fields: entry,
  }
}

/** `agents[]`, and the single agents of older files. */
function agentsOf(place: unknown): readonly BrandAgent[] {
  const legacy = (['brand', 'rights'] as const).flatMap((type) => {
    const agent = field(place, `${type}_agent`)
    return isObject(agent) ? agentOf({ type, ...agent }) : []
  })
  const listed = records(place, 'agents').flatMap(agentOf)
  return [...listed, ...legacy.filter(({ url }) => listed.every((agent) => agent.url !== url))]
}

function agentOf(entry: Readonly<Record<string, unknown>>): BrandAgent[] {
  const [type, url, id] = [text(entry, 'type'), text(entry, 'url'), text(entry, 'id')]
  if (type === undefined || url === undefined || id === undefined || !isHttps(url)) return []
  return [{ type, url, id, jwksUri: text(entry, 'jwks_uri'), description: text(entry, 'description') }]
}

function operatorOf(entry: Readonly<Record<string, unknown>>): AuthorizedOperator[] {
  const domain = text(entry, 'domain')
  if (domain === undefined || !isDomain(domain)) return []
  return [
    {
      domain,
      brands: texts(entry, 'brands') ?? [],
      countries: texts(entry, 'countries'),
      scopes: texts(entry, 'scopes'),
      validFrom: text(entry, 'valid_from'),
      validUntil: text(entry, 'valid_until'),
    },
  ]
}

function refOf(entry: Readonly<Record<string, unknown>>): BrandRef[] {
  const [domain, brandId] = [text(entry, 'domain'), text(entry, 'brand_id')]
  if (domain === undefined || brandId === undefined || !isDomain(domain)) return []
  return [{ domain, brandId, managedBy: text(entry, 'managed_by'), effectiveAt: text(entry, 'effective_at') }]
}

function field(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined
}

function text(value: unknown, name: string): string | undefined {
  const found = field(value, name)
  return typeof found === 'string' ? found : undefined
}

function texts(value: unknown, name: string): readonly string[] | undefined {
  const found = field(value, name)
  return Array.isArray(found) ? found.filter((one: unknown) => typeof one === 'string') : undefined
}

function records(value: unknown, name: string): readonly Readonly<Record<string, unknown>>[] {
  const found = field(value, name)
  return Array.isArray(found) ? found.filter(isObject) : []
}

function isHttps(address: string): boolean {
  return URL.canParse(address) && new URL(address).protocol === 'https:'
}
