import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { BODY_ROOM, senderAt } from '../../../src/platform/net/body-room.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'
import { answerToUnfinished } from '../../support/unfinished.ts'

const JSON_TYPE = { 'Content-Type': 'application/json' }
const FORM_TYPE = { 'Content-Type': 'application/x-www-form-urlencoded' }

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ demo: true, flags: { 'oauth.enabled': true, 'metrics.token': 'x'.repeat(40) } })
})
afterAll(() => agent?.stop())

describe('while one address holds its share of the room for bodies', () => {
  const place = BODY_ROOM.place(senderAt('127.0.0.1'))
  beforeAll(() => expect(place.grow(32 * 1024 * 1024 - 1024)).toBeUndefined())
  afterAll(() => place.leave())

  it.each([
    ['/mcp', JSON_TYPE],
    ['/a2a', JSON_TYPE],
    ['/api/mcp', JSON_TYPE],
    ['/api/adagents/validate-document', JSON_TYPE],
    ['/directory/validate', JSON_TYPE],
    ['/ads/demo/decide', { 'Content-Type': 'text/plain' }],
    ['/trusted-match/demo/context', { ...JSON_TYPE, 'X-AdCP-Signature': 'x', 'X-AdCP-Key-Id': 'y' }],
    ['/trusted-match/demo/identity', { ...JSON_TYPE, 'X-AdCP-Signature': 'x', 'X-AdCP-Key-Id': 'y' }],
    ['/oauth/register', JSON_TYPE],
    ['/oauth/token', FORM_TYPE],
    ['/console/sign-in', FORM_TYPE],
  ])('%s: its large bodies are refused before they are whole', async (path, headers) => {
    const { origin } = new URL(agent.url)
    const begun = Buffer.alloc(40_000, ' ')
    const answer = await answerToUnfinished(
      origin,
      path,
      {
        ...headers,
        ...(path.startsWith('/console') && { Origin: origin }),
        Host: new URL(origin).host,
        'Content-Length': 50_000,
      },
      begun,
    )
    expect(answer.slice(0, 12)).toBe('HTTP/1.1 503')
    expect(answer.toLowerCase()).toMatch(/^retry-after: \d+$/m)
  })

  it('its small bodies are answered, and refusals are counted', async () => {
    const { isError } = await agent.buyer.call('get_products', { buying_mode: 'brief', brief: 'video' })
    expect(isError).toBe(false)
    const metrics = await fetch(`${new URL(agent.url).origin}/metrics`, {
      headers: { Authorization: `Bearer ${'x'.repeat(40)}` },
    })
    expect(await metrics.text()).toMatch(/^adcp_refusals_total\{what="body",limit="address"\} [1-9]\d*$/m)
  })
})
