import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../tools/agent/child.ts'
import { NODE_LINES, obtainNode } from '../../tools/runtime/other-node.ts'

const repository = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'package-installed-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** All that is on the path beside Node: no compiler, no Python, no git. */
const PROGRAMS = ['npm', 'npx', 'sh']
const bare = join(folder, 'bin')
let tarball = ''

beforeAll(async () => {
  mkdirSync(bare)
  for (const program of PROGRAMS) {
    const found = process.env.PATH?.split(delimiter)
      .map((place) => join(place, program))
      .find(existsSync)
    if (found !== undefined) symlinkSync(found, join(bare, program))
  }
  await promisify(execFile)('npm', ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder], { cwd: repository })
  tarball = join(folder, readdirSync(folder).find((name) => name.endsWith('.tgz')) ?? '')
}, 240_000)

const PROGRAM = `
import { judgeSupplyPath } from 'adcp-sales-agent'
import { type AdServerBackend, defineAdServer } from 'adcp-sales-agent/ad-server'
import { defineRanking, type ProductRanking } from 'adcp-sales-agent/ranking'
export const program = (backend: AdServerBackend, ranking: ProductRanking) =>
  [typeof judgeSupplyPath, typeof defineAdServer, typeof defineRanking, typeof backend, ranking.name]
`

const DRIVER = `import('./node_modules/adcp-sales-agent/dist/store/sqlite/choose-sqlite-driver.js').then((m) => console.log(m.sqliteDriver().name))`

const nodes = NODE_LINES.map((line) => ({ line, node: obtainNode(line) }))

describe.each(nodes)('the packed program, installed on Node $line with nothing but Node and npm', ({ line, node }) => {
  if (typeof node === 'string') {
    it.skip(node, () => {})
    return
  }
  const project = join(folder, `project-${line}`)
  const servers: ChildProcess[] = []
  const environment = {
    ...process.env,
    HOME: join(folder, `home-${line}`),
    npm_config_cache: process.env.npm_config_cache ?? join(process.env.HOME ?? '', '.npm'),
    PATH: [dirname(node.executable), bare].join(delimiter),
  }
  const run = async (program: string, ...args: readonly string[]) => {
    const { stdout } = await promisify(execFile)(program, args, { cwd: project, env: environment, maxBuffer: 2 ** 26 })
    return stdout.trim()
  }
  beforeAll(async () => {
    mkdirSync(project)
    mkdirSync(environment.HOME)
    writeFileSync(join(project, 'package.json'), '{"type":"module"}')
    await run('npm', 'install', '--no-audit', '--no-fund', tarball)
  }, 600_000)
  afterAll(() => {
    for (const { pid = 0, exitCode } of servers) if (exitCode === null) process.kill(-pid, 'SIGTERM')
  })

  it('has a driver of the store that nothing had to compile, and nothing that only tests need', async () => {
    expect(await run(node.executable, '-e', DRIVER)).toBe(line < 24 ? '@photostructure/sqlite' : 'node:sqlite')
    expect(existsSync(join(project, 'node_modules/@adcp/sdk'))).toBe(false)
    expect(megabytesOf(join(project, 'node_modules'))).toBeLessThan(LARGEST_MEGABYTES)
  })

  it('starts the demo by its name alone, and sells', async () => {
    const port = String(await freePort())
    const server = spawn('npx', ['adcp-sales-agent'], {
      cwd: project,
      env: { ...environment, SALES_AGENT_PORT: port },
      detached: true,
      stdio: 'ignore',
    })
    servers.push(server)
    while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok) {
      expect(server.exitCode).toBeNull()
      await sleep(100)
    }
    const bought = await run('npx', 'sales-agent', 'try', `http://127.0.0.1:${port}/mcp`, '--data', 'data')
    expect(bought).toContain('The account is a sandbox account')
    const { releases } = JSON.parse(await run('npx', 'adcp-sales-agent', 'protocol', 'list', '--json'))
    expect(releases.map((release: { line: string }) => release.line)).toEqual(['3.0', '3.1', '3.2'])
  }, 240_000)

  it.runIf(line === 20)(
    'compiles against its types, which are checked too',
    async () => {
      writeFileSync(join(project, 'program.ts'), PROGRAM)
      mkdirSync(join(project, 'node_modules/@types'), { recursive: true })
      for (const name of ['@types/node', 'undici-types'])
        if (!existsSync(join(project, 'node_modules', name)))
          symlinkSync(join(repository, 'node_modules', name), join(project, 'node_modules', name))
      const compiler = join(repository, 'node_modules/typescript/bin/tsc')
      const options = [
        '--noEmit',
        '--strict',
        '--module',
        'nodenext',
        '--target',
        'es2023',
        '--types',
        'node',
        '--skipLibCheck',
        'false',
      ]
      expect(await run(node.executable, compiler, ...options, 'program.ts').catch(({ stdout }) => stdout)).toBe('')
    },
    240_000,
  )
})

/** Of which the compiled SQLite for seven platforms is 29. */
const LARGEST_MEGABYTES = 120

function megabytesOf(place: string): number {
  const entries = readdirSync(place, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
  return entries.reduce((bytes, entry) => bytes + statSync(join(entry.parentPath, entry.name)).size, 0) / 1e6
}
