import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'

const CLIENTS = fileURLToPath(new URL('../clients', import.meta.url))
const CACHE = fileURLToPath(new URL('../../node_modules/.cache/java-clients', import.meta.url))
const CALL_MS = 240_000
const run = promisify(execFile)

/** Whether a JDK and Maven are here, or why the tests that need them are skipped. */
export async function findJava(): Promise<{ readonly reason?: string }> {
  const missing: string[] = []
  for (const [program, flag] of [
    ['javac', '--version'],
    ['mvn', '--version'],
  ] as const)
    await run(program, [flag]).catch(() => missing.push(program))
  return missing.length === 0 ? {} : { reason: `no ${missing.join(' and no ')}` }
}

/** Class path of a compiled judge below `test/clients` and its libraries, which Maven fetches once. Throws with Maven's output when they cannot be had. */
export async function judgeClasses(client: 'gam-java' | 'ubl-java'): Promise<string> {
  const sourceFolder = join(CLIENTS, client)
  const sources = ['pom.xml', 'Judge.java'].map((file) => readFileSync(join(sourceFolder, file)))
  const name = sources
    .reduce((hash, source) => hash.update(source), createHash('sha256'))
    .digest('hex')
    .slice(0, 16)
  const folder = join(CACHE, name)
  if (!existsSync(folder)) {
    mkdirSync(CACHE, { recursive: true })
    const draft = mkdtempSync(join(CACHE, `${name}-`))
    try {
      const copy = [
        '-q',
        '-B',
        '-f',
        join(sourceFolder, 'pom.xml'),
        'dependency:copy-dependencies',
        `-DoutputDirectory=${join(draft, 'lib')}`,
      ]
      await run('mvn', copy, { timeout: CALL_MS })
      await run('javac', ['-d', draft, '-cp', join(draft, 'lib', '*'), join(sourceFolder, 'Judge.java')], { timeout: CALL_MS })
      renameSync(draft, folder)
    } finally {
      rmSync(draft, { recursive: true, force: true })
    }
  }
  return `${folder}:${join(folder, 'lib', '*')}`
}

/** Runs the judge. Gives the lines that it prints; throws with its messages when it does not accept something. */
export async function judge(classes: string, args: readonly string[]): Promise<readonly string[]> {
  const { stdout } = await run('java', ['-cp', classes, 'Judge', ...args], { timeout: CALL_MS, maxBuffer: 16_000_000 })
  return stdout.trim().split('\n')
}
