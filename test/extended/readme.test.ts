import { type ChildProcess, execFile, execFileSync, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { freePort } from '../../tools/agent/child.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const START = 'npm ci && npm start'
/** What runs this test; the README has it for people. */
const TEST = 'npm ci && npm test'
const SERVE = 'npx sales-agent serve --data ./publisher'
const TRY = 'npx sales-agent try'

const readme = readFileSync(join(PROJECT, 'README.md'), 'utf8')
const commands = [...readme.matchAll(/^```sh\n([\s\S]*?)^```/gm)].flatMap(([, block = '']) => block.trim().split('\n'))
const SHELLS = [
  ['bash', '-c'],
  ['zsh', '-c'],
  ['pwsh', '-Command'],
] as const
const shells = SHELLS.filter(([name]) => process.env.PATH?.split(delimiter).some((folder) => existsSync(join(folder, name))))

/** The calls of a printed first buy, without ids. */
function callsIn(text: string): string[] {
  return [...text.matchAll(/^\d+\. ((?:buyer|publisher): .*)$/gm)].map(([, call = '']) => call.replace(/ task_\S+/, ''))
}

describe('the commands of the README, in a fresh clone', () => {
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-readme-'))
  const clone = join(folder, 'clone')
  const servers: ChildProcess[] = []

  beforeAll(() => {
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: PROJECT, encoding: 'utf8', maxBuffer: 2 ** 26 })
    for (const path of files.split('\0').filter((each) => each !== '' && existsSync(join(PROJECT, each))))
      cpSync(join(PROJECT, path), join(clone, path))
  })
  afterAll(() => {
    for (const { pid = 0, exitCode } of servers) if (exitCode === null) process.kill(-pid, 'SIGTERM')
    rmSync(folder, { recursive: true, force: true })
  })

  /** Runs a line that serves, in a process group of its own: npm passes no signal on to what it started. */
  async function serve(line: string): Promise<number> {
    const port = await freePort()
    const output = join(folder, 'output')
    const sink = openSync(output, 'a')
    const environment = { ...process.env, SALES_AGENT_PORT: String(port) }
    const server = spawn('bash', ['-c', line], { cwd: clone, env: environment, detached: true, stdio: ['ignore', sink, sink] })
    servers.push(server)
    while (!(await fetch(`http://127.0.0.1:${port}/readyz`).catch(() => undefined))?.ok) {
      if (server.exitCode !== null) throw new Error(`${line}: ${readFileSync(output, 'utf8')}`)
      await sleep(200)
    }
    return port
  }

  function run([program, option]: readonly [string, string], line: string, port: number): Promise<string> {
    const environment = { ...process.env, SALES_AGENT_PORT: String(port) }
    return new Promise((resolve, reject) => {
      execFile(program, [option, line], { cwd: clone, env: environment }, (error, stdout, stderr) =>
        error ? reject(new Error(`${line}: ${stderr}${stdout}`)) : resolve(stdout),
      )
    })
  }

  it('install and start the demo, and work in each shell of this machine', async () => {
    expect(commands).toEqual(expect.arrayContaining([START, TEST, TRY, SERVE]))
    const port = await serve(START)
    for (const shell of shells) {
      expect(callsIn(await run(shell, TRY, port))).toEqual(callsIn(readme))
      const others = commands.filter((line) => ![START, TEST, TRY, SERVE].includes(line))
      expect(others.length).toBeGreaterThan(3)
      // Each shell makes a publisher of its own.
      for (const line of others) await run(shell, line.replaceAll('./publisher', `./publisher-${shell[0]}`), port)
    }
    await serve(SERVE.replace('./publisher', `./publisher-${shells[0]?.[0]}`))
  }, 1_200_000)
})
