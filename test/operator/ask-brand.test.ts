import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { operatorOn } from '../../src/compose/operator.ts'
import { askBrand } from '../../src/operator/brands/ask-brand.ts'
import { rotateSigningKeys } from '../../src/operator/identity/signing-keys.ts'
import { parseJson } from '../../src/platform/decode/parse-json.ts'
import { createSafeFetch } from '../../src/platform/net/safe-fetch.ts'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { saveBrands } from '../../src/store/brand/brands.ts'
import { BRANDS, START } from '../support/brand-agent.ts'
import { CLAIMS } from '../support/claims-agent.ts'
import { createAuthority } from '../support/fake-web/certificate.ts'
import { type FakeWeb, startFakeWeb } from '../support/fake-web/fake-web.ts'
import { performAs } from '../support/operator.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const HOST = 'ads.seller.example'
const BRAND_JSON = 'https://fable.example/.well-known/brand.json'
const authority = createAuthority()
const folder = mkdtempSync(join(tmpdir(), 'ask-brand-'))
let now = new Date(START)
let agent: TestAgent
let web: FakeWeb

beforeAll(async () => {
  const { cert, key } = authority.issue(HOST)
  writeFileSync(join(folder, 'cert.pem'), cert)
  writeFileSync(join(folder, 'key.pem'), key)
  const tls = { 'tls.cert': join(folder, 'cert.pem'), 'tls.key': join(folder, 'key.pem') }
  agent = await startAgent({ clock: () => now, contracts: loadContracts(), flags: { publicUrl: `https://${HOST}`, ...tls } })
  await agent.server.store.transaction((tx) => saveBrands(tx, agent.tenant, { ...BRANDS, claims: CLAIMS }, now))
  web = await startFakeWeb()
  web.put(BRAND_JSON, { authoritative_location: `https://${HOST}/t/acme/.well-known/brand.json` })
})
afterAll(async () => {
  await web?.close()
  await agent?.stop()
  rmSync(folder, { recursive: true, force: true })
})

/** The house hosts a file that points to ours; every other address is the agent. */
function instruments() {
  const ours = createSafeFetch({
    userAgent: 'test',
    mode: 'development',
    development: { port: agent.server.port },
    lookup: async () => ['127.0.0.1'],
    ca: authority.ca,
  })
  const theirs = web.fetch()
  const fetch: typeof ours = (url, request) => (new URL(url).hostname === HOST ? ours : theirs)(url, request)
  return { fetch, parseJson, clock: () => now }
}
const PARENT = { claim_type: 'parent', claim: { parent_domain: 'holding.example' } } as const

describe('the agent of another brand', () => {
  it('is found in the brand.json, asked, and trusted when the brand named its key', async () => {
    expect(await askBrand('fable.example', PARENT, instruments())).toMatchObject({
      agent_url: `https://${HOST}/t/acme/mcp`,
      verification_status: 'disputed',
      context_note: 'We left that group.',
      authorization: { trust: 'trusted', jwks_uri: `https://${HOST}/.well-known/jwks.json` },
    })
  })

  it('signs with the next key after a rotation, which is published by then', async () => {
    const operator = operatorOn(agent.server.store, agent.config, loadContracts())
    const before = await askBrand('fable.example', PARENT, instruments())
    const { items: rotations } = await performAs({ ...operator, clock: () => now }, '', rotateSigningKeys, { compromised: true })
    expect(rotations.map(({ purpose }) => purpose)).toContain('response-signing')
    now = new Date(now.getTime() + 60_000)
    const after = await askBrand('fable.example', PARENT, instruments())
    expect(after.authorization).toMatchObject({ trust: 'trusted' })
    expect(after.authorization?.kid).not.toBe(before.authorization?.kid)
  })

  it('is not believed for a brand that it does not answer for', async () => {
    web.put('https://other.example/.well-known/brand.json', {
      agents: [{ type: 'brand', id: 'other', url: `https://${HOST}/t/acme/mcp` }],
    })
    const confirmation = await askBrand('other.example', PARENT, instruments())
    expect(confirmation).toMatchObject({ verification_status: 'disputed', signature_fault: 'the answer is of another brand' })
    expect(confirmation).not.toHaveProperty('authorization')
  })

  it('is missing where the file names none', async () => {
    web.put('https://plain.example/.well-known/brand.json', { agents: [{ type: 'sales', id: 's', url: `https://${HOST}/mcp` }] })
    await expect(askBrand('plain.example', PARENT, instruments())).rejects.toThrow('names no agent of the type brand')
    await expect(askBrand('nowhere.example', PARENT, instruments())).rejects.toThrow('cannot be read')
  })
})
