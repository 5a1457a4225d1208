import { execFile } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import type { OtherNode } from './other-node.ts'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))

/** What `npm ci` and a built program need. */
const FILES = ['package.json', 'package-lock.json', '.npmrc', 'packages', 'dist', 'assets', 'schemas', 'demo']

/** The built program in a folder of its own, installed by `npm ci --omit=dev` under a Node, as a deployment is. */
export interface Installation {
  readonly folder: string
  /** Words of its command line. */
  readonly command: readonly string[]
  readonly installMs: number
  /** Runs a program there on this Node; gives what it printed. Throws when it fails. */
  run(program: string, ...args: readonly string[]): Promise<string>
  remove(): void
}

/** Installs into a new folder. Throws when there is no build (`npm run build`), or when npm fails. */
export async function install(node: OtherNode): Promise<Installation> {
  if (!existsSync(join(PROJECT, 'dist/cli/sales-agent.js'))) throw new Error('there is no build: run "npm run build" first')
  const folder = mkdtempSync(join(tmpdir(), 'sales-agent-installed-'))
  for (const file of FILES) cpSync(join(PROJECT, file), join(folder, file), { recursive: true })
  const run: Installation['run'] = async (program, ...args) => {
    const environment = { ...process.env, ...node.environment }
    const { stdout } = await promisify(execFile)(program, args, { cwd: folder, env: environment, maxBuffer: 2 ** 26 })
    return stdout.trim()
  }
  const started = performance.now()
  await run('npm', 'ci', '--omit=dev')
  return {
    folder,
    command: [node.executable, join(folder, 'dist/cli/sales-agent.js')],
    installMs: performance.now() - started,
    run,
    remove: () => rmSync(folder, { recursive: true, force: true }),
  }
}
