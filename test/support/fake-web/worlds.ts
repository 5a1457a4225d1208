/** The largest network seen in the wild, by its shape: one selector over thousands of domains, a few more properties than domains. */
export interface NetworkShape {
  readonly agent: string
  readonly domains: number
  readonly properties: number
}

export const LARGEST_NETWORK: NetworkShape = { agent: 'https://interchange.example', domains: 6_800, properties: 6_843 }

export const networkDomain = (index: number): string => `site-${String(index).padStart(5, '0')}.network.example`

/**
 * A manager's file: one `by_tag` selector naming every domain, one website property for each (the first few domains get a
 * second), 24-hex ids. About 2.6 MB at the size of the largest network.
 */
export function managedNetwork(shape: NetworkShape): object {
  const domains = Array.from({ length: shape.domains }, (_, index) => networkDomain(index))
  return {
    $schema: 'https://adcontextprotocol.org/schemas/v3/adagents.json',
    contact: { name: 'Network' },
    properties: Array.from({ length: shape.properties }, (_, index) => {
      const domain = domains[index % domains.length]
      return {
        property_id: (0x5f0000000000 + index * 7_919).toString(16).padStart(24, '5f3a'),
        property_type: 'website',
        name: `Property ${index} of the managed network, as its publisher calls it in public`,
        identifiers: [{ type: 'domain', value: domain }],
        tags: ['network_managed'],
        supported_channels: ['display', 'olv'],
        publisher_domain: domain,
      }
    }),
    tags: { network_managed: { name: 'Managed', description: 'Every property that the network manages.' } },
    authorized_agents: [
      {
        url: shape.agent,
        authorized_for: 'Programmatic sales of the managed network',
        authorization_type: 'publisher_properties',
        publisher_properties: [{ selection_type: 'by_tag', property_tags: ['network_managed'], publisher_domains: domains }],
      },
    ],
    last_updated: '2026-02-01T00:00:00Z',
  }
}
