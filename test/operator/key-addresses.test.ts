import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from 'vitest'
import { performHere } from '../../src/cli/operate.ts'
import { operatorOn } from '../../src/compose/operator.ts'
import { addSigningKeys, listSigningAgents } from '../../src/operator/buyers/signing-keys.ts'
import { listIssuers, trustIssuer } from '../../src/operator/jwt-issuers/trust-issuer.ts'
import type { OperatorContext } from '../../src/operator/operator-context.ts'
import { addressSeals } from '../../src/security/secrets/sealed-address.ts'
import { sealKeyAddresses } from '../../src/store/identity/key-addresses.ts'
import { AGENT_URL, callText, post, signed, signingKey } from '../support/credentials.ts'
import { type FakeWeb, json, startFakeWeb } from '../support/fake-web/fake-web.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

const SECRET = 'plant-of-the-key-host'
const KEYS = 'https://keys.example.com/jwks.json'
const ISSUER = 'https://login.example'

let web: FakeWeb
beforeAll(async () => {
  web = await startFakeWeb()
})
afterAll(() => web.close())

let agent: TestAgent
let operator: OperatorContext
beforeEach(async () => {
  agent = await startAgent({ safeFetch: web.fetch() })
  operator = operatorOn(agent.server.store, agent.config)
})
afterEach(() => agent.stop())

const addKeys = (url: string) =>
  performHere(operator, 'acme', addSigningKeys, { buyer: 'signer', url: AGENT_URL, jwks_uri: url, scopes: 'adcp:*' })
const trust = () =>
  performHere(operator, 'acme', trustIssuer, {
    issuer: ISSUER,
    audience: 'https://ads.example',
    jwks_uri: `${ISSUER}/jwks?code=${SECRET}`,
  })

/** Every text of the tables that hold what was sent. */
async function stored(): Promise<string> {
  const { read } = agent.server.store
  const rows = await Promise.all([
    read.selectFrom('agent_key_sources').selectAll().execute(),
    read.selectFrom('jwt_issuers').selectAll().execute(),
    read.selectFrom('audit_log').selectAll().execute(),
    read.selectFrom('audit_entries').selectAll().execute(),
  ])
  return JSON.stringify(rows)
}

async function statusOfSigned(key: ReturnType<typeof signingKey>): Promise<number> {
  const body = callText('list_accounts')
  return (await post(agent.url, body, await signed(agent.url, body, key.signer))).status
}

it('an address of public keys has no fragment, which nobody is ever asked with', async () => {
  for (const url of [`${KEYS}#${SECRET}`, `${KEYS}?a=b#${SECRET}`, `${KEYS}#`]) {
    const refused = await addKeys(url).catch((error: unknown) => error)
    expect(refused).toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'jwks_uri',
      message: expect.stringContaining('has a fragment'),
    })
    expect(String(refused)).not.toContain(SECRET)
  }
  const issuer = { issuer: ISSUER, audience: 'https://ads.example', jwks_uri: `${ISSUER}/jwks#${SECRET}` }
  await expect(performHere(operator, 'acme', trustIssuer, issuer)).rejects.toThrow('jwks_uri has a fragment')
  expect(await stored()).not.toContain(SECRET)
})

it('the query of an address of public keys is asked with, and neither stored in plain text nor shown', async () => {
  const key = signingKey('k1')
  web.put(`${KEYS}?key=${SECRET}`, json({ keys: [key.jwk] }))
  expect(JSON.stringify(await addKeys(`${KEYS}?key=${SECRET}`))).not.toContain(SECRET)
  expect(await trust()).toMatchObject({ jwks_uri: `${ISSUER}/jwks` })
  expect(await statusOfSigned(key)).toBe(200)
  const text = await stored()
  expect(text).toContain(KEYS)
  expect(text).not.toContain(SECRET)
  const shown = [await performHere(operator, 'acme', listIssuers, {}), await performHere(operator, 'acme', listSigningAgents, {})]
  expect(JSON.stringify(shown)).toContain(KEYS)
  expect(JSON.stringify(shown)).not.toContain(SECRET)
})

it('addresses of before are parted at the next start', async () => {
  const key = signingKey('k1')
  web.put(`${KEYS}?key=${SECRET}`, json({ keys: [key.jwk] }))
  await addKeys(KEYS)
  await trust()
  await agent.server.store.transaction(async (tx) => {
    await tx
      .updateTable('agent_key_sources')
      .set({ value: `${KEYS}?key=${SECRET}`, query: null })
      .execute()
    await tx
      .updateTable('jwt_issuers')
      .set({ jwks_uri: `${ISSUER}/jwks?code=${SECRET}`, jwks_query: null })
      .execute()
  })
  expect(await stored()).toContain(SECRET)
  const { address } = addressSeals(await operator.services.webhookBox())
  await agent.server.store.transaction((tx) => sealKeyAddresses(tx, address))
  expect(await stored()).not.toContain(SECRET)
  expect(await statusOfSigned(key)).toBe(200)
})

it('an address with a user’s name or password is refused, and stored nowhere', async () => {
  await expect(addKeys(`https://user:${SECRET}@keys.example.com/jwks`)).rejects.toMatchObject({ field: 'jwks_uri' })
  expect(await stored()).not.toContain(SECRET)
})

it('a key that another agent signs with is refused at every publisher, and its own agent may register it again', async () => {
  const key = signingKey('k1')
  const jwks = { keys: [key.jwk] }
  const register = (buyer: string, url: string, kid = 'k1') =>
    performHere(operator, 'acme', addSigningKeys, { buyer, url, jwks: { keys: [{ ...key.jwk, kid }] }, scopes: 'adcp:*' })
  await register('signer', AGENT_URL)
  for (const kid of ['k1', 'renamed'])
    await expect(register('copier', 'https://copier.example/mcp', kid)).rejects.toMatchObject({
      code: 'INVALID_REQUEST',
      field: 'jwks',
      message: expect.not.stringContaining(AGENT_URL),
    })
  expect(await performHere(operator, 'acme', addSigningKeys, { buyer: 'signer', jwks })).toMatchObject({ kind: 'jwks' })
  expect(await statusOfSigned(key)).toBe(200)
})

it('an agent is named without a query', async () => {
  const named = { buyer: 'signer', url: `${AGENT_URL}?k=${SECRET}`, jwks_uri: KEYS }
  await expect(performHere(operator, 'acme', addSigningKeys, named)).rejects.toThrow('url names the agent, for all to see')
})
