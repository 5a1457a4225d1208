import { writeFileSync } from 'node:fs'
import { startFakeWeb } from '../../test/support/fake-web/fake-web.ts'

// A web of small publishers: any host serves an adagents.json of three properties. The trust root goes to the file named.
const web = await startFakeWeb()
writeFileSync(process.argv[2] ?? '', web.ca)
web.fallback((url) => {
  const { hostname, pathname } = new URL(url)
  if (pathname !== '/.well-known/adagents.json') return undefined
  const properties = ['home', 'sport', 'news'].map((property_id) => ({
    property_id,
    property_type: 'website',
    name: property_id,
    identifiers: [{ type: 'domain', value: hostname }],
    tags: ['all'],
  }))
  const agents = [hostname.length % 7, hostname.charCodeAt(5) % 5].map((seller) => ({
    url: `https://seller-${seller}.example`,
    authorized_for: 'all',
    authorization_type: 'property_tags',
    property_tags: ['all'],
  }))
  return { properties, authorized_agents: agents }
})
// The list of requests served is for tests; here it would only grow.
setInterval(() => web.forgetRequests(), 1_000)
console.log(`port ${web.port}`)
