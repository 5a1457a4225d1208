import { describe, expect, it } from 'vitest'
import { SignatureError } from '../../../src/security/signing/challenge.ts'
import { WEBHOOK_PROFILE_3_1 } from '../../../src/security/signing/profile.ts'
import { verifyWebhook } from '../../../src/security/signing/webhook-verify.ts'
import { AGENT_URL, hasDuplicateKey, received, replayOf, revocationsOf, type Vector } from '../../support/installed-vectors.ts'
import { vectorKeys, vectorsIn } from '../../support/signing-vectors.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

const files = await wheelVectors('webhook-signing')

async function judge(vector: Vector) {
  return verifyWebhook(received(vector), vector.reference_now, {
    profile: WEBHOOK_PROFILE_3_1,
    keys: vectorKeys(vector, files),
    replay: await replayOf(vector),
    revocations: revocationsOf(vector),
    hasDuplicateKey,
  })
}

describe.skipIf(wheelIsMissing)('webhook-signing vectors of 3.2.4', () => {
  const positive = vectorsIn(files, 'positive/')
  const negative = vectorsIn(files, 'negative/')

  it('are all there', () => expect([positive.length, negative.length]).toEqual([8, 21]))

  it.each(positive)('positive $id: $name', async (vector) => {
    expect(await judge(vector)).toEqual({
      keyid: vector.jwks_ref?.[0],
      agentUrl: AGENT_URL,
      verifiedAtSeconds: vector.reference_now,
    })
  })

  it.each(negative)('negative $id: $name', async (vector) => {
    const error = await judge(vector).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SignatureError)
    expect((error as SignatureError).signatureCode).toBe(vector.expected_outcome.error_code)
  })
})
