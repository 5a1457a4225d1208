import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type HeardWebhook, startListener } from '../../../src/cli/webhook-listener.ts'
import type { Expectation } from '../../../src/features/webhooks/receive.ts'
import { createReceiver, expectationOf } from '../../../src/operator/webhooks/receive-webhooks.ts'
import { registeredKeys } from '../../../src/security/signing/keys.ts'
import { memoryReplayStore } from '../../../src/security/signing/memory-replay-store.ts'
import { type Outbound, startOutbound } from './outbound.ts'

const SECRET = 'a-shared-secret-of-the-buyer-0123456789'

describe('webhooks listen', () => {
  let outbound: Outbound
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-listen-'))
  beforeAll(async () => {
    outbound = await startOutbound()
  })
  afterAll(async () => {
    await outbound.close()
    rmSync(folder, { recursive: true })
  })

  /** Sends webhooks with these credentials to a listener with that expectation. */
  const heard = async (
    expect: Expectation,
    registered: Parameters<Outbound['endpoint']>[1],
    answer = 200,
  ): Promise<HeardWebhook[]> => {
    const all: HeardWebhook[] = []
    const options = {
      host: '127.0.0.1',
      port: 0,
      receive: createReceiver(expect),
      answer,
      clock: outbound.now,
      onWebhook: (one: HeardWebhook) => all.push(one),
    }
    const { server, origin } = await startListener(options)
    try {
      await outbound.put(await outbound.endpoint(`${origin}/hook`, registered))
      const dispatcher = outbound.dispatcher()
      for (let look = 0; look < 2; look++) {
        dispatcher.wake()
        await dispatcher.idle()
        outbound.pass(10_000)
      }
      return all
    } finally {
      await new Promise((resolve) => server.close(resolve))
    }
  }
  const signed = async (): Promise<Expectation> => ({
    mode: 'rfc9421',
    keys: registeredKeys('https://seller.example/mcp', await outbound.keys.published()),
    replay: memoryReplayStore(),
  })
  const legacy: Expectation = { mode: 'legacy', secret: SECRET }

  it('takes signed webhooks, and tells a repetition from a new one', async () => {
    const [first] = await heard(await signed(), {})
    expect(first).toMatchObject({
      path: '/hook',
      answered: 200,
      repeated: false,
      reception: { genuine: true, scheme: 'rfc9421' },
    })
    expect(first?.payload).toMatchObject({ task_type: 'create_media_buy', operation_id: 'op-1' })
    const again = await heard(await signed(), {}, 503)
    expect(again.map(({ repeated, answered }) => [repeated, answered])).toEqual([
      [false, 503],
      [true, 503],
    ])
  })

  it.each(['HMAC-SHA256', 'Bearer'] as const)('takes %s with the shared secret and refuses another', async (scheme) => {
    const [good] = await heard(legacy, { scheme, credentials: SECRET })
    expect(good).toMatchObject({ reception: { genuine: true, scheme }, answered: 200 })
    const [bad] = await heard(legacy, { scheme, credentials: `${SECRET}!` })
    expect(bad).toMatchObject({ reception: { genuine: false, code: 'webhook_signature_invalid' }, answered: 401 })
  })

  it('refuses the mode that was not registered', async () => {
    const [unsigned] = await heard(await signed(), { scheme: 'Bearer', credentials: SECRET })
    expect(unsigned?.reception).toMatchObject({ genuine: false, code: 'webhook_mode_mismatch' })
    const [surprising] = await heard(legacy, {})
    expect(surprising?.reception).toMatchObject({ genuine: false, code: 'webhook_mode_mismatch' })
  })

  it('refuses a signature by a key that the agent does not publish', async () => {
    const stranger = await startOutbound()
    const keys = registeredKeys('https://other.example/mcp', await stranger.keys.published())
    await stranger.close()
    const [one] = await heard({ mode: 'rfc9421', keys, replay: memoryReplayStore() }, {})
    expect(one?.reception).toMatchObject({ genuine: false, code: 'webhook_signature_key_unknown' })
  })

  it('knows from its options what was registered', () => {
    const file = join(folder, 'secret')
    writeFileSync(file, `${SECRET}\n`)
    expect(expectationOf({ secretFile: file })).toEqual(legacy)
    expect(expectationOf({ agent: 'https://seller.example/mcp' }).mode).toBe('rfc9421')
    expect(() => expectationOf({})).toThrow('--agent')
  })
})
