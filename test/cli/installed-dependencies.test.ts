import { execFile } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { afterAll, describe, expect, it } from 'vitest'
import { dependencyFaults, describeFaults } from '../../src/cli/installed-dependencies.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'dependencies-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Runs a script of TypeScript. */
function run(words: readonly string[]): Promise<{ readonly code: unknown; readonly stderr: string }> {
  const tsx = pathToFileURL(createRequire(import.meta.url).resolve('tsx')).href
  return new Promise((resolve) => {
    execFile(process.execPath, ['--import', tsx, ...words], (error, _stdout, stderr) =>
      resolve({ code: error?.code ?? 0, stderr }),
    )
  })
}

/** A package whose libraries are installed in these versions. */
function installed(name: string, dependencies: Record<string, string>, versions: Record<string, string>): string {
  const place = join(folder, name)
  for (const [library, version] of Object.entries(versions)) {
    const file = join(place, 'node_modules', library, 'package.json')
    mkdirSync(dirname(file), { recursive: true })
    writeFileSync(file, JSON.stringify({ version }))
  }
  mkdirSync(place, { recursive: true })
  writeFileSync(join(place, 'package.json'), JSON.stringify({ dependencies }))
  return join(place, 'package.json')
}

describe('libraries that are installed', () => {
  it('are those of this version', () => {
    expect(dependencyFaults()).toEqual([])
  })

  it('are named where one is missing or another', () => {
    const wanted = { '@a/one': '1.2.3', two: 'npm:@b/two@2.0.0', three: '^3.0.0', four: '4.0.0' }
    const faults = dependencyFaults(installed('app', wanted, { '@a/one': '1.2.3', two: '1.9.0', three: '3.1.0' }))
    expect(faults).toEqual([
      { name: 'two', wanted: '2.0.0', installed: '1.9.0' },
      { name: 'four', wanted: '4.0.0', installed: undefined },
    ])
    expect(describeFaults(faults)).toBe(
      'two is 1.9.0 instead of 2.0.0; four 4.0.0 is not installed: run npm ci (or npm install) in the folder of this program',
    )
  })

  it('are looked at before serve and doctor do anything', async () => {
    const copy = join(folder, 'copy')
    for (const part of ['src/cli/sales-agent.ts', 'src/cli/installed-dependencies.ts', 'tsconfig.json']) {
      mkdirSync(dirname(join(copy, part)), { recursive: true })
      cpSync(join(ROOT, part), join(copy, part))
    }
    const { type, dependencies } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
    writeFileSync(join(copy, 'package.json'), JSON.stringify({ type, dependencies: { ...dependencies, 'not-there': '1.0.0' } }))
    symlinkSync(join(ROOT, 'node_modules'), join(copy, 'node_modules'))
    for (const command of ['serve', 'doctor', 'products']) {
      const { code, stderr } = await run([join(copy, 'src/cli/sales-agent.ts'), command])
      expect([command, code]).toEqual([command, 1])
      expect(stderr).toBe('error: not-there 1.0.0 is not installed: run npm ci (or npm install) in the folder of this program\n')
    }
  })
})
