import { createHash } from 'node:crypto'
import canonicalize from 'canonicalize'
import { describe, expect, it } from 'vitest'
import { byUtf8Bytes } from '../../../src/domain/trusted-match/byte-order.ts'
import { consentFault, consentOf, mayMatch } from '../../../src/domain/trusted-match/identity/consent.ts'
import { forwardedIdentity } from '../../../src/domain/trusted-match/identity/forwarded-identity.ts'
import type { IdentityRequest } from '../../../src/domain/trusted-match/identity/identity-messages.ts'
import {
  identitiesHash,
  identityCacheKey,
  identitySignatureBase,
  identitySignatureBases,
  sealedCredentialsHash,
} from '../../../src/domain/trusted-match/identity/identity-signature-base.ts'
import { mergeIdentity } from '../../../src/domain/trusted-match/identity/merge-identity.ts'
import { readConsent } from '../../../src/platform/decode/consent.ts'
import { matchOnPage } from '../../support/match-page.ts'

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex')
const REQUEST: IdentityRequest = {
  type: 'identity_match_request',
  request_id: 'id-1',
  seller_agent_url: 'https://seller.example/mcp',
  identities: [
    { user_token: 'u', uid_type: 'uid2' },
    { user_token: 'i', uid_type: 'id5' },
  ],
  country: 'US',
}
const PROVIDER = {
  provider_id: 'a',
  endpoint: 'https://a.example',
  identity_match: true,
  countries: ['US'],
  uid_types: ['id5', 'euid'],
}
const answer = (
  providerId: string,
  window: number,
  ids: readonly string[],
  slots: readonly string[],
  sent: readonly string[],
) => ({
  providerId,
  slots,
  response: {
    request_id: 'id-1',
    eligible_package_ids: ids,
    serve_window_sec: window,
    ...(sent.length > 0 && { tmpx_chunks: sent.map((slot_id) => ({ slot_id, value: `${providerId}-${slot_id}` })) }),
  },
})

/** Strings of the IAB's own library: consent to purposes 1 and 4, and to 1 and 2. */
const TCF_MATCH = 'CQdWToAQdWToAAKAAAENAAFgAJAAAAAAAAAAAAAAAAAA.IAAA.YAAAAAAAAAAA'
const TCF_STORAGE = 'CQdWToAQdWToAAKAAAENAAFgAMAAAAAAAAAAAAAAAAAA.IAAA.YAAAAAAAAAAA'

describe('identity match', () => {
  it('signs the hash of the RFC 8785 form', () => {
    const identities = '[{"uid_type":"id5","user_token":"i"},{"uid_type":"uid2","user_token":"u"}]'
    expect(identitySignatureBase(REQUEST, 'https://a.example/v1/', 20_000)).toBe(
      sha256(
        `{"consent":null,"daily_epoch":20000,"identities_hash":"${sha256(identities)}","package_ids":null,"provider_endpoint_url":"https://a.example/v1","request_id":"id-1","sealed_credentials_hash":null,"seller_agent_url":"https://seller.example/mcp","type":"identity_match_request"}`,
      ),
    )
  })

  it.each<Partial<IdentityRequest>>([
    {},
    { consent: { tcf_consent: 'a"b\\c\u0000\u{1f92f}', gpp: '', b: 2, a: [1.5, null, { z: 1, y: 'é' }] } },
    { package_ids: ['\u{1f92f}', '\uffee', 'b,"', 'a'] },
    { request_id: '"}\n', sealed_credentials: [{ audience_kid: 'k', payload: 'k.x' }] },
  ])('signs the RFC 8785 form of the whole for each provider: %j', (change) => {
    const request = { ...REQUEST, ...change }
    const baseOf = identitySignatureBases(request, 20_000)
    for (const endpoint of ['https://a.example/v1', 'https://b.example:8443/"\u{1f92f}']) {
      const whole = canonicalize({
        type: 'identity_match_request',
        request_id: request.request_id,
        seller_agent_url: 'https://seller.example/mcp',
        identities_hash: identitiesHash(request.identities),
        consent: request.consent ?? null,
        package_ids: request.package_ids?.toSorted(byUtf8Bytes) ?? null,
        sealed_credentials_hash: sealedCredentialsHash(request.sealed_credentials),
        provider_endpoint_url: endpoint,
        daily_epoch: 20_000,
      })
      expect(baseOf(endpoint)).toBe(sha256(whole ?? ''))
    }
  })

  it('hashes tokens once, in any order, with their proof', () => {
    const [uid2, id5] = REQUEST.identities
    if (!uid2 || !id5) throw new Error('the request has two identities')
    expect(identitiesHash([id5, uid2, { ...id5 }])).toBe(identitiesHash(REQUEST.identities))
    const proven = { ...uid2, attestation: { scheme: 'x"', claims: ['b', 'a'], proof: { 10: 1, 9: 2 } } }
    expect(identitiesHash([proven, id5])).toBe(sha256(canonicalize([id5, proven]) ?? ''))
    expect(sealedCredentialsHash([])).toBeNull()
  })

  it.each([
    { identities: [{ user_token: 'u', uid_type: 'uid2' }] },
    { consent: {} },
    { package_ids: ['p'] },
    { sealed_credentials: [{ audience_kid: 'k', payload: 'k.x' }] },
    { seller_agent_url: 'https://other.example/mcp' },
  ])('repeats no answer when %j differs', (change) => {
    expect(identityCacheKey('a', { ...REQUEST, ...change })).not.toBe(identityCacheKey('a', REQUEST))
  })

  it('forwards only tokens of the types that a provider registered, without the country', () => {
    const { country, ...rest } = REQUEST
    expect(forwardedIdentity(PROVIDER, REQUEST)).toEqual({ ...rest, identities: [{ user_token: 'i', uid_type: 'id5' }] })
    expect(forwardedIdentity({ ...PROVIDER, uid_types: ['euid'] }, REQUEST)).toBeUndefined()
    expect(forwardedIdentity({ ...PROVIDER, countries: ['DE'] }, REQUEST)).toBeUndefined()
    expect(forwardedIdentity({ ...PROVIDER, status: 'inactive' }, REQUEST)).toBeUndefined()
    expect(forwardedIdentity(PROVIDER, rest)).toBeUndefined()
    expect(country).toBe('US')
  })

  it('merges what any provider calls eligible under the shortest window', () => {
    const merged = mergeIdentity('id-1', [answer('a', 60, ['p', 'q'], [], []), answer('b', 20, ['q', 'r'], [], [])])
    expect(merged).toMatchObject({ eligible_package_ids: ['p', 'q', 'r'], serve_window_sec: 20 })
    expect(mergeIdentity('id-1', [])).toMatchObject({ eligible_package_ids: [], serve_window_sec: 60 })
  })

  it.each([
    { slots: ['one', 'two'], sent: ['one'], passes: true },
    { slots: ['one', 'two'], sent: ['one', 'two'], passes: true },
    { slots: ['one', 'two'], sent: ['two'], passes: false },
    { slots: ['one', 'two'], sent: ['two', 'one'], passes: false },
    { slots: ['one', 'two'], sent: ['one', 'one'], passes: false },
    { slots: ['one'], sent: ['one', 'two'], passes: false },
    { slots: [], sent: ['one'], passes: false },
  ])('exposure tokens of slots $sent for $slots pass: $passes', ({ slots, sent, passes }) => {
    const merged = mergeIdentity('id-1', [answer('__proto__', 60, [], slots, sent)])
    expect(Object.hasOwn(merged.tmpx_providers ?? {}, '__proto__')).toBe(passes)
  })

  it('uses none of the tokens of a provider with one slot that the publisher does not know', async () => {
    const merged = mergeIdentity('id-1', [
      answer('a', 60, [], ['one', 'two'], ['one', 'two']),
      answer('b', 60, [], ['one'], ['one']),
      answer('constructor', 60, [], ['name'], ['name']),
    ])
    const page = await matchOnPage({ identity: merged }, { tmpxMapping: { a: { one: 'A1' }, b: { one: 'B1' } } })
    expect(page.tokens).toEqual({ B1: 'b-one' })
    expect(page.warned.map((text) => /provider (\w+)/.exec(text)?.[1])).toEqual(['a', 'constructor'])
  })

  const faultOf = (request: Parameters<typeof consentFault>[0]) => consentFault(request, readConsent(consentOf(request)))
  const isMatched = (request: Parameters<typeof mayMatch>[0]) => mayMatch(request, readConsent(consentOf(request)))

  it('refuses consent that cannot be read, and names the member', () => {
    expect(faultOf({ country: 'FR', consent: { tcf_consent: 'CPx' } })).toMatch(/^consent\.tcf_consent cannot be read/)
    expect(faultOf({ country: 'US', consent: { gpp: 'DBAB5IpQUQgFJAw~x' } })).toMatch(/^consent\.gpp cannot be read/)
    expect(faultOf({ country: 'US', consent: { us_privacy: 'YYY' } })).toMatch(/^consent\.us_privacy cannot be read/)
  })

  it.each([
    [{ country: 'US' }, true],
    [{ country: 'US', consent: {} }, true],
    [{ country: 'US', consent: { us_privacy: '1YNN' } }, true],
    [{ country: 'US', consent: { us_privacy: '1YYN' } }, false],
    [{ country: 'US', consent: { gpp: 'DBABLA~CEAQAAAAAABA.QA' } }, false],
    [{ country: 'US', consent: { gpp: 'DBABLA~CEAgAAAAAABA.QA' } }, true],
    [{ country: 'FR', consent: { us_privacy: '1YNN' } }, false],
    [{ country: 'FR', consent: { gdpr: false } }, true],
    [{ country: 'FR', consent: { gdpr: true, tcf_consent: TCF_MATCH } }, true],
    [{ country: 'FR', consent: { tcf_consent: TCF_MATCH } }, true],
    [{ country: 'FR', consent: { gdpr: true, tcf_consent: TCF_STORAGE } }, false],
    [{ country: 'FR', consent: { gdpr: true, tcf_consent: TCF_MATCH, gpp: `DBABMA~${TCF_STORAGE}` } }, false],
    [{ country: 'US', consent: { gdpr: true, us_privacy: '1YNN' } }, false],
    [{ consent: { us_privacy: '1YNN' } }, true],
    [{ consent: {} }, false],
    [{}, false],
  ])('of %j: is matched %s', (request, expected) => {
    expect(isMatched(request)).toBe(expected)
  })

  it.each('GF GP MQ YT RE MF AX NC PF WF TF BL PM SJ GI IM'.split(' '))('needs consent in %s', (country) => {
    expect(faultOf({ country })).toBeDefined()
    expect(isMatched({ country, consent: {} })).toBe(false)
  })

  it('treats consent that is missing as unknown', () => {
    expect(faultOf({ country: 'DE' })).toMatch(/^consent is required for a user in DE/)
    expect(faultOf({ country: 'US' })).toBeUndefined()
    expect(faultOf({ country: 'US', consent: { gdpr: true } })).toBeDefined()
    expect(faultOf({ country: 'DE', consent: { gdpr: true, tcf_consent: TCF_MATCH } })).toBeUndefined()
  })
})
