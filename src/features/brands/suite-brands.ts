import { suiteBrand, suiteOffering, suiteRight } from '../../domain/compliance/suite-brands.ts'
import type { BrandRegistry, BrandSet } from './brand-registry.ts'

/**
 * Adds what the official suite asks for to a registry, for servers with `conformance`. Nothing is stored, so that the same data folder served
 * without it has none of this. A publisher without brands stays without.
 */
export function withSuiteBrands(registry: BrandRegistry): BrandRegistry {
  const extended = new WeakMap<BrandSet, BrandSet>()
  return {
    ...registry,
    async load(tenantId) {
      const own = await registry.load(tenantId)
      if (!own.house) return own
      const known = extended.get(own) ?? extend(own)
      extended.set(own, known)
      return known
    },
  }
}

function extend(own: BrandSet): BrandSet {
  return {
    house: own.house,
    claims: own.claims,
    brands: new Map([...own.brands, [suiteBrand.brand_id, suiteBrand]]),
    rights: [...own.rights, suiteRight],
    rightsById: new Map([...own.rightsById, [suiteRight.rights_id, suiteRight]]),
    offerings: [...own.offerings, suiteOffering],
    offeringsById: new Map([...own.offeringsById, [suiteOffering.offering_id, suiteOffering]]),
  }
}
