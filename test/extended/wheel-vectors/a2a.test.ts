import { describe, expect, it } from 'vitest'
import { parseJson } from '../../../src/platform/decode/parse-json.ts'
import { isObject } from '../../../src/protocol/is-object.ts'
import { SignatureError } from '../../../src/security/signing/challenge.ts'
import { REQUEST_PROFILE_3_2 } from '../../../src/security/signing/profile.ts'
import { requireSignature } from '../../../src/security/signing/requirement.ts'
import { verifySignature } from '../../../src/security/signing/verify.ts'
import { invocationOf } from '../../../src/transports/a2a/invocation.ts'
import { hasDuplicateKey, received, replayOf, revocationsOf, type Vector } from '../../support/installed-vectors.ts'
import { vectorKeys, vectorsIn } from '../../support/signing-vectors.ts'
import { startAgent } from '../../support/start-agent.ts'
import { wheelIsMissing, wheelVectors } from '../../support/wheel.ts'

type A2aVector = Vector & {
  readonly expected_outcome: {
    readonly status?: string
    readonly resolved_operation?: string | null
    readonly error_code?: string
  }
  readonly verifier_capability: { readonly protocol_methods_required_for?: readonly string[] }
}

/** Its request is of the HTTP+JSON binding, which is not served: it is sent to a real server, and nothing may be called. */
const OTHER_BINDING = '022-unsigned-http-json-message-send-required'

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

  it.each(negative.filter(({ id }) => id !== OTHER_BINDING))('negative $id: $name', async (vector) => {
    const error: unknown = await judge(vector).catch((cause: unknown) => cause)
    expect(error).toMatchObject({ signatureCode: vector.expected_outcome.error_code })
    if (vector.expected_outcome.error_code === 'request_signature_required') expect(error).toBeInstanceOf(SignatureError)
  })

  it.each(negative.filter(({ id }) => id === OTHER_BINDING || id === '023-batch-body'))(
    'negative $id at a real server: nothing is called',
    async ({ request }) => {
      const requests: string[] = []
      const agent = await startAgent({ onLog: (record) => requests.push(record) })
      try {
        const { pathname } = new URL(request.url)
        const url = `${new URL(agent.url).origin}${pathname === '/a2a/jsonrpc' ? '/a2a' : pathname}`
        const headers = { ...request.headers, Authorization: `Bearer ${agent.key}` }
        const reply = await fetch(url, { method: 'POST', headers, body: request.body ?? '' })
        expect([400, 404]).toContain(reply.status)
        expect(requests.filter((record) => record.includes('create_media_buy'))).toEqual([])
      } finally {
        await agent.stop()
      }
    },
  )
})
