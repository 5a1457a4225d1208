/** What a host may do with what a brand's agent returns (AdCP 3.1, si-context-use.json). */
export type ContextUse = 'presentation_only' | 'comparison_set'

/** Who pays for what a host is given, and which disclosure it owes for it (AdCP 3.1, sponsored-intelligence/si-sponsored-context.json). */
export interface SponsoredContext {
  readonly paying_principal: {
    readonly brand: { readonly domain: string; readonly brand_id?: string }
    readonly display_name: string
  }
  readonly context_use: ContextUse
  readonly disclosure_obligation: {
    readonly required: true
    readonly label_text: string
    readonly timing: 'near_each_influenced_output'
    readonly proximity: 'near_rendered_unit'
  }
  readonly declared_at: string
  readonly declared_by: { readonly role: 'brand_agent'; readonly agent_url?: string }
}

/** Facts of a declaration: the brand that pays, by its name and the domain of its house, and the agent that says so. */
export interface Sponsor {
  readonly brandId: string | undefined
  readonly name: string
  readonly domain: string
  readonly agentUrl: string
}

/**
 * The declaration of an answer: products side by side are there to be compared, anything else is only to be shown. Everything that a brand's agent says is
 * paid for, so it always has to be labelled. Agents without https, as on a developer's machine, are not named.
 */
export function sponsoredContext({ brandId, name, domain, agentUrl }: Sponsor, products: number, now: Date): SponsoredContext {
  return {
    paying_principal: { brand: brandRef(domain, brandId), display_name: name },
    context_use: products > 1 ? 'comparison_set' : 'presentation_only',
    disclosure_obligation: {
      required: true,
      label_text: `Sponsored by ${name}`,
      timing: 'near_each_influenced_output',
      proximity: 'near_rendered_unit',
    },
    declared_at: now.toISOString(),
    declared_by: { role: 'brand_agent', ...(agentUrl.startsWith('https://') && { agent_url: agentUrl }) },
  }
}

/** The form of core/brand-id.json. */
const BRAND_ID = /^[a-z0-9_]+$/

/** The brand by its house; a brand whose id has another form, such as a domain, is told by its name alone. */
function brandRef(domain: string, brandId: string | undefined): SponsoredContext['paying_principal']['brand'] {
  return { domain, ...(brandId !== undefined && BRAND_ID.test(brandId) && { brand_id: brandId }) }
}
