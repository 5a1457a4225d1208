import { spawn } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { COMMAND, CommandLine, type Served } from '../../tools/agent/command-line.ts'
import { agentClient } from '../support/client.ts'

const line = new CommandLine()
let initialised: { data: string; tenant: string; agent_url: string; key: string }
beforeAll(async () => {
  initialised = await line.json('init', '--demo')
})
afterAll(() => line.close())

/** The HTTP status and the error code that a key gets for listing its accounts. */
async function standing(server: Served, key: string): Promise<[status: number, code: string | undefined]> {
  const { status, data } = await agentClient(server.mcpUrl, key).call('list_accounts')
  return [status, data.adcp_error?.code]
}

test('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync('package.json', 'utf8'))
  expect(await line.run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n` })
})

describe('init', () => {
  test('prints what scripts need', () => {
    expect(initialised).toEqual({
      data: line.data,
      store: line.data,
      tenant: 'demo',
      agent_url: 'http://127.0.0.1:3000/mcp',
      key: expect.stringMatching(/^sk_[0-9a-f]{12}_[\w-]{43}$/),
    })
  })

  test('again: changes nothing, and says so', async () => {
    const before = await line.json('keys', 'list')
    expect(await line.json('init', '--demo')).toEqual({ ...initialised, key: null })
    const { stdout } = await line.run(['init', '--demo', '--data', line.data])
    expect(stdout).toMatch(/already.*nothing was changed/)
    expect(await line.json('keys', 'list')).toEqual(before)
  })

  test('other commands on a folder without a store name the remedy', async () => {
    const { code, stderr } = await line.run(['keys', 'list', '--data', join(line.folder, 'nothing')])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/sales-agent init/)])
  })
})

describe('serve', () => {
  test('is live and ready, prints its address, and ends with 0 on SIGTERM after the call in flight', async () => {
    const server = await line.serve()
    expect(server.output()).toContain(server.mcpUrl)
    for (const path of ['/livez', '/readyz']) expect((await fetch(server.origin + path)).status).toBe(200)
    expect(await standing(server, initialised.key)).toEqual([200, undefined])

    const inFlight = await slowCall(server, initialised.key)
    const ended = server.end('SIGTERM')
    const newcomer = () =>
      fetch(`${server.origin}/livez`, { headers: { connection: 'close' } }).then(
        () => 'served',
        () => 'turned away',
      )
    await expect.poll(newcomer, { timeout: 8_000 }).toBe('turned away')
    const reply = await inFlight.finish()
    expect(reply).toMatchObject({ status: 200, body: { result: { structuredContent: { status: 'completed' } } } })
    expect(await ended).toEqual({ code: 0, signal: null })
  })

  test('--port 0 takes a free port and prints it', async () => {
    const [executable = '', ...words] = COMMAND
    const child = spawn(executable, [...words, 'serve', '--data', line.data, '--port', '0'], {
      stdio: ['ignore', 'pipe', 'ignore'],
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    const url = await new Promise<string>((resolve) => {
      child.stdout.setEncoding('utf8').on('data', (text: string) => {
        const found = /http:\S+\/mcp/.exec(text)
        if (found) resolve(found[0])
      })
    })
    expect(new URL(url).port).not.toBe('0')
    const { isError, data } = await agentClient(url).call('get_adcp_capabilities')
    expect(isError, JSON.stringify(data)).toBe(false)
    child.kill('SIGTERM')
    expect(await ended).toBe(0)
  })

  test('a port that is taken ends it with an error that names the port', async () => {
    const server = await line.serve()
    const { port } = new URL(server.origin)
    const { code, stderr } = await line.run(['serve', '--data', line.data, '--port', port])
    expect(code).toBe(1)
    // One line for people, no stack.
    expect(stderr).toMatch(new RegExp(`^error: port ${port} is taken .*or choose another port\\n$`))
    await server.end()
  })

  test('--stdio speaks MCP as the principal of the key in the environment', async () => {
    const [executable = '', ...words] = COMMAND
    const child = spawn(executable, [...words, 'serve', '--data', line.data, '--stdio'], {
      env: { ...process.env, SALES_AGENT_KEY: initialised.key },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    const ended = new Promise((resolve) => child.once('exit', resolve))
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output += text
    })
    const params = { protocolVersion: '2025-06-18', capabilities: {}, clientInfo: { name: 'test', version: '1' } }
    const messages = [
      { jsonrpc: '2.0', id: 1, method: 'initialize', params },
      { jsonrpc: '2.0', method: 'notifications/initialized' },
      { jsonrpc: '2.0', id: 2, method: 'tools/call', params: { name: 'list_accounts', arguments: {} } },
    ]
    child.stdin.write(messages.map((message) => `${JSON.stringify(message)}\n`).join(''))
    await expect.poll(() => output.trim().split('\n').length, { timeout: 60_000 }).toBe(2)
    child.stdin.end()
    expect(await ended).toBe(0)
    const [first, second] = output
      .trim()
      .split('\n')
      .map((text) => JSON.parse(text))
    expect(first).toMatchObject({ id: 1, result: { serverInfo: { name: 'adcp-sales-agent' } } })
    expect(second).toMatchObject({
      id: 2,
      result: { structuredContent: { status: 'completed', accounts: [{ sandbox: true, status: 'active' }] } },
    })
  })

  test('--stdio with a key that does not count ends at once and says so', async () => {
    const [executable = '', ...words] = COMMAND
    const child = spawn(executable, [...words, 'serve', '--data', line.data, '--stdio'], {
      env: { ...process.env, SALES_AGENT_KEY: 'sk_none' },
      stdio: ['pipe', 'ignore', 'pipe'],
    })
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    expect(await new Promise((resolve) => child.once('close', resolve))).toBe(1)
    expect(errors).toContain('error: the key in SALES_AGENT_KEY is not valid here')
  })
})

/** A call that the server has begun to read, and whose last byte is held back until `finish`. */
async function slowCall(server: Served, key: string) {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name: 'list_accounts', arguments: {} } })
  const sent = request(server.mcpUrl, {
    method: 'POST',
    headers: {
      authorization: `Bearer ${key}`,
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(body),
      // The server says when it has read the headers.
      expect: '100-continue',
    },
  })
  const begun = new Promise((resolve) => sent.once('continue', resolve))
  const reply = new Promise<{ status: number | undefined; body: unknown }>((resolve, reject) => {
    sent.on('error', reject).on('response', (response) => {
      let text = ''
      response
        .setEncoding('utf8')
        .on('data', (chunk: string) => {
          text += chunk
        })
        .on('end', () => resolve({ status: response.statusCode, body: JSON.parse(text) }))
    })
  })
  sent.write(body.slice(0, -1))
  await begun
  return {
    finish: () => {
      sent.end(body.slice(-1))
      return reply
    },
  }
}

describe('tenants, principals and keys', () => {
  let server: Served
  beforeAll(async () => {
    server = await line.serve()
    await line.json('tenants', 'add', 'acme', '--domain', 'acme.example')
    await line.json('buyers', 'add', 'buyer', '--tenant', 'acme', '--name', 'Buyer')
  })
  afterAll(() => server.end())
  const ofAcme = ['--tenant', 'acme'] as const

  test('lists show what was added', async () => {
    const { items: tenants } = await line.json('tenants', 'list')
    expect(tenants).toMatchObject([{ tenant: 'acme' }, { tenant: 'demo', public_default: true }])
    const { items: principals } = await line.json('buyers', 'list', ...ofAcme)
    expect(principals).toMatchObject([{ tenant: 'acme', principal: 'buyer', name: 'Buyer', status: 'active', sandbox: false }])
  })

  test('with two tenants a command wants to know which', async () => {
    const { code, stderr } = await line.run(['keys', 'list', '--data', line.data])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/--tenant.*acme.*demo/)])
  })

  test('a key works at once, and its list shows prefix, last four and last use, never the token', async () => {
    const { token, key_id } = await line.json('keys', 'create', ...ofAcme, '--buyer', 'buyer')
    const listed = async () =>
      (await line.json('keys', 'list', ...ofAcme)).items.find((key: { key_id: string }) => key.key_id === key_id)
    expect(await listed()).toMatchObject({
      token: `${token.slice(0, 15)}…${token.slice(-4)}`,
      status: 'active',
      last_used_at: null,
    })
    expect(await standing(server, token)).toEqual([200, undefined])
    const { last_used_at } = await listed()
    expect(Date.now() - Date.parse(last_used_at)).toBeLessThan(30_000)
    expect(JSON.stringify(await line.json('keys', 'list', ...ofAcme))).not.toContain(token)
  })

  test('rotate: both keys work for the overlap, then the old one ends', async () => {
    const old = await line.json('keys', 'create', ...ofAcme, '--buyer', 'buyer')
    const successor = await line.json('keys', 'rotate', old.key_id, ...ofAcme, '--overlap', '1h')
    expect(await standing(server, old.token)).toEqual([200, undefined])
    expect(await standing(server, successor.token)).toEqual([200, undefined])
    const third = await line.json('keys', 'rotate', successor.key_id, ...ofAcme, '--overlap', '0m')
    expect(await standing(server, successor.token)).toEqual([401, 'AUTH_INVALID'])
    expect(await standing(server, third.token)).toEqual([200, undefined])
  })

  test('rotate: the overlap makes no key live longer, and the successor lives as long as the old key was to', async () => {
    const old = await line.json('keys', 'create', ...ofAcme, '--buyer', 'buyer', '--expires', '2h')
    const successor = await line.json('keys', 'rotate', old.key_id, ...ofAcme, '--overlap', '24h')
    const { items: keys } = await line.json('keys', 'list', ...ofAcme)
    expect(keys.find((key: { key_id: string }) => key.key_id === old.key_id).expires_at).toBe(old.expires_at)
    expect(Math.round((Date.parse(successor.expires_at) - Date.now()) / 3_600_000)).toBe(2)
  })

  test('revoke: 401 from the next call on', async () => {
    const { token, key_id } = await line.json('keys', 'create', ...ofAcme, '--buyer', 'buyer')
    expect(await standing(server, token)).toEqual([200, undefined])
    await line.json('keys', 'revoke', key_id, ...ofAcme)
    expect(await standing(server, token)).toEqual([401, 'AUTH_INVALID'])
  })

  test('scopes and expiry hold', async () => {
    const narrow = await line.json('keys', 'create', ...ofAcme, '--buyer', 'buyer', '--scopes', 'adcp:products')
    expect(await standing(server, narrow.token)).toEqual([200, 'INSUFFICIENT_PERMISSIONS'])
    const { expires_at } = await line.json('keys', 'create', ...ofAcme, '--buyer', 'buyer', '--expires', '90d')
    expect(Math.round((Date.parse(expires_at) - Date.now()) / 86_400_000)).toBe(90)
    const past = await line.run(['keys', 'create', '--data', line.data, ...ofAcme, '--buyer', 'buyer', '--expires', '2020-01-01'])
    expect([past.code, past.stderr]).toEqual([1, expect.stringContaining('past')])
  })

  test('suspend: every key of the agent stops, --resume brings them back', async () => {
    const { token } = await line.json('keys', 'create', ...ofAcme, '--buyer', 'buyer')
    await line.json('buyers', 'suspend', 'buyer', ...ofAcme)
    expect(await standing(server, token)).toEqual([401, 'AUTH_INVALID'])
    await line.json('buyers', 'suspend', 'buyer', ...ofAcme, '--resume')
    expect(await standing(server, token)).toEqual([200, undefined])
  })

  test.concurrent.each([
    [['keys', 'create', '--tenant', 'acme', '--buyer', 'nobody'], 'nobody'],
    [['keys', 'create', '--tenant', 'acme', '--buyer', 'buyer', '--scopes', 'adcp:everything'], 'adcp:everything'],
    [['keys', 'revoke', 'ffffffffffff', '--tenant', 'acme'], 'ffffffffffff'],
    [['buyers', 'add', 'buyer', '--tenant', 'acme'], 'buyer'],
    [['tenants', 'add', 'acme', '--domain', 'acme.example'], 'acme'],
  ])('%j is refused by name', async (args, name) => {
    const { code, stderr } = await line.run([...args, '--data', line.data, '--json'])
    expect(code).toBe(1)
    expect(JSON.parse(stderr).error.message).toContain(name)
  })
})

describe('config check', () => {
  const file = join(line.folder, 'config.yaml')
  const check = (text: string) => {
    writeFileSync(file, text)
    return line.run(['config', 'check', file])
  }

  test('a file that is right', async () => {
    expect(await check('port: 4000\nlog:\n  level: warn\n')).toMatchObject({ code: 0, stdout: expect.stringContaining('fine') })
  })

  test('names the offending lines', async () => {
    const { code, stdout } = await check('port: 4000\nlog:\n  level: loud\nidempotency:\n  leaseSeconds: 0\nporst: 1\n')
    expect(code).toBe(1)
    expect(stdout).toMatch(/line 3: log\.level/)
    expect(stdout).toMatch(/line 5: idempotency\.leaseSeconds/)
    expect(stdout).toMatch(/line 6: porst/)
  })

  test('a file that is no YAML', async () => {
    const { code, stdout } = await check('port: 4000\nlog: [1\n')
    expect([code, stdout]).toEqual([1, expect.stringMatching(/line [23]/)])
  })

  test('serve refuses a wrong file before it listens', async () => {
    writeFileSync(file, 'port: many\n')
    const { code, stderr } = await line.run(['serve', '--data', line.data, '--config', file])
    expect([code, stderr]).toEqual([1, expect.stringMatching(/line 1: port/)])
  })
})

describe('products', () => {
  const ofDemo = ['--tenant', 'demo'] as const
  const file = join(line.folder, 'products.json')

  test('export, a change seen by --dry-run and made by import, and list', async () => {
    expect((await line.run(['products', 'export', '--data', line.data, ...ofDemo, '--out', file])).code).toBe(0)
    const before = (await line.json('products', 'list', ...ofDemo)).items
    expect(before.length).toBeGreaterThanOrEqual(40)
    const unchanged = await line.json('products', 'import', file, ...ofDemo, '--dry-run')
    expect(unchanged).toMatchObject({ added: [], changed: [], removed: [] })

    const document = JSON.parse((await line.run(['products', 'export', '--data', line.data, ...ofDemo])).stdout)
    const dropped = document.products.pop().product_id
    document.products[0].name = 'Renamed'
    writeFileSync(file, JSON.stringify(document))
    const expected = { removed: [dropped], changed: [{ product_id: document.products[0].product_id }] }
    const kept = { ...expected, removed: [] }
    expect(await line.json('products', 'import', file, ...ofDemo, '--dry-run')).toMatchObject({ ...kept, dry_run: true })
    const replacing = ['products', 'import', file, ...ofDemo, '--replace', '--yes']
    expect(await line.json(...replacing, '--dry-run')).toMatchObject({ ...expected, dry_run: true })
    expect((await line.json('products', 'list', ...ofDemo)).items).toEqual(before)
    expect(await line.json(...replacing)).toMatchObject({ ...expected, dry_run: false })
    const after = (await line.json('products', 'list', ...ofDemo)).items
    expect(after).toHaveLength(before.length - 1)
    expect(after.map(({ name }: { name: string }) => name)).toContain('Renamed')
  })

  test('one wrong product: nothing is imported and the report names it', async () => {
    const before = await line.json('products', 'list', ...ofDemo)
    const document = JSON.parse((await line.run(['products', 'export', '--data', line.data, ...ofDemo])).stdout)
    document.products[0].name = 'Half imported'
    document.products[3].pricing_options[0].currency = 'dollars'
    writeFileSync(file, JSON.stringify(document))
    const { code, stderr } = await line.run(['products', 'import', file, '--data', line.data, ...ofDemo])
    expect(code).toBe(1)
    expect(stderr).toContain(document.products[3].product_id)
    expect(stderr).toContain('currency')
    expect(await line.json('products', 'list', ...ofDemo)).toEqual(before)
  })

  test('a running server sells what was imported last', async () => {
    const server = await line.serve()
    const buyer = agentClient(server.mcpUrl, initialised.key)
    const offered = async () => {
      const { data } = await buyer.call('get_products', { buying_mode: 'wholesale', pagination: { max_results: 100 } })
      return data.products.map(({ name }: { name: string }) => name)
    }
    expect(await offered()).toContain('Renamed')
    const document = JSON.parse((await line.run(['products', 'export', '--data', line.data, ...ofDemo])).stdout)
    document.products[0].name = 'Renamed again'
    writeFileSync(file, JSON.stringify(document))
    await line.json('products', 'import', file, ...ofDemo)
    expect(await offered()).toContain('Renamed again')
    await server.end()
  })
})

describe('mistakes at the prompt', () => {
  test.concurrent.each([[['serv']], [['serve', '--port', '70000']], [['keys']], [['keys', 'create']]])(
    '%j ends with an error and help',
    async (args) => {
      const { code, stdout, stderr } = await line.run(args)
      expect(code).toBe(1)
      expect(stdout + stderr).toMatch(/Usage: sales-agent|error:/)
    },
  )
})
