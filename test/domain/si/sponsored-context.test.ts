import { expect, it } from 'vitest'
import { sponsoredContext } from '../../../src/domain/si/sponsored-context.ts'

it.each([
  ['heron_tea', { domain: 'fable.example', brand_id: 'heron_tea' }],
  // core/brand-id.json takes neither a dot nor a hyphen.
  ['test.example', { domain: 'fable.example' }],
  ['heron-tea', { domain: 'fable.example' }],
  [undefined, { domain: 'fable.example' }],
])('the brand %s pays', (brandId, brand) => {
  const sponsor = { brandId, name: 'Heron', domain: 'fable.example', agentUrl: 'https://seller.example/mcp' }
  expect(sponsoredContext(sponsor, 1, new Date()).paying_principal).toEqual({ brand, display_name: 'Heron' })
})
