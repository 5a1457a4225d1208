import { expect, it } from 'vitest'
import { pathAt, publisherIn } from '../../../src/security/auth/addressed-publisher.ts'
import { realmAt } from '../../../src/security/auth/challenge.ts'

it.each([
  ['/t/acme/mcp', 'acme'],
  ['/t/acme/mcp?x=/t/other/mcp', 'acme'],
  ['/t/acme/mcp/compact', 'acme'],
  ['/t/acme/a2a', 'acme'],
  ['/mcp', undefined],
  ['/mcp/compact', undefined],
  ['/t/acme', undefined],
  ['/t//mcp', undefined],
  ['/t/Acme/mcp', undefined],
  ['/x/t/acme/mcp', undefined],
])('%s is of %s', (target, publisher) => {
  expect(publisherIn(target)).toBe(publisher)
})

it('a challenge names the resource of the publisher at every one of its addresses', () => {
  const metadata = 'https://ads.example/.well-known/oauth-protected-resource'
  const realm = { agentUrl: 'https://ads.example/mcp', resourceMetadata: `${metadata}/mcp` }
  const ofAcme = { agentUrl: 'https://ads.example/t/acme/mcp', resourceMetadata: `${metadata}/t/acme/mcp` }
  for (const path of ['mcp', 'mcp/compact', 'a2a', 'mcp?x']) expect(realmAt(realm, `/t/acme/${path}`)).toEqual(ofAcme)
  expect(realmAt(realm, '/mcp/compact')).toEqual(realm)
})

it('the same path at another publisher', () => {
  expect(pathAt('/t/acme/mcp/compact?x', 'globex')).toBe('/t/globex/mcp/compact')
})
