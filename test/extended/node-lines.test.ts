import { randomUUID } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Child, freePort, startChild } from '../../tools/agent/child.ts'
import { type Installation, install } from '../../tools/runtime/installation.ts'
import { NODE_LINES, obtainNode } from '../../tools/runtime/other-node.ts'
import { agentClient } from '../support/client.ts'

/** Which driver of the store serves after a plain installation, and whether npm may have compiled it. */
const EXPECTED = {
  20: { driver: 'better-sqlite3', compiles: true },
  22: { driver: 'better-sqlite3', compiles: false },
  24: { driver: 'node:sqlite', compiles: false },
  26: { driver: 'node:sqlite', compiles: false },
} as const

const DRIVER = `import('./dist/store/sqlite/choose-sqlite-driver.js').then(({ sqliteDriver }) => console.log(sqliteDriver().name))`

/** The lock names it for the Node that needs it. */
const ADD_BETTER_SQLITE3 = ['install', '--no-save', '--omit=dev', 'better-sqlite3@13.2.0']

const nodes = NODE_LINES.map((line) => ({ line, node: obtainNode(line) }))

describe.each(nodes)('a deployment on the newest Node $line', ({ line, node }) => {
  if (typeof node === 'string') {
    it.skip(node, () => {})
    return
  }
  let installed: Installation
  let key: string
  let data: string
  const servers: Child[] = []
  beforeAll(async () => {
    installed = await install(node)
    data = join(installed.folder, 'data')
  }, 600_000)
  afterAll(async () => {
    await Promise.all(servers.map((server) => server.end('SIGKILL')))
    installed?.remove()
  })

  const agent = async (...args: string[]) => {
    const [executable = '', ...words] = installed.command
    return JSON.parse(await installed.run(executable, ...words, ...args, '--data', data, '--json'))
  }
  const serve = async () => {
    const origin = `http://127.0.0.1:${await freePort()}`
    const command = [...installed.command, 'serve', '--data', data, '--port', new URL(origin).port]
    const server = await startChild({
      command,
      environment: node.environment,
      readyUrl: `${origin}/readyz`,
    })
    servers.push(server)
    return { server, buyer: agentClient(`${origin}/mcp`, key) }
  }
  const compiled = () =>
    readdirSync(join(installed.folder, 'node_modules'), { recursive: true, encoding: 'utf8' }).filter((path) =>
      /build\/Release\/[^/]+\.node$/.test(path),
    )

  it('has the driver of its line, and nothing compiled where none is needed', async () => {
    expect(await installed.run(node.executable, '-e', DRIVER)).toBe(EXPECTED[line].driver)
    if (!EXPECTED[line].compiles) expect(compiled()).toEqual([])
  })

  it('sells, and keeps what it sold when it is killed', async () => {
    key = (await agent('init', '--demo')).key
    const first = await serve()
    expect((await first.buyer.call('get_products', { buying_mode: 'wholesale' })).data.products.length).toBeGreaterThan(0)
    const bought = await first.buyer.call('create_media_buy', ORDER)
    expect(bought.isError, JSON.stringify(bought.data)).toBe(false)
    await first.server.end('SIGKILL')
    const second = await serve()
    const again = await second.buyer.call('create_media_buy', ORDER)
    expect(again.data).toMatchObject({ replayed: true, media_buy_id: bought.data.media_buy_id })
    expect(await second.server.end('SIGTERM')).toEqual({ code: 0, signal: null })
    expect((await agent('doctor', '--store')).problems).toEqual([])
  })

  it.runIf(line >= 24)('serves the same file by better-sqlite3 once that is added', async () => {
    await installed.run('npm', ...ADD_BETTER_SQLITE3)
    expect(await installed.run(node.executable, '-e', DRIVER)).toBe('better-sqlite3')
    expect(compiled()).toEqual([])
    const { server, buyer } = await serve()
    expect((await buyer.call('create_media_buy', ORDER)).data.replayed).toBe(true)
    const more = await buyer.call('create_media_buy', { ...ORDER, idempotency_key: randomUUID() })
    expect(more.isError, JSON.stringify(more.data)).toBe(false)
    await server.end('SIGTERM')
    expect((await agent('doctor', '--store')).problems).toEqual([])
  })
})

const [START, END] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
const ACCOUNT = { brand: { domain: 'demo-brand.example' }, operator: 'demo-agency.example', sandbox: true }
const ORDER = {
  idempotency_key: randomUUID(),
  account: ACCOUNT,
  brand: ACCOUNT.brand,
  start_time: START,
  end_time: END,
  packages: [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
}
