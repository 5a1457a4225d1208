import type { ConversationOffering, RightsOffering } from './brands-file.ts'
import type { ClaimType } from './claims.ts'
import type { ConversationCapabilities } from './conversation.ts'
import { ownCapabilities } from './conversation-capabilities.ts'
import type { RightType, RightUse } from './right-use.ts'

/** What a publisher's brand agent has, for what it declares. */
export interface BrandRoster {
  readonly hasBrands: boolean
  readonly rights: readonly RightsOffering[]
  readonly offerings: readonly ConversationOffering[]
  /** Types of claims that the house answers. */
  readonly claimTypes: readonly ClaimType[]
}

/** What a brand agent declares. */
interface BrandCapabilities {
  rights: boolean
  verify_brand_claim?: { supported_claim_types: ClaimType[] }
  right_types?: RightType[]
  available_uses?: RightUse[]
  generation_providers?: string[]
}

/** What a conversational agent declares. */
interface ConversationBlock {
  endpoint: { transports: { type: 'mcp' | 'a2a'; url: string }[]; preferred: 'mcp' | 'a2a' }
  capabilities: ConversationCapabilities
}

/** The `brand` block of the capabilities (AdCP get_adcp_capabilities); claims are asked from 3.1 on. */
export function brandCapabilities({ rights, claimTypes }: BrandRoster, later: boolean): BrandCapabilities {
  const types = unique(rights.flatMap(({ right_type: type }) => type ?? []))
  const providers = unique(
    rights.flatMap(({ clearance }) => clearance?.generation_providers?.map(({ provider }) => provider) ?? []),
  )
  return {
    rights: rights.length > 0,
    ...(later && claimTypes.length > 0 && { verify_brand_claim: { supported_claim_types: [...claimTypes] } }),
    ...(types.length > 0 && { right_types: types }),
    ...(rights.length > 0 && { available_uses: unique(rights.flatMap(({ available_uses: uses }) => uses)) }),
    ...(providers.length > 0 && { generation_providers: providers }),
  }
}

/** The `sponsored_intelligence` block: both transports, and what a conversation can hold. */
export function conversationCapabilities(origin: string, { offerings }: BrandRoster): ConversationBlock {
  const transports = [
    { type: 'mcp' as const, url: `${origin}/mcp` },
    { type: 'a2a' as const, url: `${origin}/a2a` },
  ]
  return {
    endpoint: { transports, preferred: 'mcp' },
    capabilities: ownCapabilities(offerings.some(({ checkout_url: checkout }) => checkout !== undefined)),
  }
}

function unique<T>(values: readonly T[]): T[] {
  return [...new Set(values)]
}
