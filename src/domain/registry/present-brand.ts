import type { AuthorizedOperator, BrandAgent, BrandEntry } from '../brand/brand-json.ts'

/** What of a resolved brand.json the registry answers with. */
export interface BrandFacts {
  readonly domain: string
  readonly house: { readonly domain: string; readonly name: string } | undefined
  readonly claimedHouseDomain: string | undefined
  readonly trust: string
  readonly brand: BrandEntry | undefined
  readonly brandIds: readonly string[]
  readonly agents: readonly BrandAgent[]
  readonly operators: readonly AuthorizedOperator[]
}

/** A brand as the registry answers it (schemas/registry-openapi.json, Brand). */
export function presentBrand(facts: BrandFacts): object {
  const { domain, house, claimedHouseDomain, trust, brand, brandIds, agents, operators } = facts
  const own = brand ? (hostOf(brand.url) ?? (house === undefined ? domain : undefined)) : undefined
  const canonicalDomain = own ?? (brand ? domain : (house?.domain ?? domain))
  const brandAgent = agents.find(({ type }) => type === 'brand') ?? agents[0]
  return {
    canonical_id: house && brand?.id !== undefined ? `${house.domain}#${brand.id}` : canonicalDomain,
    canonical_domain: canonicalDomain,
    brand_name: nameOf(brand) ?? house?.name ?? domain,
    ...(brand && brand.names.length > 0 && { names: brand.names }),
    ...(brand?.kellerType !== undefined && { keller_type: brand.kellerType }),
    ...(brand?.parentBrand !== undefined && { parent_brand: brand.parentBrand }),
    ...(house && { house_domain: house.domain, house_name: house.name }),
    ...(claimedHouseDomain !== undefined && { claimed_house_domain: claimedHouseDomain }),
    relationship_trust: trust,
    ...(!brand && brandIds.length > 0 && { brand_ids: brandIds }),
    ...(brandAgent && { brand_agent_url: brandAgent.url }),
    agents: agents.map(({ type, url, id }) => ({ type, url, id })),
    authorized_operators: operators.map(({ domain: operator, brands, countries, scopes }) => ({
      domain: operator,
      brands,
      ...(countries && { countries }),
      ...(scopes && { scopes }),
    })),
    ...(brand && { brand_manifest: brand.fields }),
    source: 'brand_json',
    live_brand_json: true,
  }
}

function nameOf(brand: BrandEntry | undefined): string | undefined {
  const [first] = brand?.names ?? []
  return first && (first.en ?? Object.values(first)[0])
}

function hostOf(url: string | undefined): string | undefined {
  return url !== undefined && URL.canParse(url) ? new URL(url).hostname.replace(/^www\./, '') : undefined
}
