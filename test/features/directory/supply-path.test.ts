import { afterAll, beforeAll, expect, it } from 'vitest'
import { judgeSupplyPath } from '../../../src/domain/directory/supply-path/supply-path.ts'
import { checkSupplyPath } from '../../../src/features/directory/supply-path.ts'
import { adsTxt, type FakeWeb, startFakeWeb, text, wellKnown } from '../../support/fake-web/fake-web.ts'

const AGENT = 'https://sales.owner.example'
const home = {
  property_id: 'home',
  property_type: 'website',
  name: 'Home',
  identifiers: [{ type: 'domain', value: 'host.example' }],
}
const grant = { url: AGENT, authorized_for: 'sales', authorization_type: 'property_ids', property_ids: ['home'] }
const collections = [{ publisher_domain: 'owner.example', collection_ids: ['films'] }]
const distribution = [{ publisher_domain: 'host.example', property_ids: ['home'] }]
const owner = {
  authorized_agents: [grant],
  collections: [{ collection_id: 'films', name: 'Films', kind: 'channel', distribution }],
}
const host = { properties: [home], authorized_agents: [{ ...grant, collections }] }

const asked = { ownerDomain: 'owner.example', hostDomain: 'host.example', agentUrl: AGENT }
const judge = (more: object) =>
  judgeSupplyPath({
    ...asked,
    collectionId: 'films',
    ownerManifest: owner,
    hostManifest: host,
    hostInventoryPartnerDomains: null,
    ...more,
  })

let web: FakeWeb
beforeAll(async () => {
  web = await startFakeWeb()
})
afterAll(() => web.close())

it('owner and host have to name the agent, and the host the collection, or something weaker holds', () => {
  expect(judge({})).toMatchObject({ state: 'verified_owner_sold', resolved_collection_id: 'films' })
  const withoutCollections = { ...host, authorized_agents: [grant] }
  expect(judge({ hostManifest: withoutCollections })).toMatchObject({
    state: 'owner_attested',
    legs: { host_authorization: { ok: false, failure: 'collection_scope_mismatch' } },
  })
  expect(judge({ hostManifest: null, hostInventoryPartnerDomains: ['Owner.example'] }).state).toBe('host_delegated')
  expect(judge({ collectionId: 'series' }).state).toBe('unverified')
})

it('a grant for fewer properties than carry the collection is none', () => {
  const second = { ...home, property_id: 'second' }
  const carried = [{ publisher_domain: 'host.example', property_ids: ['home', 'second'] }]
  const wider = { ...owner, collections: [{ ...owner.collections[0], distribution: carried }] }
  expect(judge({ ownerManifest: wider, hostManifest: { ...host, properties: [home, second] } })).toMatchObject({
    state: 'owner_attested',
    legs: { owner_distribution_carriage: { ok: true }, host_authorization: { failure: 'property_scope_mismatch' } },
  })
})

it('what it cannot evaluate grants nothing, and an input beyond the limits is refused', () => {
  const limited = { ...host, authorized_agents: [{ ...grant, collections, countries: ['FR'] }] }
  expect(judge({ hostManifest: limited }).legs.host_authorization).toEqual({ ok: false, failure: 'unsupported_constraints' })
  const timed = { ...owner, authorized_agents: [{ ...grant, effective_until: '2030-01-01T00:00:00Z' }] }
  expect(judge({ ownerManifest: timed }).legs.owner_agent_declared).toEqual({ ok: false, failure: 'unsupported_constraints' })
  const huge = { ...host, properties: Array.from({ length: 1025 }, () => home) }
  expect(judge({ hostManifest: huge }).legs.host_authorization).toEqual({ ok: false, failure: 'evaluation_limit_exceeded' })
})

it('revocations in the form of the schema count, of either party', () => {
  const revoked = (publisher_domain: string) => [{ publisher_domain, revoked_at: '2026-01-01T00:00:00Z' }]
  const byHost = { ...host, revoked_publisher_domains: revoked('owner.example') }
  expect(judge({ hostManifest: byHost, hostInventoryPartnerDomains: ['owner.example'] }).state).toBe('owner_attested')
  const byOwner = { ...owner, revoked_publisher_domains: revoked('owner.example') }
  expect(judge({ ownerManifest: byOwner }).state).toBe('unverified')
})

it('is judged from what the two domains serve, after a pointer too', async () => {
  web.put(wellKnown('owner.example'), owner)
  web.put(wellKnown('host.example'), { authoritative_location: 'https://files.example/host.json' })
  web.put('https://files.example/host.json', host)
  web.put(adsTxt('host.example'), text('InventoryPartnerDomain=owner.example # films\n'))
  const check = () => checkSupplyPath({ ...asked, ownerDomain: 'Owner.example' }, { fetch: web.fetch() })
  // A file that lies with somebody else has to name whose its properties are.
  expect(await check()).toMatchObject({ state: 'host_delegated', legs: { inventory_partner_domain: { ok: true } }, unread: [] })
  web.put('https://files.example/host.json', { ...host, properties: [{ ...home, publisher_domain: 'host.example' }] })
  expect(await check()).toMatchObject({
    state: 'verified_owner_sold',
    owner_domain: 'owner.example',
    legs: { inventory_partner_domain: { ok: true } },
  })
  web.remove(wellKnown('owner.example'))
  expect(await check()).toMatchObject({ state: 'unverified', unread: ['owner.example: there is no file (404)'] })
  await expect(checkSupplyPath({ ...asked, ownerDomain: 'no domain' }, { fetch: web.fetch() })).rejects.toMatchObject({
    code: 'INVALID_REQUEST',
    field: 'owner_domain',
  })
})
