import {
  type AgentAddress,
  brandAgentEntry,
  brandJson,
  publisherBrandAgentEntry,
  publisherRightsAgentEntry,
} from '../identity/documents.ts'
import type { BrandDocument } from './brands-file.ts'
import type { BrandHouse } from './identity-document.ts'
import { presentIdentity } from './present-identity.ts'

/** What a publisher has imported of its brands. */
export interface PublisherBrands {
  readonly tenantId: string
  /** Undefined while there are no brands. */
  readonly house: BrandHouse | undefined
  readonly brands: Iterable<BrandDocument>
}

/**
 * The brand.json of a publisher: its house with this agent, and the brands that belong to the house, as everybody may see them (AdCP brand.json, House
 * Portfolio). A publisher without brands has the agent's own. The house hosts a copy, or a file whose `authoritative_location` is this one.
 */
export function publisherBrandJson(address: AgentAddress, { tenantId, house, brands }: PublisherBrands): object {
  const own = [...brands].filter((brand) => house !== undefined && (brand.house?.domain ?? house.domain) === house.domain)
  if (house === undefined || own.length === 0) return brandJson(address)
  return {
    version: '1.0',
    house: {
      ...house,
      agents: [
        brandAgentEntry(address),
        publisherBrandAgentEntry(address, tenantId),
        publisherRightsAgentEntry(address, tenantId),
      ],
    },
    brands: own.map((brand) => {
      const { brand_id: id, house: _house, available_fields: _more, ...shown } = presentIdentity(brand, { house, linked: false })
      return { id, ...shown, brand_agent: { url: address.agentUrl, id } }
    }),
  }
}
