import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { sqliteDriver } from '../../src/store/sqlite/choose-sqlite-driver.ts'
import { freePort } from '../../tools/agent/child.ts'
import { COMMAND, CommandLine, type Served } from '../../tools/agent/command-line.ts'
import { agentClient } from '../support/client.ts'
import { callText, post } from '../support/credentials.ts'

const line = new CommandLine()
const TOKEN = 'whoever-scrapes-knows-this'
const CALLS = 'adcp_calls_total{task="get_adcp_capabilities",transport="mcp",outcome="ok"}'
let key: string
let server: Served
let metricsPort: number
beforeAll(async () => {
  key = (await line.json('init', '--demo')).key
  metricsPort = await freePort()
  server = await line.serve(['--workers', '2'], {
    SALES_AGENT_METRICS_PORT: String(metricsPort),
    SALES_AGENT_METRICS_TOKEN: TOKEN,
  })
})
afterAll(() => line.close())

/** Processes that a process started and has not seen end (Linux). */
const childrenOf = (pid: number): number[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')
    .split(' ')
    .filter((child) => child.trim() !== '')
    .map(Number)
const isServer = (pid: number): boolean => {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('serve')
  } catch {
    // It ended since it was listed.
    return false
  }
}
const workersOf = (pid: number): number[] => childrenOf(pid).filter(isServer)
/** How many workers have ever said that they serve. */
const saidServing = () =>
  server
    .output()
    .split('\n')
    .filter((text) => text.includes('"msg":"serving"') && !text.includes('"workers":')).length
const scrape = async () => {
  const answer = await fetch(`http://127.0.0.1:${metricsPort}/metrics`)
  expect(answer.status).toBe(200)
  return answer.text()
}
const sample = (text: string, name: string) =>
  Number(
    text
      .split('\n')
      .find((each) => each.startsWith(`${name} `))
      ?.slice(name.length + 1) ?? 0,
  )
/** On a connection of its own, so that the processes take turns; `fetch` would use those again that other calls have left open. */
const ask = async () => {
  const headers = ['Content-Type', 'application/json', 'Authorization', `Bearer ${key}`, 'Connection', 'close']
  return (await post(server.mcpUrl, callText('get_adcp_capabilities'), headers)).status
}

it('several processes answer on one port, and their numbers are summed up for scrapers', async () => {
  // The first of them answers while the others still start; the port for scrapers opens once all serve.
  await vi.waitFor(scrape, { timeout: 120_000, interval: 20 })
  const before = sample(await scrape(), CALLS)
  expect(await Promise.all(Array.from({ length: 30 }, ask))).toEqual(Array(30).fill(200))
  const text = await scrape()
  expect(sample(text, CALLS) - before).toBe(30)
  expect(sample(text, 'adcp_outbox_pending')).toBe(0)
  expect(sample(text, 'adcp_store_up')).toBe(1)
})

it('whichever of them a scraper with the token meets, it gets the sums', async () => {
  const all = sample(await scrape(), CALLS)
  const headers = { authorization: `Bearer ${TOKEN}`, connection: 'close' }
  for (let n = 0; n < 4; n++) {
    const text = await (await fetch(`${server.origin}/metrics`, { headers })).text()
    expect(sample(text, CALLS)).toBe(all)
  }
  expect((await fetch(`${server.origin}/metrics`)).status).toBe(401)
})

it('a key raced over all of them is carried out once', async () => {
  const client = agentClient(server.mcpUrl, key)
  const account = { brand: { domain: 'acme.example' }, operator: 'acme.example' }
  const args = { idempotency_key: 'workers-declare-0001', accounts: [{ ...account, billing: 'operator' }] }
  const replies = await Promise.all(Array.from({ length: 16 }, () => client.call('sync_accounts', args)))
  expect(replies.map(({ status }) => status)).toEqual(Array(16).fill(200))
  expect(replies.filter(({ data }) => data.replayed !== true)).toHaveLength(1)
})

it('a worker that is killed is replaced, and the others go on', async () => {
  const before = sample(await scrape(), CALLS)
  const [victim] = workersOf(server.pid)
  if (victim === undefined) throw new Error('there is no worker')
  process.kill(victim, 'SIGKILL')
  // Until the first process has seen it end, it may still give it connections.
  await vi.waitUntil(() => !childrenOf(server.pid).includes(victim), { timeout: 120_000, interval: 5 })
  // What it counted was counted: a sum that falls looks like a restart of everything.
  expect(sample(await scrape(), CALLS)).toBeGreaterThanOrEqual(before)
  const statuses: number[] = []
  while (saidServing() === 2) statuses.push(await ask())
  for (let n = 0; n < 10; n++) statuses.push(await ask())
  expect(new Set(statuses), 'the one that starts gets no connections').toEqual(new Set([200]))
  expect(workersOf(server.pid)).toHaveLength(2)
})

it('a connection that was given to a worker and not taken when it was killed is answered by another', async () => {
  await vi.waitUntil(() => workersOf(server.pid).length === 2 && saidServing() === 3, { timeout: 120_000, interval: 20 })
  const [victim] = workersOf(server.pid)
  if (victim === undefined) throw new Error('there is no worker')
  process.kill(victim, 'SIGSTOP')
  // The stopped one is given one of them and takes none; the other worker answers the rest.
  let answered = 0
  const calls = Array.from({ length: 6 }, async () => {
    const status = await ask()
    answered += 1
    return status
  })
  await vi.waitUntil(() => answered === calls.length - 1, { timeout: 120_000, interval: 5 })
  process.kill(victim, 'SIGKILL')
  expect(await Promise.all(calls)).toEqual(calls.map(() => 200))
  await vi.waitUntil(() => workersOf(server.pid).length === 2 && saidServing() === 4, { timeout: 120_000, interval: 20 })
})

it('what a killed worker was doing, another one finishes at the first repetition', async () => {
  const account = { brand: { domain: 'acme.example' }, operator: 'acme.example' }
  const [start_time, end_time] = [30, 44].map((days) => new Date(Date.now() + days * 86_400_000).toISOString())
  const packages = [{ product_id: 'ros_display', pricing_option_id: 'cpm_usd_auction', bid_price: 2, budget: 500 }]
  /** On a connection of its own, since the processes take turns at connections. */
  const order = async (idempotency_key: string) => {
    const headers = ['Content-Type', 'application/json', 'Authorization', `Bearer ${key}`, 'Connection', 'close']
    const args = { idempotency_key, account, brand: account.brand, start_time, end_time, packages }
    return (await post(server.mcpUrl, callText('create_media_buy', args), headers)).body?.result?.structuredContent
  }
  const served = (lines: number) =>
    vi.waitUntil(() => workersOf(server.pid).length === 2 && saidServing() === lines, { timeout: 120_000, interval: 20 })
  await served(4)
  const declaration = { idempotency_key: 'workers-declare-0002', accounts: [{ ...account, billing: 'operator' }] }
  await agentClient(server.mcpUrl, key).call('sync_accounts', declaration)
  const keys: string[] = []
  const answered = new Map<string, string>()
  /** Orders one after the other until a worker is killed. */
  const orderUntil = async (killed: () => boolean) => {
    while (!killed()) {
      const each = `workers-killed-order-${String(keys.length).padStart(4, '0')}`
      keys.push(each)
      const answer = await order(each).catch(() => undefined)
      if (answer?.media_buy_id !== undefined) answered.set(each, answer.media_buy_id)
    }
  }
  // A worker that is killed between two orders leaves nothing unfinished: then the next one is killed.
  let kills = 0
  while (answered.size === keys.length && kills < 20) {
    await served(4 + kills)
    // Each time the other worker, and at another moment of its work.
    const victim = workersOf(server.pid)[kills % 2]
    if (victim === undefined) throw new Error('there is no worker')
    const before = kills
    const ordering = Array.from({ length: 8 }, () => orderUntil(() => kills > before))
    await vi.waitUntil(() => answered.size >= 8 * (before + 1), { timeout: 120_000, interval: 1 })
    await sleep(before)
    process.kill(victim, 'SIGKILL')
    kills += 1
    await Promise.all(ordering)
    await vi.waitUntil(() => !childrenOf(server.pid).includes(victim), { timeout: 120_000, interval: 5 })
  }
  expect(answered.size, 'orders that a killed worker left unanswered').toBeLessThan(keys.length)
  const bought = new Set<string>()
  for (const each of keys) {
    const answer = await order(each)
    expect(answer?.adcp_error?.code).toBeUndefined()
    if (answered.has(each)) expect(answer.media_buy_id).toBe(answered.get(each))
    bought.add(answer.media_buy_id)
  }
  expect(bought.size).toBe(keys.length)
  await served(4 + kills)
})

it('SIGTERM ends them all, with exit code 0', async () => {
  const children = workersOf(server.pid)
  expect(children).toHaveLength(2)
  expect(await server.end('SIGTERM')).toEqual({ code: 0, signal: null })
  for (const pid of children) expect(() => process.kill(pid, 0), `worker ${pid} still runs`).toThrow('ESRCH')
})

it('a store that they cannot serve ends the start with its reason', async () => {
  const newer = new CommandLine()
  try {
    await newer.json('init')
    const store = sqliteDriver().open(join(newer.data, 'sales-agent.sqlite'))
    store.exec("INSERT INTO kysely_migration VALUES ('9999-of-a-newer-version', '2030-01-01T00:00:00Z')")
    store.close()
    const { code, stdout, stderr } = await newer.run(['serve', '--workers', '2', '--port', '0', '--data', newer.data])
    expect(code).toBe(1)
    expect(stderr).toContain('made by a newer version of this program (9999-of-a-newer-version)')
    expect(stderr).toContain('error: a worker ended with code 1 before it served')
    expect(`${stdout}${stderr}`).not.toMatch(/serving|AdCP sales agent on| {4}at /)
  } finally {
    await newer.close()
  }
})

it('SIGTERM while they start ends them all too, with exit code 0', async () => {
  const [executable = '', ...words] = COMMAND
  const starting = spawn(executable, [...words, 'serve', '--data', line.data, '--port', '0', '--workers', '2'], {
    stdio: 'ignore',
  })
  const ended = once(starting, 'exit')
  const pid = starting.pid ?? 0
  const children = await vi.waitUntil(() => starting.exitCode === null && workersOf(pid).length > 0 && workersOf(pid), {
    timeout: 120_000,
    interval: 5,
  })
  starting.kill('SIGTERM')
  expect(await ended).toEqual([0, null])
  for (const child of children || []) expect(() => process.kill(child, 0), `worker ${child} still runs`).toThrow('ESRCH')
})

it('whoever guesses keys waits for what all of them have refused', async () => {
  const guarded = await line.serve(['--workers', '2'], {
    SALES_AGENT_TRUSTED_PROXIES: '127.0.0.1',
    SALES_AGENT_LIMITS_FAILURES_PER_ADDRESS: '6',
  })
  const guess = async (n: number) => {
    const wrong = `sk_${String(n).padStart(12, '0')}_${'x'.repeat(43)}`
    const message = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_accounts', arguments: {} } }
    // A connection of its own, and an address that is no loopback.
    const headers = { connection: 'close', 'x-forwarded-for': '203.0.113.77', 'x-forwarded-proto': 'https' }
    return (await agentClient(guarded.mcpUrl, wrong).send(message, headers)).status
  }
  let refused = 0
  while ((await guess(refused)) === 401) refused += 1
  // Six are free and the seventh begins the wait; two that count for themselves would begin at the thirteenth. A slow machine sits out short waits.
  expect(refused).toBeGreaterThanOrEqual(7)
  expect(refused).toBeLessThan(12)
})

it('a port of 0 is chosen once: when all of them end, those in their place have it too', async () => {
  const [executable = '', ...words] = COMMAND
  const first = spawn(executable, [...words, 'serve', '--data', line.data, '--port', '0', '--workers', '2'])
  let output = ''
  for (const stream of [first.stdout, first.stderr]) stream.on('data', (text: Buffer) => (output += text.toString()))
  try {
    const ports = () => output.split('\n').flatMap((text) => (/"msg":"serving"/.test(text) ? [JSON.parse(text).port] : []))
    const waited = { timeout: 120_000, interval: 20 }
    // Two workers, and the process that started them.
    await vi.waitUntil(() => ports().length === 3, waited)
    const ended = workersOf(first.pid ?? 0)
    expect(ended).toHaveLength(2)
    for (const pid of ended) process.kill(pid, 'SIGKILL')
    await vi.waitUntil(() => ports().length === 5, waited)
    const [port] = ports()
    expect(port).toBeGreaterThan(0)
    expect(new Set(ports())).toEqual(new Set([port]))
    expect((await fetch(`http://127.0.0.1:${port}/readyz`)).status).toBe(200)
  } finally {
    first.kill('SIGTERM')
    await once(first, 'exit')
  }
})
