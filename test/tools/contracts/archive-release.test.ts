import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { readReleases } from '../../../src/protocol/contract-files/archive-release.ts'
import { contractDocuments } from '../../../src/protocol/contract-files/contract-documents.ts'
import { releaseFiles, writeTarGz, writeZip } from '../../support/archives.ts'

const folder = mkdtempSync(join(tmpdir(), 'archives-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const file = (name: string) => join(folder, name)

describe('releases in an archive', () => {
  it('are found in the wheel of the Python client, the latest patch of each line', async () => {
    writeZip(file('client.whl'), 'adcp/_schemas', {
      ...below('3.1', releaseFiles('3.1.27')),
      ...below('3.1.9', releaseFiles('3.1.9')),
      ...below('3.2', releaseFiles('3.2.4')),
    })
    const found = await readReleases(file('client.whl'))
    expect(found.map(({ line, patch }) => [line, patch])).toEqual([
      ['3.1', '3.1.27'],
      ['3.2', '3.2.4'],
    ])
    expect((await readReleases(file('client.whl'), ['3.2'])).map(({ patch }) => patch)).toEqual(['3.2.4'])
  })

  it('are found in an official bundle, without dereferenced copies and indexes', async () => {
    const more = { 'bundled/media-buy/ask-request.json': {}, 'index.json': {}, 'manifest.schema.json': {}, 'core/error.json': {} }
    await writeTarGz(file('3.2.5.tgz'), 'adcp-3.2.5/schemas', releaseFiles('3.2.5', more))
    const [release] = await readReleases(file('3.2.5.tgz'))
    expect([...(release?.documents.keys() ?? [])].sort()).toEqual([
      'core/error.json',
      'media-buy/ask-request.json',
      'media-buy/ask-response.json',
    ])
  })

  it.each([
    ['text', 'text', 'neither a Python wheel'],
    ['half a bundle', Buffer.from([0x1f, 0x8b, 8, 0, 0]), 'cannot be unpacked'],
    ['half a wheel', Buffer.from('PK\x03\x04'), 'cannot be unpacked'],
  ])('are not looked for in %s', async (_what, content, message) => {
    writeFileSync(file('other'), content)
    await expect(readReleases(file('other'))).rejects.toThrow(message)
  })

  it('are refused without a manifest, as a pre-release, and with a file that is no JSON', async () => {
    writeZip(file('none.whl'), 'adcp', { 'client.json': {} })
    await expect(readReleases(file('none.whl'))).rejects.toThrow('holds no AdCP schemas')
    writeZip(file('beta.whl'), 'adcp/_schemas/3.2', releaseFiles('3.2.0-beta.1'))
    await expect(readReleases(file('beta.whl'))).rejects.toThrow('is of "3.2.0-beta.1"')
    writeZip(file('odd.whl'), 'adcp/_schemas/3.2', releaseFiles('3.2.0', { 'core/odd.json': 'not JSON' }))
    await expect(readReleases(file('odd.whl'))).rejects.toThrow('core/odd.json in')
  })

  it('leave files out whose paths lead elsewhere', async () => {
    const away = { '../../../../etc/passwd.json': {}, 'core/../../x.json': {}, '/root.json': {} }
    writeZip(file('away.whl'), 'adcp/_schemas/3.2', releaseFiles('3.2.4', away))
    const [release] = await readReleases(file('away.whl'))
    expect([...(release?.documents.keys() ?? [])]).toEqual(['media-buy/ask-request.json', 'media-buy/ask-response.json'])
  })

  it('are not unpacked when a file is too large', async () => {
    const large = JSON.stringify({ description: 'x'.repeat(9 * 1024 * 1024) })
    writeZip(file('large.whl'), 'adcp/_schemas/3.2', releaseFiles('3.2.4', { 'core/large.json': large }))
    await expect(readReleases(file('large.whl'))).rejects.toThrow(/core\/large\.json in .* has \d+ bytes; at most/)
  })
})

describe('the contract of a release', () => {
  const release = (schemas: Readonly<Record<string, unknown>>) => {
    writeZip(file('one.whl'), 'adcp/_schemas/3.1', releaseFiles('3.1.27', schemas))
    return readReleases(file('one.whl'))
  }

  it('holds what requests, answers and webhooks reach', async () => {
    const [made] = await release({
      'media-buy/ask-request.json': { properties: { account: { $ref: '../core/account.json' } } },
      'core/account.json': {
        properties: { brand: { $ref: 'https://adcontextprotocol.org/schemas/3.1.27/core/brand.json#/definitions/ref' } },
      },
      'core/brand.json': { definitions: { ref: { type: 'string' } } },
      'core/nobody-refers-to-it.json': {},
      'core/feed-webhook.json': {},
    })
    const contract = contractDocuments(made!)
    expect([...contract.documents.keys()].sort()).toEqual([
      'core/account.json',
      'core/brand.json',
      'core/feed-webhook.json',
      'media-buy/ask-request.json',
      'media-buy/ask-response.json',
    ])
    const tasks = ['media-buy/ask-request.json', 'media-buy/ask-response.json']
    expect(contract.roots).toEqual(['core/account.json', 'core/feed-webhook.json', ...tasks])
    expect(contract.documents.get('core/account.json')).toEqual({
      $id: '/schemas/3.1/core/account.json',
      properties: { brand: { $ref: '/schemas/3.1/core/brand.json#/definitions/ref' } },
    })
  })

  it('is refused when a schema refers to one that is not there, or to something that is no schema of the release', async () => {
    const [broken] = await release({ 'media-buy/ask-request.json': { $ref: '../core/away.json' } })
    expect(() => contractDocuments(broken!)).toThrow('core/away.json is missing')
    const [foreign] = await release({ 'media-buy/ask-request.json': { $ref: 'https://example.com/x.json' } })
    expect(() => contractDocuments(foreign!)).toThrow('which is not part of the schemas')
  })
})

function below(path: string, files: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(files).map(([name, value]) => [`${path}/${name}`, value]))
}
