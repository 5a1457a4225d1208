import { expect, it } from 'vitest'
import {
  creationOptions,
  readNewPasskey,
  readPasskeyUse,
  relyingPartyAt,
  requestOptions,
} from '../../../src/security/auth/passkey.ts'
import {
  cborArray,
  cborBytes,
  cborInt,
  cborMap,
  cborText,
  type Faults,
  softAuthenticator,
} from '../../support/soft-authenticator.ts'

const ORIGIN = 'https://ads.publisher.example'
const PARTY = { origin: ORIGIN, id: 'ads.publisher.example' }
const CHALLENGE = Buffer.alloc(32, 7).toString('base64url')
const PERSON = { personId: 'p1', username: 'dana', name: 'Dana' }

/** What is wrong with an answer; `rpId`: of a page on a domain below or beside ours. */
const WRONG: readonly (readonly [string, Faults])[] = [
  ['another origin', { origin: 'https://ads-publisher.example' }],
  ['the origin without https', { origin: 'http://ads.publisher.example' }],
  ['another port', { origin: `${ORIGIN}:8443` }],
  ['another domain', { rpId: 'publisher.example' }],
  ['another challenge', { challenge: Buffer.alloc(32, 8).toString('base64url') }],
  ['no challenge', { challenge: '' }],
  ['a person who was not verified', { isVerified: false }],
  ['the other ceremony', { type: 'webauthn.other' }],
]

it.each([
  ['https://ads.publisher.example/console', PARTY],
  ['https://ads.publisher.example:8443/console', { origin: `${ORIGIN}:8443`, id: 'ads.publisher.example' }],
  ['http://localhost:3000/console', { origin: 'http://localhost:3000', id: 'localhost' }],
  ['http://ads.publisher.example/console', undefined],
  ['http://127.0.0.1:3000/console', undefined],
  ['https://93.184.215.14/console', undefined],
  ['https://[2001:db8::1]/console', undefined],
])('%s is, or is no place for passkeys', (address, party) => {
  expect(relyingPartyAt(address)).toEqual(party)
})

it('a passkey is made and used, and what is asked names none of the person but the account', async () => {
  const device = softAuthenticator(ORIGIN)
  const options = creationOptions(PARTY, PERSON, [], CHALLENGE)
  expect(options).toMatchObject({ attestation: 'none', authenticatorSelection: { userVerification: 'required' } })
  const passkey = await readNewPasskey(PARTY, device.create(options), CHALLENGE)
  expect(passkey).toMatchObject({ counter: 1, transports: ['internal'] })
  if (!passkey) return
  const asked = requestOptions(PARTY, [passkey], CHALLENGE)
  expect(asked).toMatchObject({ userVerification: 'required', rpId: PARTY.id })
  const use = await readPasskeyUse(PARTY, device.get(asked), [passkey], CHALLENGE)
  expect(use).toEqual({ passkey, counter: 2 })
})

it.each(WRONG)('%s makes no passkey, and uses none', async (_name, faults) => {
  const device = softAuthenticator(ORIGIN)
  const options = creationOptions(PARTY, PERSON, [], CHALLENGE)
  expect(await readNewPasskey(PARTY, device.create(options, faults), CHALLENGE)).toBeUndefined()
  const passkey = await readNewPasskey(PARTY, device.create(options), CHALLENGE)
  if (!passkey) throw new Error('the passkey was not read')
  const asked = requestOptions(PARTY, [passkey], CHALLENGE)
  expect(await readPasskeyUse(PARTY, device.get(asked, faults), [passkey], CHALLENGE)).toBeUndefined()
  expect(await readPasskeyUse(PARTY, device.get(asked), [passkey], CHALLENGE)).toBeDefined()
})

it('a copied authenticator is known by its counter, and a passkey of somebody else is none', async () => {
  const device = softAuthenticator(ORIGIN)
  const passkey = await readNewPasskey(PARTY, device.create(creationOptions(PARTY, PERSON, [], CHALLENGE)), CHALLENGE)
  if (!passkey) throw new Error('the passkey was not read')
  const asked = requestOptions(PARTY, [passkey], CHALLENGE)
  const used = { ...passkey, counter: 9 }
  device.state.counter = 8
  expect(await readPasskeyUse(PARTY, device.get(asked), [used], CHALLENGE), 'the same count').toBeUndefined()
  device.state.counter = 3
  expect(await readPasskeyUse(PARTY, device.get(asked), [used], CHALLENGE), 'a lower one').toBeUndefined()
  device.state.counter = 9
  expect(await readPasskeyUse(PARTY, device.get(asked), [used], CHALLENGE)).toMatchObject({ counter: 10 })
  const other = await readNewPasskey(
    PARTY,
    softAuthenticator(ORIGIN).create(creationOptions(PARTY, PERSON, [], CHALLENGE)),
    CHALLENGE,
  )
  expect(await readPasskeyUse(PARTY, device.get(asked), other ? [other] : [], CHALLENGE)).toBeUndefined()
})

it('an attestation with certificates is not looked at: it could name addresses to ask', async () => {
  const device = softAuthenticator(ORIGIN)
  const statement = cborMap([
    [cborText('alg'), cborInt(-7)],
    [cborText('sig'), cborBytes(Buffer.alloc(70))],
    [cborText('x5c'), cborArray([cborBytes(Buffer.alloc(300))])],
  ])
  for (const format of ['packed', 'fido-u2f', 'tpm', 'apple', 'android-key', 'android-safetynet', 'made-up'])
    expect(
      await readNewPasskey(
        PARTY,
        device.create(creationOptions(PARTY, PERSON, [], CHALLENGE), { attestation: { format, statement } }),
        CHALLENGE,
      ),
    ).toBeUndefined()
})

it.each([
  '',
  '{}',
  'null',
  '[]',
  '"x"',
  '{"id":1}',
  '{"id":"x","response":{}}',
  `{"id":"${'a'.repeat(60_000)}"}`,
  '['.repeat(50_000),
])('a text that is no answer of a browser is none: %.30j', async (text) => {
  expect(await readNewPasskey(PARTY, text, CHALLENGE)).toBeUndefined()
  expect(
    await readPasskeyUse(PARTY, text, [{ credentialId: 'x', publicKey: 'x', counter: 0, transports: [] }], CHALLENGE),
  ).toBeUndefined()
})
