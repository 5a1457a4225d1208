import { generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SignatureError } from '../../../src/security/signing/challenge.ts'
import { contentDigest } from '../../../src/security/signing/content-digest.ts'
import type { PublishedJwk } from '../../../src/security/signing/jwk.ts'
import { readJwks } from '../../../src/security/signing/jwk.ts'
import { keysFor, keysOfAgents, registeredKeys } from '../../../src/security/signing/keys.ts'
import { memoryReplayStore } from '../../../src/security/signing/memory-replay-store.ts'
import { REQUEST_PROFILE, WEBHOOK_PROFILE } from '../../../src/security/signing/profile.ts'
import { localSigner, signMessage } from '../../../src/security/signing/sign.ts'
import { type ReceivedMessage, type VerifyOptions, verifySignature } from '../../../src/security/signing/verify.ts'
import { AGENT_URL } from '../../support/installed-vectors.ts'
import { NOW, publish, sent, testAgent, verifier } from './harness.ts'

const agent = testAgent('ed25519')
const OUTGOING = { method: 'POST', url: 'https://seller.example.com/mcp', body: Buffer.from('{"a":1}') }

async function codeOf(message: ReceivedMessage, options: VerifyOptions, now = NOW): Promise<string> {
  const outcome = await verifySignature(message, now, options).catch((error: unknown) => error)
  if (!(outcome instanceof SignatureError)) return outcome === undefined ? 'unsigned' : 'verified'
  return outcome.signatureCode.replace(/^request_(signature_)?/, '')
}

function replaceHeader(message: ReceivedMessage, name: string, change: (value: string) => string): ReceivedMessage {
  const rawHeaders = message.rawHeaders.map((entry, i, all) => (i % 2 === 1 && all[i - 1] === name ? change(entry) : entry))
  return { ...message, rawHeaders }
}

const fresh = () => verifier(REQUEST_PROFILE, agent.jwk)
const good = () => sent(OUTGOING, agent.signer, REQUEST_PROFILE)

describe('verifySignature', () => {
  it('leaves a message without any signature header to policy', async () => {
    const { rawHeaders: _, ...message } = await good()
    expect(await codeOf({ ...message, rawHeaders: ['Host', 'seller.example.com'] }, fresh())).toBe('unsigned')
  })

  it('accepts a request once', async () => {
    const options = fresh()
    expect(await codeOf(await good(), options)).toBe('verified')
    const message = await good()
    expect(await codeOf(message, options)).toBe('verified')
    expect(await codeOf(message, options)).toBe('replayed')
  })

  it('accepts one of many simultaneous copies', async () => {
    const [options, message] = [fresh(), await good()]
    const codes = await Promise.all(Array.from({ length: 8 }, () => codeOf(message, options)))
    expect(codes.sort()).toEqual([...Array(7).fill('replayed'), 'verified'])
  })

  it.each([
    [-60, 'verified'],
    [-61, 'window_invalid'],
    [360, 'verified'],
    [361, 'window_invalid'],
  ])('%i seconds after created: %s', async (offset, code) => {
    expect(await codeOf(await good(), fresh(), NOW + offset)).toBe(code)
  })

  it('a replay is refused until the last second in which the signature is valid', async () => {
    const [options, message] = [fresh(), await good()]
    expect(await codeOf(message, options)).toBe('verified')
    expect(await codeOf(message, options, NOW + 360)).toBe('replayed')
    expect(await codeOf(message, options, NOW + 361)).toBe('window_invalid')
  })

  it.each([
    ['a short nonce', 'Signature-Input', (v: string) => v.replace(/nonce="[^"]*"/, 'nonce="AAAAAAAAAAAAAAAAAAAAA"')],
    ['a padded nonce', 'Signature-Input', (v: string) => v.replace(/nonce="[^"]*"/, 'nonce="AAAAAAAAAAAAAAAAAAAAAA=="')],
    ['a parameter twice', 'Signature-Input', (v: string) => `${v};tag="adcp/request-signing/v1"`],
    ['a fractional time', 'Signature-Input', (v: string) => v.replace(/created=(\d+)/, 'created=$1.5')],
    ['a quoted time', 'Signature-Input', (v: string) => v.replace(/created=(\d+)/, 'created="$1"')],
    ['a component twice', 'Signature-Input', (v: string) => v.replace('"@method"', '"@method" "@method"')],
    ['a component with parameters', 'Signature-Input', (v: string) => v.replace('"@method"', '"@method";req')],
    ['an unquoted component', 'Signature-Input', (v: string) => v.replace('"@method"', 'method')],
    ['another label than the signature', 'Signature-Input', (v: string) => v.replace('sig1', 'sig2')],
    ['two lists', 'Signature-Input', (v: string) => `${v} ()`],
    ['an empty header', 'Signature-Input', () => ''],
    // With "==" a signature without "-" and "_" (one in fifteen) would be good padded base64.
    ['half the padding on the signature', 'Signature', (v: string) => v.replace(/:$/, '=:')],
    ['padding on base64url', 'Signature', (v: string) => v.replace(/=:.{4}/, '=:-_-_').replace(/:$/, '==:')],
    ['parameters on the signature', 'Signature', (v: string) => `${v};x=1`],
    ['a signature that is no bytes', 'Signature', () => 'sig1="abc"'],
    ['an open byte sequence', 'Signature', (v: string) => v.slice(0, -1)],
    ['a digest without sha-256', 'Content-Digest', () => 'sha-512=:AAAA:'],
    ['a digest in two alphabets', 'Content-Digest', () => `sha-256=:${'+_'.repeat(21)}A=:`],
  ])('%s is malformed', async (_name, header, change) => {
    expect(await codeOf(replaceHeader(await good(), header, change), fresh())).toBe('header_malformed')
  })

  it('a second Signature header is malformed even where the two could be merged', async () => {
    const message = await good()
    const twice = { ...message, rawHeaders: [...message.rawHeaders, 'signature', 'other=:AAAA:'] }
    expect(await codeOf(twice, fresh())).toBe('header_malformed')
  })

  it('a covered field outside ASCII is malformed', async () => {
    const message = replaceHeader(await good(), 'Content-Type', () => 'application/json; x=\u00e9')
    expect(await codeOf(message, fresh())).toBe('header_malformed')
  })

  it.each([
    ['a comma', 'text/plain, application/json', 'header_malformed'],
    ['a comma behind a quoted text', 'application/json; a="\\",", text/plain', 'header_malformed'],
    ['a comma behind a quote without its end', 'application/json; a="\\", b', 'header_malformed'],
    ['a comma inside a quoted text', 'application/json; a="\\",b"', 'invalid'],
  ])('a covered Content-Type has one value: %s', async (_, type, code) => {
    expect(
      await codeOf(
        replaceHeader(await good(), 'Content-Type', () => type),
        fresh(),
      ),
    ).toBe(code)
  })

  it('the signature may be written in unpadded base64url or in padded base64, and in nothing between', async () => {
    const padded = { ...REQUEST_PROFILE, encoding: 'base64' } as const
    for (let i = 0; i < 20; i++) {
      expect(await codeOf(await sent(OUTGOING, agent.signer, padded), fresh())).toBe('verified')
      const unpadded = replaceHeader(await sent(OUTGOING, agent.signer, padded), 'Signature', (v) => v.replace(/=+:$/, ':'))
      const standard = unpadded.rawHeaders.some((value) => /^sig1=:.*[+/].*:$/.test(value))
      if (standard) expect(await codeOf(unpadded, fresh())).toBe('header_malformed')
      const filled = replaceHeader(await good(), 'Signature', (v) => v.replace(/:$/, '==:'))
      const isUrl = filled.rawHeaders.some((value) => /^sig1=:.*[-_].*:$/.test(value))
      if (isUrl) expect(await codeOf(filled, fresh())).toBe('header_malformed')
    }
  })

  it('webhooks are written in unpadded base64url alone', async () => {
    const sender = testAgent('ed25519', 'webhook-signing')
    const message = await sent(OUTGOING, sender.signer, { ...WEBHOOK_PROFILE, encoding: 'base64' })
    const outcome = await verifySignature(message, NOW, verifier(WEBHOOK_PROFILE, sender.jwk)).catch((error: unknown) => error)
    expect(outcome).toMatchObject({ signatureCode: 'webhook_signature_header_malformed' })
  })

  it('a body that the signature does not cover is refused, before the key is looked up', async () => {
    const either = { ...REQUEST_PROFILE, digest: 'either' } as const
    const message = await sent(OUTGOING, agent.signer, either, { coverDigest: false })
    expect(await codeOf(message, fresh())).toBe('components_incomplete')
    expect(await codeOf(message, { ...fresh(), profile: either })).toBe('verified')
  })

  it('the digest may be in either alphabet, beside other algorithms', async () => {
    const digest = `sha-512=:AAAA:, ${contentDigest(OUTGOING.body, 'base64url')}`
    const params = `("@method" "@target-uri" "@authority" "content-type" "content-digest");created=${NOW};expires=${NOW + 60};nonce="AAAAAAAAAAAAAAAAAAAAAA";keyid="${agent.jwk.kid}";alg="ed25519";tag="adcp/request-signing/v1"`
    const base = `"@method": POST\n"@target-uri": ${OUTGOING.url}\n"@authority": seller.example.com\n"content-type": application/json\n"content-digest": ${digest}\n"@signature-params": ${params}`
    const signature = Buffer.from(await agent.signer.sign(Buffer.from(base))).toString('base64url')
    const rawHeaders = [
      'Content-Type',
      'application/json',
      'Content-Digest',
      digest,
      'Signature-Input',
      `sig1=${params}`,
      'Signature',
      `sig1=:${signature}:`,
    ]
    expect(await codeOf({ ...OUTGOING, rawHeaders }, fresh())).toBe('verified')
  })

  it.each(['@path', '@query', '@status', '@scheme', '@request-target'])(
    'derived component %s is unexpected',
    async (component) => {
      const message = replaceHeader(await good(), 'Signature-Input', (v) => v.replace('"@method"', `"@method" "${component}"`))
      expect(await codeOf(message, fresh())).toBe('components_unexpected')
    },
  )

  it('a covered field that is not there makes the signature incomplete', async () => {
    const message = replaceHeader(await good(), 'Signature-Input', (v) => v.replace('"@method"', '"@method" "date"'))
    expect(await codeOf(message, fresh())).toBe('components_incomplete')
  })

  it('a body without covered content-type is incomplete; a GET needs none', async () => {
    const get = { method: 'GET', url: 'https://seller.example.com/x' }
    expect(await codeOf(await sent(get, agent.signer, REQUEST_PROFILE), fresh())).toBe('verified')
    const message = await sent(get, agent.signer, REQUEST_PROFILE)
    expect(await codeOf({ ...message, body: Buffer.from('{}') }, fresh())).toBe('components_incomplete')
  })

  it('Host must be the authority that was signed', async () => {
    const message = await good()
    expect(
      await codeOf(
        replaceHeader(message, 'Host', () => 'Seller.Example.com:443'),
        fresh(),
      ),
    ).toBe('verified')
    expect(
      await codeOf(
        replaceHeader(await good(), 'Host', () => 'other.example.com'),
        fresh(),
      ),
    ).toBe('target_uri_malformed')
    expect(
      await codeOf(
        replaceHeader(await good(), 'Host', () => ''),
        fresh(),
      ),
    ).toBe('target_uri_malformed')
  })

  it('duplicate JSON keys are refused after the nonce is burned', async () => {
    const message = await sent({ ...OUTGOING, body: Buffer.from('{"a":{"b":1,"b":2}}') }, agent.signer, REQUEST_PROFILE)
    const options = fresh()
    const error = await verifySignature(message, NOW, options).catch((reason: unknown) => reason)
    expect(error).toMatchObject({ signatureCode: 'request_body_malformed', step: '14' })
    expect(await codeOf(message, options)).toBe('replayed')
  })

  it('a body that the transport has read as strict JSON is not read again', async () => {
    let readings = 0
    const options = { ...fresh(), hasDuplicateKey: () => readings++ < 0 }
    expect(await codeOf({ ...(await good()), isStrictJson: true }, options)).toBe('verified')
    expect(readings).toBe(0)
    expect(await codeOf(await good(), options)).toBe('verified')
    expect(readings).toBe(1)
  })

  it('a failed signature burns no nonce', async () => {
    const [options, message] = [fresh(), await good()]
    expect(await codeOf({ ...message, body: Buffer.from('{"a":2}') }, options)).toBe('digest_mismatch')
    expect(await codeOf({ ...message, method: 'PUT' }, options)).toBe('invalid')
    expect(await codeOf(message, options)).toBe('verified')
  })

  it('the cap holds between the check and the insert', async () => {
    const options = { ...fresh(), replay: memoryReplayStore(() => 3) }
    const messages = await Promise.all(Array.from({ length: 6 }, good))
    const codes = await Promise.all(messages.map((message) => codeOf(message, options)))
    expect(codes.sort()).toEqual(['rate_abuse', 'rate_abuse', 'rate_abuse', 'verified', 'verified', 'verified'])
  })

  it('the message of a refusal names the code only', async () => {
    const error = await verifySignature({ ...(await good()), method: 'PUT' }, NOW, fresh()).catch(
      (reason: SignatureError) => reason,
    )
    expect(error).toMatchObject({ code: 'AUTH_INVALID', step: '10' })
    expect(error).toMatchObject({ message: "The request's signature was refused: request_signature_invalid." })
  })
})

describe('rsa-pss-sha512', () => {
  const rsa = testAgent('rsa-pss-sha512')

  it('is refused unless an operator opts in', async () => {
    const message = await sent(OUTGOING, rsa.signer, REQUEST_PROFILE)
    expect(await codeOf(message, verifier(REQUEST_PROFILE, rsa.jwk))).toBe('alg_not_allowed')
    expect(await codeOf(message, { ...verifier(REQUEST_PROFILE, rsa.jwk), algorithms: ['ed25519', 'rsa-pss-sha512'] })).toBe(
      'verified',
    )
  })

  it('needs 2048 bits', async () => {
    const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 1100 })
    const message = await sent(OUTGOING, localSigner('weak', 'rsa-pss-sha512', privateKey), REQUEST_PROFILE)
    const options = verifier(REQUEST_PROFILE, publish(publicKey, 'weak', 'rsa-pss-sha512'))
    expect(await codeOf(message, { ...options, algorithms: ['rsa-pss-sha512'] })).toBe('key_purpose_invalid')
  })
})

describe('key purpose', () => {
  const without = (member: keyof PublishedJwk): PublishedJwk => {
    const { [member]: _, ...rest } = agent.jwk
    return rest as PublishedJwk
  }
  it.each([
    ['no use', without('use')],
    ['no key_ops', without('key_ops')],
    ['no adcp_use', without('adcp_use')],
    ['no alg', without('alg')],
    ['no crv', without('crv')],
    ['no x', without('x')],
    ['encryption', { ...agent.jwk, use: 'enc' }],
    ['signing only', { ...agent.jwk, key_ops: ['sign'] }],
    ['response-signing', { ...agent.jwk, adcp_use: 'response-signing' }],
    ['Ed448', { ...agent.jwk, crv: 'Ed448' }],
    ['another algorithm', { ...agent.jwk, alg: 'ES256' }],
    ['x of the wrong length', { ...agent.jwk, x: 'AAAA' }],
  ] as [string, PublishedJwk][])('%s: refused', async (_name, jwk) => {
    expect(await codeOf(await good(), verifier(REQUEST_PROFILE, jwk))).toBe('key_purpose_invalid')
  })

  it('a P-384 key that declares ES256 is refused before it is used', async () => {
    const { publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-384' })
    const ec = testAgent('ecdsa-p256-sha256')
    const message = await sent(OUTGOING, ec.signer, REQUEST_PROFILE)
    const jwk = publish(publicKey, ec.jwk.kid, 'ecdsa-p256-sha256')
    expect(await codeOf(message, verifier(REQUEST_PROFILE, jwk))).toBe('key_purpose_invalid')
  })

  it('an ECDSA signature in DER is refused', async () => {
    const ec = testAgent('ecdsa-p256-sha256')
    const { sign } = await import('node:crypto')
    const der = { ...ec.signer, sign: (data: Uint8Array) => sign('sha256', data, ec.privateKey) }
    const headers = await signMessage(OUTGOING, der, REQUEST_PROFILE, NOW)
    const message = { ...OUTGOING, rawHeaders: Object.entries(headers).flat() }
    expect(await codeOf(message, verifier(REQUEST_PROFILE, ec.jwk))).toBe('invalid')
  })

  it('a JWKS that names a kid twice is no JWKS; foreign entries are skipped', () => {
    expect(readJwks({ keys: [agent.jwk, agent.jwk] })).toBeUndefined()
    expect(readJwks({ keys: [null, 7, { kty: 'RSA' }, agent.jwk] })).toEqual([agent.jwk])
    expect(readJwks([agent.jwk])).toBeUndefined()
    expect(readJwks({ keys: [{ ...agent.jwk, d: 'secret', adcp_use: ['request-signing'] }] })![0]).not.toHaveProperty('d')
    expect(readJwks({ keys: [{ ...agent.jwk, adcp_use: ['request-signing'] }] })![0]).not.toHaveProperty('adcp_use')
  })
})

describe('keysOfAgents', () => {
  const other = testAgent('ed25519')
  const one = registeredKeys(AGENT_URL, [agent.jwk])

  it('of two agents that claim a keyid the one whose key signed is meant', async () => {
    const two = registeredKeys('https://other.example.com/mcp', [other.jwk])
    const options = (sources: (typeof one)[]) => ({ ...fresh(), keys: keysOfAgents(sources) })
    expect(await codeOf(await good(), options([one, two]))).toBe('verified')
    expect(await codeOf(await good(), options([two, one]))).toBe('verified')
    expect(await codeOf(await good(), options([one]))).toBe('verified')
    expect(await codeOf(await good(), options([two]))).toBe('invalid')
    expect(await codeOf(await good(), options([]))).toBe('key_unknown')
  })

  it('one key that two agents publish belongs to nobody', async () => {
    const copied = registeredKeys('https://other.example.com/mcp', [agent.jwk])
    expect(await codeOf(await good(), { ...fresh(), keys: keysOfAgents([one, copied]) })).toBe('key_unknown')
  })

  it('a key that is read from elsewhere is asked for where the one in memory under its keyid did not sign', async () => {
    const remote = { find: one.find }
    const two = registeredKeys('https://other.example.com/mcp', [other.jwk])
    expect(await codeOf(await good(), { ...fresh(), keys: keysOfAgents([two, remote]) })).toBe('verified')
  })

  it('a key counts for the publishers that registered it', async () => {
    const [a, b] = [keysFor(['a'], one), keysFor(['b'], one)]
    const tenantsOf = async (sources: (typeof one)[]) =>
      (await verifySignature(await good(), NOW, { ...fresh(), keys: keysOfAgents(sources) }))?.tenantIds
    expect(await tenantsOf([a])).toEqual(['a'])
    expect(await tenantsOf([a, b])).toEqual(['a', 'b'])
    expect(await tenantsOf([a, one])).toBeUndefined()
  })
})
