import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { SignatureError } from '../../../src/security/signing/challenge.ts'
import { REQUEST_PROFILE_3_1, REQUEST_PROFILE_3_2, type SigningProfile } from '../../../src/security/signing/profile.ts'
import { requireSignature } from '../../../src/security/signing/requirement.ts'
import { type ReceivedMessage, verifySignature } from '../../../src/security/signing/verify.ts'
import { NOW, sent, testAgent, verifier } from '../../security/signing/harness.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

interface PolicyCase {
  readonly id: string
  readonly endpoint_profile: string
  readonly mode: string
  readonly has_body: boolean
  readonly signature_present: boolean
  readonly signature_header_state?: string
  readonly covers_content_digest?: boolean
  readonly digest_matches_body?: boolean
  readonly cryptographic_signature_valid?: boolean
  readonly fallback_auth_valid: boolean
  readonly expected: { readonly action: string; readonly error_code?: string; readonly authentication_source?: string }
}

const files = await wheelVectors('request-signing')
const { cases } = (files.get('body-integrity-policy.json') ?? { cases: [] }) as { cases: PolicyCase[] }
const agent = testAgent('ed25519')
const OPERATION = 'create_media_buy'

/** A real message in the state that a case describes. */
async function messageOf(each: PolicyCase, profile: SigningProfile): Promise<ReceivedMessage> {
  const body = each.has_body ? Buffer.from('{"budget":1}') : new Uint8Array()
  const outgoing = {
    method: 'POST',
    url: 'https://seller.example.com/mcp',
    body,
    ...(each.has_body && { contentType: 'application/json' }),
  }
  const message = await sent(
    outgoing,
    agent.signer,
    { ...profile, digest: 'either' },
    { coverDigest: each.covers_content_digest === true },
  )
  const headers = new Map(pairs(message.rawHeaders))
  if (!each.signature_present) for (const name of ['Signature', 'Signature-Input']) headers.delete(name)
  if (each.signature_header_state === 'malformed_pair') headers.delete('Signature-Input')
  if (each.cryptographic_signature_valid === false)
    headers.set('Content-Digest', digestOf(each.digest_matches_body ? 'other' : 'third'))
  const changed = each.digest_matches_body === false || each.cryptographic_signature_valid === false
  return { ...message, rawHeaders: [...headers].flat(), body: changed ? Buffer.from('other') : body }
}

function digestOf(text: string): string {
  return `sha-256=:${createHash('sha256').update(text).digest('base64')}:`
}

function pairs(raw: readonly string[]): [string, string][] {
  return raw.flatMap((name, index): [string, string][] => (index % 2 === 0 ? [[name, raw[index + 1] ?? '']] : []))
}

/** What becomes of it: the signature decides where there is one, else the demand for one and the other credential. */
async function judge(each: PolicyCase): Promise<{ action: string; error_code?: string; authentication_source?: string }> {
  const profile = each.endpoint_profile === '3.2' ? REQUEST_PROFILE_3_2 : { ...REQUEST_PROFILE_3_1, digest: 'either' as const }
  const message = await messageOf(each, profile)
  try {
    const signer = await verifySignature(message, NOW, verifier(profile, agent.jwk))
    if (signer) return { action: 'accept', authentication_source: 'signature' }
    const isMethod = each.mode === 'protocol_methods_required_for'
    requireSignature(
      {
        method: isMethod ? 'tasks/cancel' : 'tools/call',
        tool: OPERATION,
        payload: {},
        hasOtherCredential: each.fallback_auth_valid,
      },
      { requiredFor: new Set([OPERATION]), protocolMethodsRequiredFor: new Set(['tasks/cancel']) },
    )
    return { action: 'accept', authentication_source: 'fallback' }
  } catch (error) {
    if (error instanceof SignatureError) return { action: 'reject', error_code: error.signatureCode }
    throw error
  }
}

/** A bad signature is never passed over here: `warn_for` is neither served nor advertised. */
const isLenient = ({ mode, expected }: PolicyCase) => mode.endsWith('warn_for') && expected.action !== 'reject'

describe.skipIf(wheelIsMissing)('body-integrity policy of 3.2.4', () => {
  it('has all its cases', () => expect(cases).toHaveLength(17))

  for (const each of cases) {
    it.skipIf(isLenient(each))(`${each.id}${isLenient(each) ? ': warn_for is not served' : ''}`, async () => {
      const { action, error_code, authentication_source } = each.expected
      expect(await judge(each)).toEqual({
        action,
        ...(error_code !== undefined && { error_code }),
        ...(authentication_source !== undefined && { authentication_source }),
      })
    })
  }
})
