import { createHmac } from 'node:crypto'
import { InMemoryReplayStore, InMemoryRevocationStore, StaticJwksResolver, verifyWebhookSignature } from '@adcp/sdk/signing'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { registeredKeys } from '../../../src/security/signing/keys.ts'
import { memoryReplayStore } from '../../../src/security/signing/memory-replay-store.ts'
import { operatorRevocations } from '../../../src/security/signing/revocation.ts'
import { verifyWebhook } from '../../../src/security/signing/webhook-verify.ts'
import { type Received, startReceiver, type WebhookReceiver } from '../../support/webhook-receiver.ts'
import { type Outbound, startOutbound } from './outbound.ts'

const SECRET = 'a-shared-secret-of-the-buyer-0123456789'

describe('one attempt', () => {
  let outbound: Outbound
  let receiver: WebhookReceiver

  beforeAll(async () => {
    outbound = await startOutbound()
    receiver = await startReceiver()
  })
  afterAll(async () => {
    await outbound.close()
    await receiver.close()
  })

  const deliver = async (path: string, more: Parameters<Outbound['endpoint']>[1] = {}): Promise<Received> => {
    await outbound.put(await outbound.endpoint(receiver.origin + path, more))
    const dispatcher = outbound.dispatcher()
    dispatcher.wake()
    await dispatcher.idle()
    const [webhook] = receiver.at(path)
    if (!webhook) throw new Error('nothing came')
    return webhook
  }
  const seconds = () => Math.floor(outbound.now().getTime() / 1000)

  it('carries an RFC 9421 signature that our verifier and the SDK accept, once', async () => {
    const { url, rawHeaders, bytes, headers } = await deliver('/signed?campaign=1')
    expect(headers['content-type']).toBe('application/json')
    expect(headers.authorization).toBeUndefined()
    const jwks = await outbound.keys.published()
    const message = { method: 'POST', url, rawHeaders, body: bytes }
    const options = {
      keys: registeredKeys('https://seller.example/mcp', jwks),
      replay: memoryReplayStore(),
      revocations: operatorRevocations(() => false),
      hasDuplicateKey: () => false,
    }
    const signer = await verifyWebhook(message, seconds(), options)
    expect(signer.keyid).toBe(jwks[0]?.kid)
    await expect(verifyWebhook(message, seconds(), options)).rejects.toThrow()

    const sdk = {
      jwks: new StaticJwksResolver(jwks.map((key) => ({ ...key, key_ops: [...(key.key_ops ?? [])] }))),
      replayStore: new InMemoryReplayStore(),
      revocationStore: new InMemoryRevocationStore(),
      now: seconds,
    }
    const request = { method: 'POST', url, headers: single(headers), body: bytes.toString('utf8') }
    await expect(verifyWebhookSignature(request, sdk)).resolves.toBeDefined()
    const forged = { ...request, body: request.body.replace('completed', 'rejected!') }
    await expect(verifyWebhookSignature(forged, { ...sdk, replayStore: new InMemoryReplayStore() })).rejects.toThrow()
  })

  it('publishes nothing of its private key', async () => {
    const [key] = await outbound.keys.published()
    expect(key).toMatchObject({ kty: 'OKP', crv: 'Ed25519', alg: 'EdDSA', use: 'sig', adcp_use: 'webhook-signing' })
    expect(JSON.stringify(key)).not.toContain('"d"')
  })

  it('sends the Bearer token that was registered, and no signature', async () => {
    const { headers } = await deliver('/bearer', { scheme: 'Bearer', credentials: SECRET })
    expect(headers.authorization).toBe(`Bearer ${SECRET}`)
    expect(headers.signature).toBeUndefined()
    expect(headers['signature-input']).toBeUndefined()
  })

  it('sends an HMAC over timestamp and body, and no signature', async () => {
    const { headers, bytes } = await deliver('/hmac', { scheme: 'HMAC-SHA256', credentials: SECRET })
    const timestamp = headers['x-adcp-timestamp']
    expect(timestamp).toBe(String(seconds()))
    const expected = createHmac('sha256', SECRET)
      .update(`${timestamp}.${bytes.toString('utf8')}`)
      .digest('hex')
    expect(headers['x-adcp-signature']).toBe(`sha256=${expected}`)
    expect(headers.signature).toBeUndefined()
    expect(headers.authorization).toBeUndefined()
  })

  it('echoes token and operation id', async () => {
    const { body } = await deliver('/token', { token: 'token "with" quotes' })
    expect(body).toMatchObject({ token: 'token "with" quotes', operation_id: 'op-1' })
  })

  it.each([
    ['a private address', 'https://10.0.0.7/hook'],
    ['a name that leads to one', 'https://intranet.example/hook'],
    ['plain HTTP', 'http://buyer.example/hook'],
    ['cloud metadata', 'https://169.254.169.254/latest'],
  ])('does not reach %s, whatever was registered', async (_what, url) => {
    const id = await outbound.put(await outbound.endpoint(url))
    const dispatcher = outbound.dispatcher({ post: { lookup: async () => ['192.168.1.1'] } })
    dispatcher.wake()
    await dispatcher.idle()
    const delivery = await outbound.delivery(id)
    expect(delivery?.lastStatus).toBeUndefined()
    expect(delivery?.lastError).toMatch(/reserved_address|not_https/)
  })

  it('does not reach this machine for a buyer who is no sandbox buyer', async () => {
    const id = await outbound.put(await outbound.endpoint(`${receiver.origin}/never`, { loopback: false }))
    const dispatcher = outbound.dispatcher()
    dispatcher.wake()
    await dispatcher.idle()
    expect(receiver.at('/never')).toEqual([])
    expect(await outbound.delivery(id)).toMatchObject({ state: 'dead', lastError: expect.stringContaining('not_https') })
  })

  it('keeps secrets out of the store and the log', async () => {
    await deliver('/secrets', { scheme: 'Bearer', credentials: SECRET, token: 'another-secret-token' })
    const rows = await outbound.store.read.selectFrom('webhook_endpoints').selectAll().execute()
    const outbox = await outbound.store.read.selectFrom('webhook_outbox').selectAll().execute()
    const keys = await outbound.store.read.selectFrom('signing_keys').selectAll().execute()
    const text = JSON.stringify([rows, outbox, keys]) + outbound.log.join('')
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain('another-secret-token')
    expect(text).not.toContain('"d\\":')
  })

  it('gives up what its own schema refuses, instead of sending it', async () => {
    const endpoint = await outbound.endpoint(`${receiver.origin}/invalid`)
    const id = await outbound.put({ ...endpoint, taskType: 'no_such_task' })
    const dispatcher = outbound.dispatcher()
    dispatcher.wake()
    await dispatcher.idle()
    expect(receiver.at('/never')).toEqual([])
    // The type of the event is what enqueue was told.
    expect(await outbound.delivery(id)).toMatchObject({ state: 'dead', lastError: expect.stringContaining('schema') })
  })
})

function single(headers: Received['headers']): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, String(value)]))
}
