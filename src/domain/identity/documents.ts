import type { PropertyDocument } from '../directory/property-document.ts'

/** Where the public reaches this agent; only https addresses can be published (brand.json and adagents.json require them). */
export interface AgentAddress {
  /** `https://ads.example.com/mcp`. */
  readonly agentUrl: string
  /** `https://ads.example.com`. */
  readonly origin: string
}

/** The entry of this agent in `agents[]` of a brand.json. The URL is what buyers compare byte for byte. */
export interface BrandAgentEntry {
  readonly type: 'sales'
  readonly id: string
  readonly url: string
  readonly jwks_uri: string
  readonly description: string
}

/** What of a publisher goes into its adagents.json. */
export interface PublisherFacts {
  readonly name: string
  readonly domain: string
  readonly properties: readonly PropertyDocument[]
}

const DESCRIPTION = 'Sells the inventory of its publishers over AdCP'

/** The brand.json entry of this agent (AdCP brand.json, `brand_agent_entry`). */
export function brandAgentEntry({ agentUrl, origin }: AgentAddress): BrandAgentEntry {
  return {
    type: 'sales',
    id: `sales_${new URL(origin).hostname.replace(/[^a-z0-9]+/g, '_')}`.slice(0, 100),
    url: agentUrl,
    jwks_uri: jwksUriOf({ origin }),
    description: DESCRIPTION,
  }
}

/** Where a publisher's brand agent is: at an address of its own, since no two entries of a brand.json may have one URL (AdCP key discovery). */
export function brandAgentUrl({ origin }: Pick<AgentAddress, 'origin'>, tenantId: string): string {
  return `${origin}/t/${tenantId}/mcp`
}

/** The brand.json entry of a publisher's brand agent (AdCP brand.json, `brand_agent_entry`). */
export function publisherBrandAgentEntry({ origin }: Pick<AgentAddress, 'origin'>, tenantId: string): object {
  return {
    type: 'brand',
    id: `brand_${tenantId.replace(/[^a-z0-9]+/g, '_')}`.slice(0, 100),
    url: brandAgentUrl({ origin }, tenantId),
    jwks_uri: jwksUriOf({ origin }),
    description: 'Answers for the brands of the house',
  }
}

/** The agent that grants the rights of a publisher's brands, as its brand.json names it: what it attests is verified by the keys of this entry. */
export function rightsAgent(
  { origin }: Pick<AgentAddress, 'origin'>,
  tenantId: string,
): { readonly url: string; readonly id: string } {
  return { url: `${origin}/t/${tenantId}/rights/mcp`, id: `rights_${tenantId.replace(/[^a-z0-9]+/g, '_')}`.slice(0, 100) }
}

/** The brand.json entry of the agent that grants rights (AdCP brand.json, `brand_agent_entry`). */
export function publisherRightsAgentEntry({ origin }: Pick<AgentAddress, 'origin'>, tenantId: string): object {
  return {
    type: 'rights',
    ...rightsAgent({ origin }, tenantId),
    jwks_uri: jwksUriOf({ origin }),
    description: 'Grants rights in the brands of the house, and attests what it granted',
  }
}

/** A brand.json that holds nothing but this agent: what it serves itself, for an operator whose brand has no file of its own. */
export function brandJson(address: AgentAddress): object {
  return { version: '1.0', agents: [brandAgentEntry(address)] }
}

/**
 * The adagents.json that lets this agent sell a publisher's properties: those that it imported, or its domain as a website while
 * it imported none (AdCP adagents.json).
 */
export function adagentsJson(
  { agentUrl }: Pick<AgentAddress, 'agentUrl'>,
  { name, domain, properties }: PublisherFacts,
): Readonly<Record<string, unknown>> {
  const listed: readonly PropertyDocument[] =
    properties.length > 0
      ? properties
      : [{ property_id: 'site', property_type: 'website', name, identifiers: [{ type: 'domain', value: domain }] }]
  return {
    contact: { name, domain },
    properties: listed,
    authorized_agents: [
      {
        url: agentUrl,
        authorized_for: `Everything that ${name} sells`,
        authorization_type: 'property_ids',
        property_ids: listed.map((property) => property.property_id),
        delegation_type: 'direct',
      },
    ],
  }
}

/** Where the agent's public keys are. */
export function jwksUriOf({ origin }: Pick<AgentAddress, 'origin'>): string {
  return `${origin}/.well-known/jwks.json`
}

/** Where the agent serves its brand.json. */
export function brandJsonUrlOf({ origin }: Pick<AgentAddress, 'origin'>): string {
  return `${origin}/.well-known/brand.json`
}
