import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Scripts with the official clients for Python, and what they need, pinned by hash. */
const SCRIPTS = fileURLToPath(new URL('../clients/python', import.meta.url))
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/python-clients', import.meta.url))
/** What the clients ask for. */
const MINIMUM = [3, 10]
const CANDIDATES = ['python3', '/usr/bin/python3', 'python3.13', 'python3.12', 'python3.11', 'python3.10', 'python']

export interface Ended {
  readonly code: number
  readonly stdout: string
  readonly stderr: string
}

/** A Python that can make virtual environments, or why there is none. */
export async function findPython(): Promise<{ readonly python: string } | { readonly reason: string }> {
  const check = `import sys, venv, ensurepip; sys.exit(sys.version_info < (${MINIMUM.join(', ')}))`
  for (const python of CANDIDATES) if ((await run(python, ['-c', check])).code === 0) return { python }
  return { reason: `no Python ${MINIMUM.join('.')} or later with the modules venv and ensurepip` }
}

/**
 * The Python of a virtual environment that holds exactly the pinned packages. It is made once for each list of packages, below
 * `node_modules/.cache`; `list` is the file with the packages and their hashes. Test files may ask for it at once: each builds in a folder
 * of its own, and the first that is complete is the one that counts. Throws with pip's output when a package cannot be had or has another hash.
 */
export async function pythonEnvironment(python: string, list = 'requirements.txt'): Promise<string> {
  const requirements = join(SCRIPTS, list)
  const { stdout: version } = await must(python, ['--version'])
  const name = createHash('sha256').update(version).update(readFileSync(requirements)).digest('hex').slice(0, 16)
  const folder = join(CACHE, name)
  const interpreter = interpreterOf(folder)
  if (existsSync(interpreter)) return interpreter
  mkdirSync(CACHE, { recursive: true })
  const draft = mkdtempSync(join(CACHE, `${name}-`))
  try {
    await must(python, ['-m', 'venv', draft])
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input']
    const packages = ['--require-hashes', '--only-binary', ':all:', '-r', requirements]
    await must(interpreterOf(draft), ['-m', 'pip', 'install', ...quiet, ...packages])
    renameSync(draft, folder)
  } catch (error) {
    if (!existsSync(interpreter)) throw error
  } finally {
    rmSync(draft, { recursive: true, force: true })
  }
  return interpreter
}

function interpreterOf(folder: string): string {
  return join(folder, process.platform === 'win32' ? 'Scripts/python.exe' : 'bin/python')
}

/** Runs one of the scripts with a key and reads the JSON that it prints. Throws with its messages when it prints none. */
export async function runScript(python: string, script: string, args: readonly string[], key: string): Promise<unknown> {
  const { stdout } = await must(python, [join(SCRIPTS, script), ...args], { ...process.env, AGENT_KEY: key })
  return JSON.parse(stdout)
}

async function must(command: string, args: readonly string[], env?: NodeJS.ProcessEnv): Promise<Ended> {
  const ended = await run(command, args, env)
  if (ended.code === 0) return ended
  throw new Error(`${command} ${args.join(' ')} ended with ${ended.code}:\n${ended.stdout}\n${ended.stderr}`)
}

function run(command: string, args: readonly string[], env: NodeJS.ProcessEnv = process.env): Promise<Ended> {
  return new Promise((resolve) => {
    execFile(command, args, { env, maxBuffer: 256 * 1024 * 1024 }, (error, stdout, stderr) => {
      const code = error ? (typeof error.code === 'number' ? error.code : -1) : 0
      resolve({ code, stdout, stderr })
    })
  })
}
