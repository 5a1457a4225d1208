import { describe, expect, it } from 'vitest'
import { canonicalUrl, MalformedUrl } from '../../../src/domain/canonical-url.ts'
import { SignatureError } from '../../../src/security/signing/challenge.ts'
import { headerFields } from '../../../src/security/signing/header-fields.ts'
import { parseSignature } from '../../../src/security/signing/parse-signature.ts'
import { REQUEST_PROFILE } from '../../../src/security/signing/profile.ts'
import { requireSignature } from '../../../src/security/signing/requirement.ts'
import { signatureBase } from '../../../src/security/signing/signature-base.ts'
import { type VerifiedSigner, verifySignature } from '../../../src/security/signing/verify.ts'
import {
  AGENT_URL,
  hasDuplicateKey,
  keysOf,
  readVectorFile,
  readVectors,
  received,
  replayOf,
  revocationsOf,
  type Vector,
} from '../../support/installed-vectors.ts'

/** What a server does with a vector's request: verify, and when it is unsigned, ask whether it may be. */
async function judge(vector: Vector): Promise<VerifiedSigner | undefined> {
  const signer = await verifySignature(received(vector), vector.reference_now, {
    profile: { ...REQUEST_PROFILE, digest: vector.verifier_capability!.covers_content_digest },
    keys: keysOf(vector, 'request-signing'),
    replay: await replayOf(vector),
    revocations: revocationsOf(vector),
    hasDuplicateKey,
  })
  if (signer) return signer
  requireSignature(
    {
      method: 'tools/call',
      tool: new URL(vector.request.url).pathname.split('/').at(-1)!,
      payload: JSON.parse(vector.request.body!),
      hasOtherCredential: 'Authorization' in vector.request.headers,
    },
    { requiredFor: new Set(vector.verifier_capability!.required_for), protocolMethodsRequiredFor: new Set() },
  )
  return undefined
}

describe('official request-signing vectors', () => {
  const positive = readVectors('request-signing/positive')
  const negative = readVectors('request-signing/negative')

  it('come in the numbers of release 3.0.6', () => {
    expect([positive.length, negative.length]).toEqual([12, 27])
  })

  describe('positive', () => {
    for (const vector of positive) {
      it(`${vector.id}: ${vector.name}`, async () => {
        const signer = await judge(vector)
        expect(signer).toEqual({ keyid: vector.jwks_ref![0], agentUrl: AGENT_URL, verifiedAtSeconds: vector.reference_now })
      })
      if (vector.expected_signature_base === undefined) continue
      it(`${vector.id}: signature base`, () => {
        const { method, url, rawHeaders } = received(vector)
        const fields = headerFields(rawHeaders)
        const parsed = parseSignature(fields, ['base64url'])
        const base = signatureBase(parsed.components, parsed.signatureParams, { method, url: canonicalUrl(url), fields })
        expect(base).toBe(vector.expected_signature_base)
      })
    }
  })

  describe('negative', () => {
    for (const vector of negative) {
      it(`${vector.id}: ${vector.name}`, async () => {
        const error = await judge(vector).catch((reason: unknown) => reason)
        expect(error).toBeInstanceOf(SignatureError)
        const { signatureCode, step, http } = error as SignatureError
        expect(signatureCode).toBe(vector.expected_outcome.error_code)
        expect(step).toBe(String(vector.expected_outcome.failed_step))
        expect(http).toEqual({ status: 401, headers: { 'WWW-Authenticate': `Signature error="${signatureCode}"` } })
      })
    }
  })
})

interface CanonicalCase {
  readonly name: string
  readonly input_url: string
  readonly reject?: boolean
  readonly expected_target_uri?: string
  readonly expected_authority?: string
}

describe('official canonicalisation vectors', () => {
  const { cases } = readVectorFile<{ cases: CanonicalCase[] }>('request-signing/canonicalization.json')

  it('come in the number of release 3.0.6', () => expect(cases).toHaveLength(31))

  for (const { name, input_url, reject, expected_target_uri, expected_authority } of cases) {
    it(name, () => {
      if (reject) expect(() => canonicalUrl(input_url)).toThrow(MalformedUrl)
      else expect(canonicalUrl(input_url)).toEqual({ targetUri: expected_target_uri, authority: expected_authority })
    })
  }
})
