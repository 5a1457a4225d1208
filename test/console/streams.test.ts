import { get, type IncomingMessage } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { signedIn } from '../support/console-client.ts'
import { startAgent, type TestAgent } from '../support/start-agent.ts'

let agent: TestAgent
beforeAll(async () => {
  agent = await startAgent({ flags: { 'metrics.port': 0 } })
})
afterAll(() => agent.stop())

/** Opens streams at once; gives their answers as soon as each has begun. */
function open(count: number, path: string, cookie: string): Promise<IncomingMessage[]> {
  const one = () =>
    new Promise<IncomingMessage>((resolve, reject) => {
      const options = { headers: { Cookie: cookie }, agent: false }
      get(new URL(path, agent.url), options, resolve).on('error', reject)
    })
  return Promise.all(Array.from({ length: count }, one))
}

const scrape = async () => (await fetch(`http://127.0.0.1:${agent.server.metricsPort}/metrics`)).text()

it('one person has at most 20 pages that follow changes; others are not held up, and a closed one makes room', async () => {
  const viewer = await signedIn(agent, 'watcher', 'viewer')
  const path = `/console/t/${agent.tenant}/live`
  const streams = await open(30, path, viewer.cookie ?? '')
  const refused = streams.filter(({ statusCode }) => statusCode !== 200)
  expect(refused.map(({ statusCode, headers }) => `${statusCode} ${headers['content-type']} ${headers['retry-after']}`)).toEqual(
    Array.from({ length: 10 }, () => '429 application/problem+json 60'),
  )
  expect(JSON.parse((await refused[0]?.toArray())?.join('') ?? '')).toMatchObject({
    status: 429,
    detail: expect.stringContaining('20 pages open'),
  })
  const other = await signedIn(agent, 'colleague', 'viewer')
  const [theirs] = await open(1, path, other.cookie ?? '')
  expect(theirs?.statusCode).toBe(200)
  const numbers = await scrape()
  expect(numbers).toContain('adcp_event_streams{stream="console"} 21')
  expect(numbers).toContain('adcp_refusals_total{what="console_stream",limit="person"} 10')

  for (const stream of streams) stream.destroy()
  await expect.poll(scrape).toContain('adcp_event_streams{stream="console"} 1\n')
  const [again] = await open(1, path, viewer.cookie ?? '')
  expect(again?.statusCode).toBe(200)
  again?.destroy()
  theirs?.destroy()
  await sleep(50)
})
