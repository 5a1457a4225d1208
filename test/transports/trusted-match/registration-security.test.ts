import type { AddressInfo } from 'node:net'
import { createServer } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { trustedMatchCommand } from '../../../src/cli/trusted-match.ts'
import { operatorOn } from '../../../src/compose/operator.ts'
import { showMatchProviders } from '../../../src/operator/trusted-match/match-providers.ts'
import { createProviderClient, requirePublicEndpoint } from '../../../src/platform/net/provider-client.ts'
import { authority, type MatchProvider, offers, startMatchProvider } from '../../support/match-provider.ts'
import { contextRequest, registered, startTestRouter } from '../../support/match-router.ts'
import { startAgent, type TestAgent } from '../../support/start-agent.ts'

/** Addresses that no provider may have, loopback or not (specification, "Provider registration security"). */
const RESERVED = [
  'https://10.0.0.1/v1',
  'https://192.168.1.1/v1',
  'https://169.254.169.254/latest',
  'https://[fd00:ec2::254]/v1',
  'https://[fe80::1]/v1',
  'https://[::ffff:10.0.0.1]/v1',
  'https://[64:ff9b::a00:1]/v1',
  'https://0.0.0.0/v1',
  'https://0xa.1/v1',
  'https://167772161/v1',
  'https://localhost/v1',
  'https://provider.internal/v1',
]
const LOOPBACK = [
  'https://127.0.0.1/v1',
  'https://[::1]/v1',
  'https://127.1/v1',
  'https://2130706433/v1',
  'https://0177.0.0.1/v1',
]

describe('an endpoint is refused before anything is sent', () => {
  it.each(RESERVED)('%s, in development too', (endpoint) => {
    for (const development of [false, true]) expect(() => requirePublicEndpoint(endpoint, development)).toThrow(/public address/)
  })
  it.each(LOOPBACK)('%s, but in development', (endpoint) => {
    expect(() => requirePublicEndpoint(endpoint, false)).toThrow(/public address/)
    requirePublicEndpoint(endpoint, true)
    requirePublicEndpoint(endpoint.replace('https:', 'http:'), true)
  })
  it.each(['http://localhost:8444/v1', 'https://localhost/v1'])('%s, with what to write in its place', (endpoint) => {
    const wayOut = /no name such as localhost; in development write 127\.0\.0\.1 or \[::1\]/
    for (const development of [false, true]) expect(() => requirePublicEndpoint(endpoint, development)).toThrow(wayOut)
  })
  it('by the router, which says what an address of this machine needs', async () => {
    const provider = registered('own', { endpoint: 'http://127.0.0.1:8444/v1' })
    await expect(startTestRouter([provider], { development: false })).rejects.toThrow(
      'providers: own is refused: the endpoint of a provider has to be a public address; one of this machine is for development alone; addresses of this machine need development: true in the file',
    )
  })
  it.each(['http://provider.example/v1', 'ftp://provider.example/v1'])('%s, in development too', (endpoint) => {
    for (const development of [false, true]) expect(() => requirePublicEndpoint(endpoint, development)).toThrow(/https/)
  })
})

describe('the command line refuses a provider', () => {
  let agent: TestAgent
  beforeAll(async () => {
    agent = await startAgent()
  })
  afterAll(() => agent?.stop())

  const run = async (...words: string[]) => {
    const print = vi.spyOn(console, 'log').mockImplementation(() => {})
    try {
      const where = ['--tenant', agent.tenant, '--data', agent.config.data, '--json']
      await trustedMatchCommand().parseAsync(['providers', ...words, ...where], { from: 'user' })
    } finally {
      print.mockRestore()
    }
  }
  const endpoints = async () =>
    (await showMatchProviders(operatorOn(agent.server.store, agent.config), agent.tenant)).map(({ registration, sync_url }) => [
      registration.endpoint,
      sync_url,
    ])

  it('when it is added, when it is changed, and for the address of its sync', async () => {
    const good = 'https://provider.example/v1'
    for (const endpoint of [...RESERVED, 'ftp://provider.example/v1', 'https://user:key@provider.example/v1']) {
      const refused = { code: 'INVALID_REQUEST', field: 'endpoint' }
      await expect(run('add', 'bad', '--endpoint', endpoint, '--context'), endpoint).rejects.toMatchObject(refused)
    }
    expect(await endpoints()).toEqual([])
    await run('add', 'one', '--endpoint', good, '--context')
    for (const address of RESERVED) {
      await expect(run('set', 'one', '--endpoint', address), address).rejects.toMatchObject({ field: 'endpoint' })
      await expect(run('set', 'one', '--sync-url', address), address).rejects.toMatchObject({ field: 'sync_url' })
    }
    expect(await endpoints()).toEqual([[good, null]])
  })
})

describe('the address of a name is judged for each connection, which goes to it (DNS rebinding)', () => {
  let provider: MatchProvider
  beforeAll(async () => {
    provider = await startMatchProvider(offers('p'))
  })
  afterAll(() => provider?.stop())

  const clientWith = (endpoint: string, lookup: (name: string) => Promise<readonly string[]>) =>
    createProviderClient({ endpoint, maxBytes: 10_000, lookup, ca: authority.ca, development: {} })
  const ask = (client: ReturnType<typeof clientWith>) =>
    client.post('/context', JSON.stringify(contextRequest()), {}, AbortSignal.timeout(60_000))

  it('a second answer of the name server decides nothing about a connection', async () => {
    const answers = [['127.0.0.1'], ['10.0.0.1']]
    const names: string[] = []
    const client = clientWith(provider.endpoint, async (name) => {
      names.push(name)
      return answers[Math.min(names.length, 2) - 1] ?? []
    })
    try {
      for (let count = 0; count < 3; count += 1) await ask(client)
      expect(names).toEqual(['provider.example'])
    } finally {
      await client.close()
    }
  })

  it.each([
    ['one that is private', ['10.0.0.1']],
    ['a private one behind one that is allowed', ['127.0.0.1', '169.254.169.254']],
    ['a mapped one', ['::ffff:192.168.0.1']],
    ['none', []],
  ])('a name with %s is not connected to', async (_name, addresses) => {
    const before = provider.received.length
    const client = clientWith(provider.endpoint, async () => addresses)
    await expect(ask(client)).rejects.toThrow(/reserved address|no address/)
    await client.close()
    expect(provider.received).toHaveLength(before)
  })

  it('a connection that was lost is opened again only to an address that is judged anew', async () => {
    const connections: { destroy(): void }[] = []
    const front = createServer((socket) => {
      connections.push(socket)
      socket.on('error', () => {}).destroy()
    })
    await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve))
    const state = { addresses: ['127.0.0.1'] }
    const client = clientWith(`https://provider.example:${(front.address() as AddressInfo).port}`, async () => state.addresses)
    try {
      await expect(ask(client)).rejects.toThrow()
      expect(connections).toHaveLength(1)
      state.addresses = ['192.168.0.1']
      await expect.poll(() => ask(client).catch((error: Error) => error.message), { timeout: 60_000 }).toMatch(/reserved address/)
      expect(connections).toHaveLength(1)
    } finally {
      await client.close()
      front.close()
    }
  })

  it('a router leaves such a provider out', async () => {
    const router = await startTestRouter([registered('one', provider)], {}, { lookup: async () => ['169.254.169.254'] })
    try {
      const before = provider.received.length
      expect((await router.post('/context', contextRequest())).value.offers).toEqual([])
      expect(provider.received).toHaveLength(before)
    } finally {
      await router.stop()
    }
  })
})
