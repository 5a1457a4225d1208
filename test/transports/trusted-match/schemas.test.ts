import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { contractFolder } from '../../../src/protocol/contract-source.ts'
import { matchSchemas } from '../../../src/protocol/match-schemas.ts'
import { matchOnPage } from '../../support/match-page.ts'
import { type MatchProvider, offers, startMatchProvider } from '../../support/match-provider.ts'
import {
  contextRequest,
  identityRequest,
  registered,
  SELLER,
  startTestRouter,
  type TestRouter,
} from '../../support/match-router.ts'
import { type ReferenceProvider, sha256, startReferenceProvider } from '../../support/trusted-match-provider.ts'

const schemas = matchSchemas()
/** Schemas that a message of this file was judged by. */
const used = new Set<string>()
const faultsOf = (name: string, value: unknown) => {
  used.add(`${name}.json`)
  return schemas.validator(`trusted-match/${name}.json`)(value)
}

const OFFER = { package_id: 'p', price: { amount: 2, currency: 'EUR', model: 'cpm' } }
const CHUNK = { slot_id: 'primary', value: 'kid.abc' }
let behind: MatchProvider
let router: TestRouter
let reference: ReferenceProvider

beforeAll(async () => {
  behind = await startMatchProvider((received, response) => ({
    ...offers('p')(received, response),
    ...(received.path.endsWith('/context')
      ? { offers: [OFFER], signals: { segments: ['s'], targeting_kvs: [{ key: 'k', value: 'v' }] } }
      : { tmpx_chunks: [CHUNK] }),
  }))
  router = await startTestRouter([registered('one', behind, { tmpx_slots: ['primary'] })])
  reference = await startReferenceProvider({
    sellers: [{ agentUrl: SELLER, keys: [{ sha256: sha256('sync-key') }] }],
    packages: [{ packageId: 'p', sellerAgentUrl: SELLER, mediaBuyId: 'mb' }],
  })
})
afterAll(async () => {
  await router?.stop()
  await behind?.stop()
  await reference?.stop()
})

it('contexts: what a router sends and answers, and what a provider answers', async () => {
  const { value } = await router.post('/context', contextRequest())
  expect(faultsOf('context-match-request', behind.received.at(-1)?.body)).toEqual([])
  expect(faultsOf('context-match-response', value)).toEqual([])
  expect(value.offers).toEqual([OFFER])
  expect(faultsOf('offer', value.offers[0])).toEqual([])
  expect(faultsOf('offer-price', value.offers[0].price)).toEqual([])
  const mapping = { one: { k: 'destination' } }
  expect(faultsOf('publisher-targeting-kv-config', { targeting_kv_mapping: mapping })).toEqual([])
  expect((await matchOnPage({ context: value }, { targetingMapping: mapping })).targeting).toEqual({ destination: ['v'] })
  const answer = await reference.ask('/context', contextRequest())
  expect(faultsOf('provider-context-match-response', answer.value)).toEqual([])
})

it('users: what a router sends and answers, and what a provider answers', async () => {
  const { value } = await router.post('/identity', identityRequest())
  expect(faultsOf('identity-match-request', behind.received.at(-1)?.body)).toEqual([])
  expect(faultsOf('identity-match-response', value)).toEqual([])
  expect(faultsOf('tmpx-chunk', value.tmpx_providers.one.chunks[0])).toEqual([])
  const mapping = { one: { primary: 'TMPX' } }
  expect(faultsOf('publisher-tmpx-config', { tmpx_macro_mapping: mapping })).toEqual([])
  expect((await matchOnPage({ identity: value }, { tmpxMapping: mapping })).tokens).toEqual({ TMPX: 'kid.abc' })
  const answer = await reference.ask('/identity', identityRequest({ consent: { gdpr: false } }))
  expect(faultsOf('provider-identity-match-response', answer.value)).toEqual([])
})

it('errors, registrations and packages of a sync', async () => {
  const { value } = await router.post('/context', contextRequest({ identities: [] }))
  expect(faultsOf('error', value)).toEqual([])
  expect(faultsOf('provider-registration', registered('one', behind))).toEqual([])
  const available = { package_id: 'p', media_buy_id: 'mb', seller_agent: { agent_url: SELLER } }
  expect(faultsOf('available-package', available)).toEqual([])
  expect((await reference.sync('sync-key', [available])).value).toEqual({ accepted: 1, errors: [] })
  const { seller_agent: _seller, ...broken } = available
  expect(faultsOf('available-package', broken)).not.toEqual([])
  expect((await reference.sync('sync-key', [broken])).status).toBe(400)
})

it('leaves out no schema of Trusted Match', () => {
  expect([...used].sort()).toEqual(readdirSync(join(contractFolder('3.2'), 'trusted-match')).sort())
})
