import { afterAll, beforeAll, expect, it } from 'vitest'
import { type FakeWeb, startFakeWeb } from '../../support/fake-web/fake-web.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

/** What stands behind a name: nothing, an address of a private network, a closed port. */
const HOSTS: Readonly<Record<string, readonly string[]>> = {
  'nowhere.example': [],
  'private.example': ['10.0.0.1'],
  'metadata.example': ['169.254.169.254'],
  'stranger.example': ['127.0.0.1'],
}

let web: FakeWeb
/** Where nothing listens, and where a server does whose certificate nobody vouches for. */
let closed: TestAgent
let untrusted: TestAgent
beforeAll(async () => {
  web = await startFakeWeb()
  const lookup = async (name: string) => {
    const found = HOSTS[name]
    if (found === undefined || found.length === 0) throw new Error('ENOTFOUND')
    return [...found]
  }
  const gone = await startFakeWeb()
  await gone.close()
  closed = await startAgent({ safeFetch: gone.fetch({ lookup }) })
  untrusted = await startAgent({ safeFetch: web.fetch({ lookup, ca: gone.ca }) })
})
afterAll(async () => {
  await closed.stop()
  await untrusted.stop()
  await web.close()
})

async function bodyOf(agent: TestAgent, path: string): Promise<unknown> {
  const response = await fetch(new URL(path, agent.url))
  return response.json()
}

it('a host that cannot be reached is told apart from no other one', async () => {
  const texts = new Set<string>()
  for (const host of [...Object.keys(HOSTS), '10.0.0.1', '127.0.0.1', '169.254.169.254']) {
    const found = await bodyOf(closed, `/api/public/discover-agent?url=${encodeURIComponent(`https://${host}/mcp`)}`)
    texts.add(JSON.stringify(found).replaceAll(host, '<host>'))
  }
  expect([...texts]).toHaveLength(1)
  expect([...texts][0]).toContain('cannot be reached')
})

it('nor is one that serves no adagents.json', async () => {
  const texts = new Set<string>()
  for (const host of Object.keys(HOSTS)) {
    const response = await fetch(new URL('/api/adagents/validate', closed.url), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ domain: host }),
    })
    const body = await response.text()
    texts.add(body.replaceAll(host, '<host>'))
  }
  expect([...texts]).toHaveLength(1)
  expect([...texts][0]).toContain('cannot be reached')
})

it('a certificate that nobody vouches for is named, since only public hosts are asked for one', async () => {
  const found = await bodyOf(untrusted, `/api/public/discover-agent?url=${encodeURIComponent('https://stranger.example/mcp')}`)
  expect(found).toMatchObject({ error: expect.stringContaining('the TLS handshake failed') })
})
