import { execFileSync } from 'node:child_process'
import { createPrivateKey, createPublicKey } from 'node:crypto'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { signRequest, signWebhook } from '@adcp/sdk/signing/client'
import {
  InMemoryReplayStore,
  InMemoryRevocationStore,
  StaticJwksResolver,
  verifyRequestSignature,
  verifyWebhookSignature,
} from '@adcp/sdk/signing/server'
import { afterAll, describe, expect, it } from 'vitest'
import { canonicalUrl } from '../../../src/domain/canonical-url.ts'
import { headerFields } from '../../../src/security/signing/header-fields.ts'
import { parseSignature } from '../../../src/security/signing/parse-signature.ts'
import { REQUEST_PROFILE, type SignatureAlgorithm, WEBHOOK_PROFILE } from '../../../src/security/signing/profile.ts'
import { localSigner, signerOfJwk, signMessage } from '../../../src/security/signing/sign.ts'
import { signatureBase } from '../../../src/security/signing/signature-base.ts'
import { verifySignature } from '../../../src/security/signing/verify.ts'
import { verifyWebhook } from '../../../src/security/signing/webhook-verify.ts'
import { privateTestJwk, testKeys } from '../../support/installed-vectors.ts'
import { NOW, publish, sent, verifier } from './harness.ts'

/** The query holds no %-encoded unreserved octet and no lower-case hex: SDK 6.11 rewrites those, where AdCP keeps the query as is. */
const URL_SENT = 'https://Seller.example.com:443/a/./b//c%7ed%2f?b=2&a=%2F~+'
const BODY = '{"name":"Größe"}'

const CASES = [
  ['request-signing', 'test-ed25519-2026', 'ed25519'],
  ['request-signing', 'test-es256-2026', 'ecdsa-p256-sha256'],
  ['webhook-signing', 'test-ed25519-webhook-2026', 'ed25519'],
  ['webhook-signing', 'test-es256-webhook-2026', 'ecdsa-p256-sha256'],
] as const

describe.each(CASES)('with the SDK: %s, %s', (folder, kid, algorithm) => {
  const profile = folder === 'request-signing' ? ({ ...REQUEST_PROFILE, digest: 'either' } as const) : WEBHOOK_PROFILE
  const jwk = testKeys(folder)[kid]!

  it.each([true, false])('we verify what it signs (content-digest %s)', async (coverContentDigest) => {
    const request = { method: 'POST', url: URL_SENT, headers: { 'Content-Type': 'application/json' }, body: BODY }
    const key = { keyid: kid, alg: algorithm, privateKey: privateTestJwk(folder, kid) }
    const signed =
      profile.name === 'request'
        ? signRequest(request, key, { now: () => NOW, coverContentDigest })
        : signWebhook(request, key, { now: () => NOW })
    const message = { method: 'POST', url: URL_SENT, rawHeaders: Object.entries(signed.headers).flat(), body: Buffer.from(BODY) }
    const fields = headerFields(message.rawHeaders)
    const parsed = parseSignature(fields, ['base64url'])
    expect(
      signatureBase(parsed.components, parsed.signatureParams, { method: 'POST', url: canonicalUrl(URL_SENT), fields }),
    ).toBe(signed.signatureBase)
    expect(await verifySignature(message, NOW, verifier(profile, jwk))).toMatchObject({ keyid: kid })
  })

  it('it verifies what we sign', async () => {
    const message = { method: 'POST', url: URL_SENT, body: Buffer.from(BODY), contentType: 'application/json; charset=utf-8' }
    const headers = await signMessage(message, signerOfJwk(privateTestJwk(folder, kid)), profile, NOW)
    const request = { method: 'POST', url: URL_SENT, headers, body: BODY }
    const options = {
      jwks: new StaticJwksResolver([{ ...jwk, key_ops: [...jwk.key_ops!] }]),
      replayStore: new InMemoryReplayStore(),
      revocationStore: new InMemoryRevocationStore(),
      now: () => NOW,
    }
    const capability = { supported: true, covers_content_digest: 'either' as const, required_for: [] }
    const verify = () =>
      profile.name === 'request'
        ? verifyRequestSignature(request, { ...options, capability })
        : verifyWebhookSignature(request, options)
    expect(await verify()).toMatchObject({ status: 'verified', keyid: kid })
    await expect(verify()).rejects.toThrow(/replay/i)
  })
})

describe('with keys made by openssl', () => {
  const folder = mkdtempSync(join(tmpdir(), 'openssl-'))
  afterAll(() => rmSync(folder, { recursive: true, force: true }))
  const openssl = (...args: string[]) => execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'ignore'] })
  const GENERATE: Record<SignatureAlgorithm, string[]> = {
    ed25519: ['-algorithm', 'ED25519'],
    'ecdsa-p256-sha256': ['-algorithm', 'EC', '-pkeyopt', 'ec_paramgen_curve:P-256'],
    'rsa-pss-sha512': ['-algorithm', 'RSA', '-pkeyopt', 'rsa_keygen_bits:2048'],
  }
  const algorithms = Object.keys(GENERATE) as SignatureAlgorithm[]

  function makeKeys(algorithm: SignatureAlgorithm) {
    openssl('genpkey', ...GENERATE[algorithm], '-out', `${algorithm}.pem`)
    openssl('pkey', '-in', `${algorithm}.pem`, '-pubout', '-out', `${algorithm}.pub`)
    return {
      privateKey: createPrivateKey(readFileSync(join(folder, `${algorithm}.pem`))),
      publicKey: createPublicKey(readFileSync(join(folder, `${algorithm}.pub`))),
    }
  }

  it.each(algorithms)('%s signs and verifies', async (algorithm) => {
    const { privateKey, publicKey } = makeKeys(algorithm)
    const message = await sent(
      { method: 'POST', url: URL_SENT, body: Buffer.from(BODY) },
      localSigner('k', algorithm, privateKey),
      REQUEST_PROFILE,
    )
    const options = { ...verifier(REQUEST_PROFILE, publish(publicKey, 'k', algorithm)), algorithms }
    expect(await verifySignature(message, NOW, options)).toMatchObject({ keyid: 'k' })
  })

  it('openssl itself verifies our Ed25519 signature, and we verify one that openssl made', async () => {
    const { privateKey, publicKey } = makeKeys('ed25519')
    const jwk = publish(publicKey, 'k', 'ed25519')
    const message = await sent(
      { method: 'POST', url: URL_SENT, body: Buffer.from(BODY) },
      localSigner('k', 'ed25519', privateKey),
      REQUEST_PROFILE,
    )
    const fields = headerFields(message.rawHeaders)
    const parsed = parseSignature(fields, ['base64url'])
    const base = signatureBase(parsed.components, parsed.signatureParams, { method: 'POST', url: canonicalUrl(URL_SENT), fields })
    writeFileSync(join(folder, 'base'), base)
    writeFileSync(join(folder, 'sig'), parsed.signature)
    const verified = openssl('pkeyutl', '-verify', '-pubin', '-inkey', 'ed25519.pub', '-rawin', '-in', 'base', '-sigfile', 'sig')
    expect(String(verified)).toMatch(/Verified Successfully/)

    openssl('pkeyutl', '-sign', '-inkey', 'ed25519.pem', '-rawin', '-in', 'base', '-out', 'theirs')
    const theirs = readFileSync(join(folder, 'theirs')).toString('base64url')
    const rawHeaders = [...message.rawHeaders.slice(0, -1), `sig1=:${theirs}:`]
    expect(await verifySignature({ ...message, rawHeaders }, NOW, verifier(REQUEST_PROFILE, jwk))).toMatchObject({ keyid: 'k' })
  })

  it('a webhook signed with an openssl key passes the receiver', async () => {
    const { privateKey, publicKey } = makeKeys('ecdsa-p256-sha256')
    const signer = localSigner('k', 'ecdsa-p256-sha256', privateKey)
    const message = await sent({ method: 'POST', url: URL_SENT, body: Buffer.from(BODY) }, signer, WEBHOOK_PROFILE)
    const options = verifier(WEBHOOK_PROFILE, publish(publicKey, 'k', 'ecdsa-p256-sha256', 'webhook-signing'))
    expect(await verifyWebhook(message, NOW, options)).toMatchObject({ keyid: 'k' })
  })
})
