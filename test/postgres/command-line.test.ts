import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { migrations } from '../../src/store/migrations/index.ts'
import { openPostgres } from '../../src/store/postgres/postgres.ts'
import { CommandLine } from '../../tools/agent/command-line.ts'
import { startPostgres, type TestPostgres } from '../../tools/agent/postgres.ts'
import { agentClient } from '../support/client.ts'

let postgres: TestPostgres
const lines: CommandLine[] = []

async function commandLine(name: string): Promise<{ line: CommandLine; url: string }> {
  const url = await postgres.createDatabase(name)
  const line = new CommandLine({ SALES_AGENT_DATABASE: url, SALES_AGENT_LOG_LEVEL: 'error' })
  lines.push(line)
  return { line, url }
}

beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(async () => {
  await Promise.all(lines.map((line) => line.close()))
  await postgres.stop()
})

describe('sales-agent on PostgreSQL', () => {
  it('is set up, asked and changed by the same commands', async () => {
    const { line } = await commandLine('commands')
    const early = await line.run(['tenants', 'list', '--data', line.data])
    expect(early.code).toBe(1)
    expect(early.stderr).toMatch(/no store in postgres:\/\/127\.0\.0\.1:\d+\/commands: run "sales-agent init"/)
    expect(early.stderr).not.toContain('postgres:postgres@')

    const { key } = await line.json('init', '--demo')
    expect(JSON.stringify(await line.json('tenants', 'list'))).toContain('"demo"')
    const server = await line.serve(['--sandbox'])
    const { data } = await agentClient(server.mcpUrl, key).call('get_products', { buying_mode: 'brief', brief: 'video' })
    expect(data.products.length).toBeGreaterThan(0)
    expect(server.output()).not.toContain('postgres:postgres@')

    await line.json('buyers', 'add', 'second')
    const second = await line.json('keys', 'create', '--buyer', 'second')
    const seen = await agentClient(server.mcpUrl, second.token).call('get_products', { buying_mode: 'brief', brief: 'video' })
    expect(seen.isError).toBe(false)
    expect((await server.end()).code).toBe(0)
  })

  it('migrates once, however many do it at the same moment, and tells without changing', async () => {
    const { line } = await commandLine('migrations')
    const missing = await line.run(['migrate', '--check', '--data', line.data, '--json'])
    expect(missing).toMatchObject({ code: 1, stderr: '' })
    expect(JSON.parse(missing.stdout)).toMatchObject({ up_to_date: false, pending: Object.keys(migrations), unknown: [] })
    const runs = await Promise.all([1, 2, 3].map(() => line.json('migrate')))
    const applied = runs.map((run) => run.applied.length).sort((a, b) => a - b)
    expect(applied.slice(0, 2)).toEqual([0, 0])
    expect(applied[2]).toBeGreaterThan(0)
    expect(await line.json('migrate', '--check')).toMatchObject({ up_to_date: true, pending: [], unknown: [] })
  })

  it('says where the database is that does not answer, and why', async () => {
    const line = new CommandLine({ SALES_AGENT_DATABASE: 'postgres://agent:hidden@127.0.0.1:1/agent' })
    lines.push(line)
    const { code, stderr } = await line.run(['migrate', '--data', line.data])
    expect(code).toBe(1)
    expect(stderr).toBe('error: the store does not answer at the moment (connect ECONNREFUSED 127.0.0.1:1)\n')
  })

  it('does not start on a schema that a newer version made', async () => {
    const { line, url } = await commandLine('newer')
    await line.json('migrate')
    const store = await openPostgres(url)
    const known = await store.pool.query('SELECT max(name) AS last FROM kysely_migration')
    await store.pool.query(`INSERT INTO kysely_migration VALUES ('9999-from-the-future', '2099-01-01T00:00:00.000Z')`)
    await store.close()
    expect(known.rows[0].last < '9999').toBe(true)

    const serve = await line.run(['serve', '--port', '0', '--data', line.data])
    expect(serve.code).toBe(1)
    expect(serve.stderr).toBe(
      'error: the store was made by a newer version of this program (9999-from-the-future): start that version, or restore a backup\n',
    )
    const check = await line.run(['migrate', '--check', '--json', '--data', line.data])
    expect(check.code).toBe(1)
    expect(JSON.parse(check.stdout)).toMatchObject({ up_to_date: false, unknown: ['9999-from-the-future'] })
  })

  it('does not start with another secret than the processes that share its store', async () => {
    const { line, url } = await commandLine('secrets')
    await line.json('init')
    const first = await line.serve()
    const other = new CommandLine({ SALES_AGENT_DATABASE: url, SALES_AGENT_SECRET: 'o'.repeat(43) })
    lines.push(other)
    const refused = await other.run(['serve', '--port', '0', '--data', other.data])
    expect(refused.code).toBe(1)
    expect(refused.stderr).toMatch(/^error: the deployment secret is not the one that this store was made with/)
    await first.end()
  })

  it('shows no password of the database, wherever it shows the configuration or an error', async () => {
    const line = new CommandLine({ SALES_AGENT_DATABASE: 'postgres://agent:hunter2@127.0.0.1:1/store?sslpassword=hunter3' })
    lines.push(line)
    const commands = [['init'], ['serve', '--port', '0'], ['migrate', '--check']]
    for (const { code, stdout, stderr } of await Promise.all(commands.map((args) => line.run([...args, '--data', line.data])))) {
      expect(code).toBe(1)
      expect(stdout + stderr).not.toMatch(/hunter/)
      expect(stdout + stderr).toMatch(/\S/)
      expect(stderr).not.toMatch(/\n {4}at /)
    }
  })
})
