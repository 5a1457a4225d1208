import { describe, expect, it } from 'vitest'
import { canonicalUrl, MalformedUrl } from '../../../src/domain/canonical-url.ts'
import { SignatureError } from '../../../src/security/signing/challenge.ts'
import { headerFields } from '../../../src/security/signing/header-fields.ts'
import { parseSignature } from '../../../src/security/signing/parse-signature.ts'
import { REQUEST_PROFILE_3_1, REQUEST_PROFILE_3_2, type SigningProfile } from '../../../src/security/signing/profile.ts'
import { requireSignature } from '../../../src/security/signing/requirement.ts'
import { signatureBase } from '../../../src/security/signing/signature-base.ts'
import { type VerifiedSigner, verifySignature } from '../../../src/security/signing/verify.ts'
import { AGENT_URL, hasDuplicateKey, received, replayOf, revocationsOf, type Vector } from '../../support/installed-vectors.ts'
import { vectorKeys, vectorsIn } from '../../support/signing-vectors.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

const files = await wheelVectors('request-signing')

/** What a server does with a vector's request: verify, and when it is unsigned, ask whether it may be. */
async function judge(vector: Vector, profile: SigningProfile): Promise<VerifiedSigner | undefined> {
  const capability = vector.verifier_capability as NonNullable<Vector['verifier_capability']> & {
    protocol_methods_required_for?: string[]
  }
  const signer = await verifySignature(received(vector), vector.reference_now, {
    profile: { ...profile, digest: capability.covers_content_digest },
    keys: vectorKeys(vector, files),
    replay: await replayOf(vector),
    revocations: revocationsOf(vector),
    hasDuplicateKey,
  })
  if (signer) return signer
  const payload = JSON.parse(vector.request.body ?? '')
  const method = typeof payload.method === 'string' ? payload.method : 'tools/call'
  const tool = new URL(vector.request.url).pathname.split('/').at(-1) ?? ''
  requireSignature(
    { method, tool, payload, hasOtherCredential: 'Authorization' in vector.request.headers },
    {
      requiredFor: new Set(capability.required_for),
      protocolMethodsRequiredFor: new Set(capability.protocol_methods_required_for),
    },
  )
  return undefined
}

describe.skipIf(wheelIsMissing).each([
  ['3.1', '', REQUEST_PROFILE_3_1, 15, 31],
  ['3.2', 'profile-3.2/', REQUEST_PROFILE_3_2, 14, 32],
] as const)('request-signing vectors of 3.2.4, profile %s', (_name, folder, profile, positives, negatives) => {
  const positive = vectorsIn(files, `${folder}positive/`)
  const negative = vectorsIn(files, `${folder}negative/`)

  it('are all there', () => expect([positive.length, negative.length]).toEqual([positives, negatives]))

  it.each(positive)('positive $id: $name', async (vector) => {
    expect(await judge(vector, profile)).toEqual({
      keyid: vector.jwks_ref?.[0],
      agentUrl: AGENT_URL,
      verifiedAtSeconds: vector.reference_now,
    })
  })

  it.each(positive.filter(({ expected_signature_base }) => expected_signature_base !== undefined))(
    'signature base of $id',
    (vector) => {
      const { method, url, rawHeaders } = received(vector)
      const fields = headerFields(rawHeaders)
      const { components, signatureParams } = parseSignature(fields, profile.accepted)
      expect(signatureBase(components, signatureParams, { method, url: canonicalUrl(url), fields })).toBe(
        vector.expected_signature_base,
      )
    },
  )

  it.each(negative)('negative $id: $name', async (vector) => {
    const error = await judge(vector, profile).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(SignatureError)
    expect((error as SignatureError).signatureCode).toBe(vector.expected_outcome.error_code)
  })
})

interface CanonicalCase {
  readonly name: string
  readonly input_url: string
  readonly reject?: boolean
  readonly expected_target_uri?: string
  readonly expected_authority?: string
}

describe.skipIf(wheelIsMissing)('canonicalisation of 3.2.4', () => {
  const { cases } = (files.get('canonicalization.json') ?? { cases: [] }) as { cases: CanonicalCase[] }

  it.each(cases)('$name', ({ input_url, reject, expected_target_uri, expected_authority }) => {
    if (reject) expect(() => canonicalUrl(input_url)).toThrow(MalformedUrl)
    else expect(canonicalUrl(input_url)).toEqual({ targetUri: expected_target_uri, authority: expected_authority })
  })
})

interface MethodCase {
  readonly id: string
  readonly declared_methods: readonly string[]
  readonly wire_method: string
  readonly matches: boolean
}

describe.skipIf(wheelIsMissing)('protocol methods of 3.2.4', () => {
  const { exact_match_cases: cases } = (files.get('protocol-method-names.json') ?? { exact_match_cases: [] }) as {
    exact_match_cases: MethodCase[]
  }

  it.each(cases)('$id', ({ declared_methods, wire_method, matches }) => {
    const ask = () =>
      requireSignature(
        { method: wire_method, payload: {}, hasOtherCredential: false },
        { requiredFor: new Set(), protocolMethodsRequiredFor: new Set(declared_methods) },
      )
    if (matches) expect(ask).toThrow(SignatureError)
    else expect(ask).not.toThrow()
  })
})
