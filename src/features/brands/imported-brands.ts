import { LRUCache } from 'lru-cache'
import type { BrandDocument, ConversationOffering, RightsOffering } from '../../domain/brand/brands-file.ts'
import type { BrandClaims } from '../../domain/brand/claims.ts'
import type { BrandHouse } from '../../domain/brand/identity-document.ts'
import type { BrandRegistry, BrandSet } from './brand-registry.ts'

/** Where the imported brands lie. */
export interface BrandFiles {
  /** Grows with every import. */
  revision(tenantId: string): Promise<number>
  load(tenantId: string): Promise<{
    readonly revision: number
    readonly house: BrandHouse | undefined
    readonly brands: readonly BrandDocument[]
    readonly rights: readonly RightsOffering[]
    readonly offerings: readonly ConversationOffering[]
    readonly claims: BrandClaims | undefined
  }>
  /** A secret text that follows from this deployment's secret and a name. */
  readonly secretFor: (name: string) => string
}

/** Publishers whose import is cached. */
const MAX_CACHED = 64

/**
 * The default registry: the brands that the publisher imported. Keys follow from the deployment's secret; no provider receives them, so a
 * provider that shall honour them has to be connected first.
 */
export function createImportedBrands(files: BrandFiles): BrandRegistry {
  const cache = new LRUCache<string, { revision: number; brandSet: BrandSet }>({ max: MAX_CACHED })
  return {
    name: 'imported brands',
    description: 'Built-in: the brands, rights and offerings of the import file. Keys are made here and given to no provider.',
    simulated: true,
    async load(tenantId) {
      const known = cache.get(tenantId)
      if (known && known.revision === (await files.revision(tenantId))) return known.brandSet
      const { revision, house, brands, rights, offerings, claims } = await files.load(tenantId)
      const brandSet: BrandSet = {
        brands: new Map(brands.map((brand) => [brand.brand_id, brand])),
        house,
        rights,
        rightsById: new Map(rights.map((right) => [right.rights_id, right])),
        offerings,
        claims,
        offeringsById: new Map(offerings.map((offering) => [offering.offering_id, offering])),
      }
      cache.set(tenantId, { revision, brandSet })
      return brandSet
    },
    keyFor: (grantId, version, provider) => `rk_${files.secretFor(JSON.stringify([grantId, version, provider]))}`,
  }
}
