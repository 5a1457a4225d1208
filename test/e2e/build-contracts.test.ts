import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterAll, expect, it } from 'vitest'
import { GAM_OPTIONS } from '../../src/ad-serving/gam/gam-options.ts'
import { MANUAL_OPTIONS } from '../../src/ad-serving/manual/manual-options.ts'
import { CompiledValidators } from '../../src/protocol/compiled-validators.ts'
import { BASE_SOURCE } from '../../src/protocol/contract-source.ts'
import { plainIssues } from '../../src/protocol/plain-issues.ts'
import { Schemas } from '../../src/protocol/schemas.ts'
import { releaseFiles, writeTarGz } from '../support/archives.ts'

const build = fileURLToPath(new URL('../../tools/contracts/build.ts', import.meta.url))
const src = fileURLToPath(new URL('../../src', import.meta.url))
const tsx = fileURLToPath(new URL('../../node_modules/tsx/dist/cli.mjs', import.meta.url))
const folder = mkdtempSync(join(tmpdir(), 'build-contracts-'))
const dist = join(folder, 'dist')
afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** A build into a folder of its own, on a machine without pip. */
async function built(...args: string[]): Promise<{ status: number; output: string }> {
  rmSync(dist, { recursive: true, force: true })
  const all = [tsx, build, '--dist', dist, '--cache', join(folder, 'cache'), ...args]
  const env = { ...process.env, PATH: join(folder, 'no-programs') }
  return new Promise((resolve) => {
    execFile(process.execPath, all, { env }, (error, stdout, stderr) => {
      resolve({ status: error ? Number(error.code) : 0, output: `${stdout}${stderr}` })
    })
  })
}

/** A schema that the build leaves out is compiled while somebody waits: a hundred milliseconds for the larger ones. */
function expectOwnValidators() {
  const folder = join(dist, 'validators/own')
  const names = Object.keys(JSON.parse(readFileSync(join(folder, 'modules.json'), 'utf8')))
  const sources = readdirSync(src, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'))
  const asked = sources.flatMap((file) => [
    ...readFileSync(join(src, file), 'utf8').matchAll(/'(own:(?!registry-openapi|admin-openapi|directory-openapi)[^']+)'/g),
  ])
  expect(asked.length).toBeGreaterThan(15)
  expect(asked.map(([, path = '']) => path).filter((path) => path.endsWith('.json') && !names.includes(path))).toEqual([])
  expect(names).toEqual(
    expect.arrayContaining([
      'own:direct-order.json#/definitions/targeting',
      GAM_OPTIONS,
      MANUAL_OPTIONS,
      'registry getAgent 200',
    ]),
  )
  const own = new CompiledValidators(folder)
  const [now, built] = [new Schemas(BASE_SOURCE, { precompiled: false }), own.validator('own:products-import.json')]
  const file = { version: 1, products: [{ product_id: 7, surprise: true }] }
  expect(built?.(file)).toBe(false)
  expect(plainIssues(built?.errors ?? [])).toEqual(now.validator('own:products-import.json')(file))
  expect(own.validator('own:direct-order.json#/definitions/targeting')?.({ countries: ['Sweden'] })).toBe(false)
  expect(own.validator('own:direct-order.json#/definitions/targeting')?.({ countries: ['SE'] })).toBe(true)
}

it('goes on with 3.0 without pip, names what is missing, and compiles nothing the second time', async () => {
  const first = await built()
  expect(first.status).toBe(0)
  expect(first.output).toMatch(/^AdCP 3\.0\.\d+ \(npm @adcp\/sdk\): \d+ validators compiled$/m)
  expect(first.output).toContain('AdCP 3.1 and 3.2 missing: pip, the package installer of Python, is not installed.')
  expect(first.output).toContain('npm run build -- --from FILE')
  expect(readdirSync(join(dist, 'validators'))).toEqual(['3.0', 'own'])
  expectOwnValidators()

  const second = await built('--require-all')
  expect(second.status).toBe(1)
  expect(second.output).not.toContain('compiled')
  expect(existsSync(join(dist, 'validators/3.0/modules.json'))).toBe(true)
})

it('takes a release from a file, and later builds keep it', async () => {
  const file = join(folder, '3.1.99.tgz')
  await writeTarGz(file, 'adcp-3.1.99/schemas', releaseFiles('3.1.99'))
  const first = await built('--from', file)
  expect(first.output).toContain('AdCP 3.1.99 (3.1.99.tgz): 2 validators compiled')
  expect(first.output).toContain('AdCP 3.2 missing')

  rmSync(file)
  const second = await built()
  expect(second.output).toContain('AdCP 3.2 missing')
  expect(JSON.parse(readFileSync(join(dist, 'contracts/3.1/source.json'), 'utf8'))).toMatchObject({
    patch: '3.1.99',
    file: '3.1.99.tgz',
  })
  const index = JSON.parse(readFileSync(join(dist, 'validators/3.1/modules.json'), 'utf8'))
  expect(Object.keys(index)).toEqual(['media-buy/ask-request.json', 'media-buy/ask-response.json'])
  const validate = new CompiledValidators(join(dist, 'validators/3.1')).validator('media-buy/ask-request.json')
  expect(validate?.({ brief: 'video' })).toBe(true)
  expect(validate?.({ brief: 7 })).toBe(false)
})

it('says what is wrong with a file', async () => {
  const { status, output } = await built('--from', build)
  expect(status).toBe(1)
  expect(output).toContain('is neither a Python wheel (.whl) nor an official protocol bundle (.tgz)')
})
