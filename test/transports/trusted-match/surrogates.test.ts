import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type MatchProvider, offers, startMatchProvider } from '../../support/match-provider.ts'
import { contextRequest, identityRequest, registered, startTestRouter, type TestRouter } from '../../support/match-router.ts'

let provider: MatchProvider
let router: TestRouter
beforeAll(async () => {
  provider = await startMatchProvider(offers('p'))
  router = await startTestRouter([registered('one', provider)])
})
beforeEach(() => {
  provider.received.length = 0
})
afterAll(async () => {
  await router?.stop()
  await provider?.stop()
})

const identities = (user_token: string) => identityRequest({ identities: [{ user_token, uid_type: 'uid2' }] })

it.each([
  ['a token', '/identity', identities('tok\ud800')],
  ['a token, the second half', '/identity', identities('\udc00tok')],
  ['a consent string', '/identity', identityRequest({ consent: { gdpr: true, tcf_consent: 'C\ud83d' } })],
  ['consent of the United States', '/identity', identityRequest({ consent: { gpp: '\udfff' } })],
  ['a package', '/identity', identityRequest({ package_ids: ['p\ud800'] })],
  ['the id of a request', '/identity', identityRequest({ request_id: 'id-\ud800' })],
  ['a placement', '/context', contextRequest({ placement_id: 'side\ud800bar' })],
  ['a topic', '/context', contextRequest({ context_signals: { topics: ['\ud800'] } })],
  ['the name of a member', '/context', contextRequest({ 'x\ud800': 1 })],
])('half of a surrogate pair in %s is refused with 400, and nothing is sent', async (_name, path, body) => {
  const { status, text } = await router.post(path, body)
  expect([status, text]).toEqual([400, 'A text in the body has half of a surrogate pair.\n'])
  expect(provider.received).toEqual([])
})

it.each(['tok\u{1f92f}', 'tok\\u{d800}', 'tok\\ud800'])('a token with whole characters is matched: %j', async (token) => {
  const escaped = JSON.stringify(identities(token)).replace('\u{1f92f}', '\\ud83e\\udd2f')
  const { status, value } = await router.post('/identity', escaped)
  expect([status, value.eligible_package_ids]).toEqual([200, ['p']])
  expect(provider.received[0]?.body.identities).toEqual([{ user_token: token, uid_type: 'uid2' }])
})
