import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { loadContracts } from '../../src/protocol/contracts.ts'
import { type Child, freePort, startChild } from '../../tools/agent/child.ts'
import { type AgentClient, agentClient } from '../support/client.ts'
import { DEMO_ACCOUNT } from '../support/start-agent.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'packed-agent-'))
const installed = join(folder, 'installed')
const servers: Child[] = []

async function run(program: string, args: readonly string[], cwd: string, timeout = 120_000): Promise<string> {
  const { stdout } = await promisify(execFile)(program, [...args], { cwd, timeout, maxBuffer: 2 ** 26 })
  return stdout
}

async function agent(...args: string[]) {
  return JSON.parse(await run(process.execPath, ['dist/cli/sales-agent.js', ...args, '--data', 'data', '--json'], installed))
}

async function serve(): Promise<{ readonly server: Child; readonly origin: string }> {
  const origin = `http://127.0.0.1:${await freePort()}`
  const place = ['--data', join(installed, 'data'), '--port', new URL(origin).port]
  const command = [process.execPath, join(installed, 'dist/cli/sales-agent.js'), 'serve', ...place]
  const server = await startChild({ command, readyUrl: `${origin}/readyz` })
  servers.push(server)
  return { server, origin }
}

beforeAll(async () => {
  await run('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], repository, 240_000)
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'))
  mkdirSync(installed)
  await run('tar', ['-xzf', join(folder, tarball), '-C', installed, '--strip-components=1'], folder)
  // What npm would install, from what is there: test/extended/node-lines.test.ts installs from the registry.
  symlinkSync(join(repository, 'node_modules'), join(installed, 'node_modules'))
})
afterAll(async () => {
  await Promise.all(servers.map((server) => server.end('SIGKILL')))
  rmSync(folder, { recursive: true, force: true })
})

const contracts = loadContracts()
const toolsOf = async (client: AgentClient): Promise<readonly string[]> => {
  const { result } = JSON.parse(await (await client.send({ jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} })).text())
  return result.tools.map(({ name }: { name: string }) => name)
}
const cardOf = async (origin: string, key: string) => {
  const reply = await fetch(`${origin}/.well-known/agent-card.json`, { headers: { Authorization: `Bearer ${key}` } })
  return (await reply.json()) as { readonly description: string; readonly skills: readonly { readonly id: string }[] }
}

describe('the packed program, unpacked into an empty folder', () => {
  let key: string
  let origin: string
  let buyer: AgentClient

  it('has every release compiled', async () => {
    key = (await agent('init', '--demo')).key
    const { releases, missing } = await agent('protocol', 'list')
    expect(releases.map(({ line, place }: { line: string; place: string }) => [line, place])).toEqual(
      ['3.0', '3.1', '3.2'].map((line) => [line, 'build']),
    )
    expect(missing).toEqual([])
    for (const line of ['3.0', '3.1', '3.2'])
      expect(existsSync(join(installed, `dist/validators/${line}/modules.json`))).toBe(true)
  })

  it.each(['3.2', '3.1', '3.0'])('sells under %s', async (line) => {
    if (origin === undefined) {
      origin = (await serve()).origin
      buyer = agentClient(`${origin}/mcp`, key)
    }
    const call = async (task: string, args: object) => {
      const { data, isError } = await buyer.call(task, { adcp_version: line, ...args })
      expect(isError, JSON.stringify(data)).toBe(false)
      expect(contracts.find(line)?.schemas.response(task)(data)).toEqual([])
      expect(data.adcp_version).toBe(line === '3.0' ? undefined : line)
      return data
    }
    const { products } = await call('get_products', { buying_mode: 'wholesale' })
    const product = products.find(({ product_id }: { product_id: string }) => product_id === 'ros_display')
    const [start_time, end_time] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
    const bought = await call('create_media_buy', {
      idempotency_key: `packed-agent-buys-${line}`,
      account: DEMO_ACCOUNT,
      brand: DEMO_ACCOUNT.brand,
      start_time,
      end_time,
      packages: [{ product_id: product.product_id, pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }],
    })
    const { media_buy_id } = bought
    const { media_buys } = await call('get_media_buys', { account: DEMO_ACCOUNT, media_buy_ids: [media_buy_id] })
    expect(media_buys).toMatchObject([{ media_buy_id }])
    await call('get_media_buy_delivery', { account: DEMO_ACCOUNT, media_buy_ids: [media_buy_id] })
  })

  it('claims less, and says how to add it, where a release is missing', async () => {
    const whole = { tools: await toolsOf(buyer), card: await cardOf(origin, key) }
    expect(whole.tools).toContain('validate_input')
    expect(whole.card.description).toContain('3.2')
    await servers.at(-1)?.end('SIGTERM')
    for (const part of ['contracts', 'validators'])
      for (const line of ['3.1', '3.2']) rmSync(join(installed, 'dist', part, line), { recursive: true })

    const { server, origin: place } = await serve()
    const less = agentClient(`${place}/mcp`, key)
    const advice = /3\.1 and 3\.2 missing\. To add them: npm run build .*--from FILE/
    expect(server.output()).toMatch(
      /releases of AdCP: 3\.0\.\d+; AdCP 3\.1 and 3\.2|releases of AdCP: 3\.0\.\d+; 3\.1 and 3\.2 missing/,
    )
    expect(server.output()).toMatch(advice)
    expect((await agent('protocol', 'list')).missing).toEqual(['3.1', '3.2'])
    const examined = await run(process.execPath, ['dist/cli/sales-agent.js', 'doctor', '--data', 'data'], installed).catch(
      ({ stdout }: { stdout: string }) => stdout,
    )
    expect(examined).toMatch(/WARNING {2}releases: .*3\.1 and 3\.2/)
    expect(examined).toContain('npm run build -- --from FILE')

    const tools = await toolsOf(less)
    expect(whole.tools).toEqual(expect.arrayContaining([...tools]))
    const later = contracts.find('3.0')
    expect(tools.filter((name) => !later?.has(name))).toEqual([])
    const card = await cardOf(place, key)
    expect(card.description).toContain('AdCP 3.0)')
    expect(card.skills.filter(({ id }) => !later?.has(id))).toEqual([])
    const { data } = await less.call('get_adcp_capabilities', { adcp_version: '3.2' })
    expect(data.adcp).toMatchObject({ supported_versions: ['3.0'] })
    const refused = await less.call('validate_input', { adcp_version: '3.1', manifest: {}, targets: [] })
    expect(refused.isError).toBe(true)
  })
})
