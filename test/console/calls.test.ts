import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type ConsoleClient, signedIn } from '../support/console-client.ts'
import { type MediaBuyAgent, productDocument, startMediaBuyAgent } from '../support/media-buy-agent.ts'

let agent: MediaBuyAgent
let path: string
let person: ConsoleClient

beforeAll(async () => {
  agent = await startMediaBuyAgent([productDocument('news')])
  path = `/console/t/${agent.tenant}/buyers/buyer/calls`
  person = await signedIn(agent, 'trafficker', 'ad_operations', agent.tenant)
})
afterAll(() => agent.stop())

const ask = (brief: string) => agent.buyer.call('get_products', { buying_mode: 'brief', brief })

describe('the call inspector', () => {
  it('keeps nothing before a person asks for it', async () => {
    await ask('before anybody watches')
    const { text } = await person.get(path)
    expect(text).toContain('Its calls are not recorded')
    expect(text).not.toContain('before anybody watches')
  })

  it('shows request, steps, answer and times, and says so to open pages', async () => {
    expect((await person.post(path)).location).toBe(`${path}?done=watching`)
    const events = await fetch(`${person.origin}${path}/live`, { headers: { Cookie: person.cookie ?? '' } })
    const reader = events.body?.getReader()
    await reader?.read()
    await ask('coffee drinkers')
    const { value } = (await reader?.read()) ?? {}
    expect(Buffer.from(value ?? []).toString()).toContain('event: change')
    await reader?.cancel()
    const { text } = await person.get(path)
    expect(text).toContain('coffee drinkers')
    for (const step of ['Authenticate', 'Validate request', 'Handle']) expect(text).toContain(`<td>${step}</td>`)
    expect(text).toMatch(/\d+\.\d\d ms/)
    expect(text).toContain('&quot;products&quot;')
  })

  it('shows which step refused a call, and no credential', async () => {
    await agent.buyer.call('get_products', { buying_mode: 'brief', brief: 'x', access_token: 'abc-very-secret' })
    await ask(`my key is ${agent.key}`)
    const { text } = await person.get(path)
    expect(text).toContain('refused')
    expect(text).not.toContain(agent.key)
    expect(text).not.toContain('abc-very-secret')
    expect(text).toContain('[redacted]')
  })

  it('keeps the newest 50, of this agent alone', async () => {
    const other = agent.client(await agent.addBuyer({ principal: 'other' }))
    await other.call('get_products', { buying_mode: 'brief', brief: 'of another agent' })
    for (let n = 0; n < 52; n += 1) await ask(`brief number ${n}`)
    const { text } = await person.get(path)
    expect(text.split('<details id="c-').length - 1).toBe(50)
    expect(text).not.toContain('of another agent')
    expect(text).not.toContain('brief number 1&quot;')
  })
})
