import { describe, expect, it } from 'vitest'
import { canonicalUrl } from '../../../src/domain/canonical-url.ts'
import { SignatureError } from '../../../src/security/signing/challenge.ts'
import { headerFields } from '../../../src/security/signing/header-fields.ts'
import { parseSignature } from '../../../src/security/signing/parse-signature.ts'
import { WEBHOOK_PROFILE_3_1 } from '../../../src/security/signing/profile.ts'
import { signatureBase } from '../../../src/security/signing/signature-base.ts'
import { verifyWebhook } from '../../../src/security/signing/webhook-verify.ts'
import {
  AGENT_URL,
  hasDuplicateKey,
  keysOf,
  readVectors,
  received,
  replayOf,
  revocationsOf,
  type Vector,
} from '../../support/installed-vectors.ts'

async function judge(vector: Vector) {
  return verifyWebhook(received(vector), vector.reference_now, {
    keys: keysOf(vector, 'webhook-signing'),
    replay: await replayOf(vector),
    revocations: revocationsOf(vector),
    hasDuplicateKey,
  })
}

describe('official webhook-signing vectors', () => {
  const positive = readVectors('webhook-signing/positive')
  const negative = readVectors('webhook-signing/negative')

  it('come in the numbers of release 3.0.6', () => {
    expect([positive.length, negative.length]).toEqual([7, 21])
  })

  describe('positive', () => {
    for (const vector of positive) {
      it(`${vector.id}: ${vector.name}`, async () => {
        const { method, url, rawHeaders } = received(vector)
        const fields = headerFields(rawHeaders)
        const parsed = parseSignature(fields, ['base64url'])
        const base = signatureBase(parsed.components, parsed.signatureParams, { method, url: canonicalUrl(url), fields })
        expect(base).toBe(vector.expected_signature_base)
        const signer = await judge(vector)
        expect(signer).toEqual({ keyid: vector.jwks_ref![0], agentUrl: AGENT_URL, verifiedAtSeconds: vector.reference_now })
      })
    }
  })

  describe('negative', () => {
    for (const vector of negative) {
      it(`${vector.id}: ${vector.name}`, async () => {
        const error = await judge(vector).catch((reason: unknown) => reason)
        expect(error).toBeInstanceOf(SignatureError)
        expect((error as SignatureError).signatureCode).toBe(vector.expected_outcome.error_code)
      })
    }
  })

  it('an unsigned webhook is refused', async () => {
    const vector = positive[0]!
    const message = { ...received(vector), rawHeaders: ['Content-Type', 'application/json'] }
    const options = {
      keys: keysOf(vector, 'webhook-signing'),
      replay: await replayOf(vector),
      revocations: revocationsOf(vector),
      hasDuplicateKey,
    }
    await expect(verifyWebhook(message, vector.reference_now, options)).rejects.toMatchObject({
      signatureCode: 'webhook_signature_required',
    })
  })

  it('the 3.1 profile also takes the request-signing key of the sender', async () => {
    const vector = negative.find(({ id }) => id === '008-wrong-adcp-use')!
    const options = {
      keys: keysOf(vector, 'webhook-signing'),
      replay: await replayOf(vector),
      revocations: revocationsOf(vector),
      hasDuplicateKey,
    }
    const signer = await verifyWebhook(received(vector), vector.reference_now, { ...options, profile: WEBHOOK_PROFILE_3_1 })
    expect(signer.keyid).toBe('test-wrong-purpose-2026')
  })
})
