import { mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { CommandLine, type Served } from '../../tools/agent/command-line.ts'
import { agentClient } from '../support/client.ts'
import { LaterPatches } from '../support/later-patch.ts'
import { wheelIsMissing } from '../support/wheel.ts'

const REQUEST = 'media-buy/get-products-request.json'

describe.skipIf(wheelIsMissing)('a deployment that later patches of 3.1 and 3.2 are added to', () => {
  const line = new CommandLine()
  const patches = new LaterPatches(line.folder)
  let key: string
  let before: Served
  beforeAll(async () => {
    mkdirSync(line.folder, { recursive: true })
    key = (await line.json('init', '--demo')).key
    before = await line.serve()
  })
  afterAll(() => line.close())

  const add = (patch: { readonly file: string; readonly sha256: string }, sha256 = patch.sha256) =>
    line.run(['protocol', 'add', patch.file, '--sha256', sha256, '--data', line.data])
  const present = async () => {
    const { releases } = await line.json('protocol', 'list')
    return releases.map(({ patch, place, source }: Record<string, string>) => [patch, place, source])
  }
  /** Asks for products with a member that only the later patch has. */
  const products = async ({ mcpUrl }: Served, adcp_version: string, later_hint: unknown) => {
    const { data } = await agentClient(mcpUrl, key).call('get_products', { adcp_version, buying_mode: 'wholesale', later_hint })
    return { ...data, count: data.products?.length }
  }
  const withHint = (schemas: Record<string, { properties: object }>) => {
    const request = schemas[REQUEST]
    if (request) request.properties = { ...request.properties, later_hint: { type: 'string', maxLength: 20 } }
  }

  it('refuses what it cannot serve, and stays as it was', async () => {
    const [{ patch: built }] = (await line.json('protocol', 'list')).releases.slice(1)
    const other = await patches.write('3.1.90', 'tgz')
    const refused: [Parameters<typeof add>, RegExp][] = [
      [[other, 'ab'.repeat(32)], /has the SHA-256 [0-9a-f]{64}, not abab/],
      [[other, 'abc'], /--sha256 is 64 hexadecimal digits/],
      [[await patches.write('3.1.1', 'whl')], /holds 3\.1\.1; there are 3\.0\./],
      [
        [
          await patches.write('3.1.91', 'whl', (schemas) => {
            schemas['manifest.json'].adcp_version = '3.3.0'
          }),
        ],
        /holds no release of a line that can be added to/,
      ],
      [
        [await patches.write('3.1.92', 'tgz', (schemas) => schemas[REQUEST].required.push('brand'))],
        new RegExp(
          `3\\.1\\.92 changed tasks that this server serves since ${built}[\\s\\S]*get-products-request\\.json/required: "brand"`,
        ),
      ],
      [
        [
          await patches.write('3.1.93', 'tgz', (schemas) => {
            schemas[REQUEST].properties.brief = { type: 'wordy' }
          }),
        ],
        /AdCP 3\.1\.93 do not compile: media-buy\/get-products-request\.json: /,
      ],
      [
        [
          await patches.write('3.1.94', 'whl', (schemas) => {
            delete schemas['manifest.json'].tools.get_products
          }),
        ],
        /the task get_products is gone/,
      ],
    ]
    for (const [args, reason] of refused)
      expect(await add(...args)).toMatchObject({ code: 1, stderr: expect.stringMatching(reason) })
    expect((await present()).map(([, place]: string[]) => place)).toEqual(['build', 'build', 'build'])
  })

  it('takes a bundle and a wheel while it serves, and serves them from the next start on', async () => {
    const bundle = await patches.write('3.1.98', 'tgz', withHint)
    const wheel = await patches.write('3.2.98', 'whl', withHint)
    for (const patch of [bundle, wheel]) expect(await add(patch)).toMatchObject({ code: 0, stderr: '' })
    expect((await present()).slice(1)).toEqual([
      ['3.1.98', 'data folder', '3.1.98.tgz'],
      ['3.2.98', 'data folder', '3.2.98.whl'],
    ])
    // The server that runs has not read every schema of its releases yet.
    for (const release of ['3.1', '3.2']) expect((await products(before, release, 7)).count).toBeGreaterThan(0)

    const restarted = await line.serve()
    expect(restarted.output()).toMatch(/releases of AdCP: 3\.0\.\d+, 3\.1\.98, 3\.2\.98/)
    for (const release of ['3.1', '3.2']) {
      expect(await products(restarted, release, 'warm')).toMatchObject({ adcp_version: release, count: expect.any(Number) })
      expect((await products(restarted, release, 7)).adcp_error).toMatchObject({ code: 'INVALID_REQUEST', field: 'later_hint' })
    }
    expect((await products(restarted, '3.0', 7)).count).toBeGreaterThan(0)
    const { data } = await agentClient(restarted.mcpUrl, key).call('get_adcp_capabilities', { adcp_version: '3.2' })
    expect(data.adcp.supported_versions).toEqual(['3.0', '3.1', '3.2'])
  })

  it('takes one patch after another; a running server keeps the one that it started with', async () => {
    const served = await line.serve()
    const later = await patches.write('3.1.99', 'whl', (schemas) => {
      withHint(schemas)
      schemas[REQUEST].properties.later_hint.maxLength = 40
    })
    expect(await add(later)).toMatchObject({ code: 0, stdout: expect.stringContaining('AdCP 3.1.99 added') })
    const long = 'x'.repeat(30)
    expect((await products(served, '3.1', long)).adcp_error).toMatchObject({ field: 'later_hint' })
    expect((await products(await line.serve(), '3.1', long)).count).toBeGreaterThan(0)
    expect(await add(later)).toMatchObject({ code: 1, stderr: expect.stringContaining(join(line.folder, '3.1.99.whl')) })
  })
})
