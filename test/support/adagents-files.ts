/** The agent that files of tests authorise. */
export const AGENT = 'https://agent.example/mcp'

/** A property of a file, by the id `home`. */
export const property = (fields: object = {}) => ({
  property_type: 'website',
  name: 'Site',
  identifiers: [{ type: 'domain', value: 'x.example' }],
  property_id: 'home',
  ...fields,
})

/** An entry that authorises {@link AGENT} for `home`. */
export const grant = (fields: object = {}) => ({
  url: AGENT,
  authorized_for: 'all',
  authorization_type: 'property_ids',
  property_ids: ['home'],
  ...fields,
})

/** A publisher's own file. */
export const ownFile = (fields: object = {}) => ({ properties: [property()], authorized_agents: [grant()], ...fields })

/** A manager's file for the publishers of these domains. */
export const network = (domains: readonly string[], fields: object = {}) => ({
  properties: domains.map((publisher_domain) => property({ publisher_domain })),
  authorized_agents: [grant()],
  ...fields,
})
