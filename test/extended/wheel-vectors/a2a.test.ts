import { describe, expect, it } from 'vitest'
import { isObject } from '../../../src/protocol/is-object.ts'
import { SignatureError } from '../../../src/security/signing/challenge.ts'
import { REQUEST_PROFILE_3_2 } from '../../../src/security/signing/profile.ts'
import { requireSignature } from '../../../src/security/signing/requirement.ts'
import { verifySignature } from '../../../src/security/signing/verify.ts'
import { invocationOf } from '../../../src/transports/a2a/invocation.ts'
import { parseJson } from '../../../src/transports/http/parse-json.ts'
import { hasDuplicateKey, received, replayOf, revocationsOf, type Vector } from '../../security/signing/vectors.ts'
import { vectorKeys, vectorsIn } from '../../support/signing-vectors.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

type A2aVector = Vector & {
  readonly expected_outcome: {
    readonly status?: string
    readonly resolved_operation?: string | null
    readonly error_code?: string
  }
  readonly verifier_capability: { readonly protocol_methods_required_for?: readonly string[] }
}

/** Vectors that ask for what this server does not have, with the reason. */
const NOT_SUPPORTED: Readonly<Record<string, string>> = {
  '022-unsigned-http-json-message-send-required': 'the HTTP+JSON binding of A2A is not served',
  '023-batch-body': 'a JSON-RPC batch is answered message by message, each judged on its own',
}

const SENDING = new Set(['SendMessage', 'SendStreamingMessage', 'message/send', 'message/stream'])

const files = await wheelVectors('request-signing')

/** What the transport does before a task runs: strict JSON, the method, the skill, then the signature or the demand for one. */
async function judge(vector: A2aVector): Promise<{ status: string; operation: string | null }> {
  const message = received(vector)
  const { method, operation } = resolve(message.body)
  const signer = await verifySignature(message, vector.reference_now, {
    profile: REQUEST_PROFILE_3_2,
    keys: vectorKeys(vector, files),
    replay: await replayOf(vector),
    revocations: revocationsOf(vector),
    hasDuplicateKey,
  })
  if (signer) return { status: 'verified', operation }
  const { required_for: requiredFor, protocol_methods_required_for: methods } = vector.verifier_capability
  const call = { payload: {}, hasOtherCredential: false }
  const requirement = { requiredFor: new Set(requiredFor), protocolMethodsRequiredFor: new Set(methods) }
  requireSignature({ ...call, method }, requirement)
  if (operation !== null) requireSignature({ ...call, method: 'tools/call', tool: operation }, requirement)
  return { status: 'unsigned', operation }
}

function resolve(body: Uint8Array): { method: string; operation: string | null } {
  try {
    const request = parseJson(body)
    if (!isObject(request) || typeof request.method !== 'string' || !isObject(request.params)) throw new Error('no request')
    const { method, params } = request
    return { method, operation: SENDING.has(method) ? invocationOf(params).skill : null }
  } catch (error) {
    throw Object.assign(new Error('the body names no operation', { cause: error }), { signatureCode: 'request_body_malformed' })
  }
}

describe.skipIf(wheelIsMissing)('A2A vectors of request-signing 3.2.4', () => {
  const positive = vectorsIn(files, 'a2a/positive/') as A2aVector[]
  const negative = vectorsIn(files, 'a2a/negative/') as A2aVector[]

  it('are all there', () => expect([positive.length, negative.length]).toEqual([7, 26]))

  it.each(positive)('positive $id: $name', async (vector) => {
    const { status, resolved_operation: operation } = vector.expected_outcome
    expect(await judge(vector)).toEqual({ status, operation })
  })

  for (const vector of negative) {
    const reason = NOT_SUPPORTED[vector.id]
    it.skipIf(reason)(`negative ${vector.id}: ${reason ?? vector.name}`, async () => {
      const error: unknown = await judge(vector).catch((cause: unknown) => cause)
      expect(error).toMatchObject({ signatureCode: vector.expected_outcome.error_code })
      if (vector.expected_outcome.error_code === 'request_signature_required') expect(error).toBeInstanceOf(SignatureError)
    })
  }
})
