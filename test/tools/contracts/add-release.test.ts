import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { addReleases } from '../../../src/protocol/contract-files/add-release.ts'
import { readReleases } from '../../../src/protocol/contract-files/archive-release.ts'
import { contractDocuments } from '../../../src/protocol/contract-files/contract-documents.ts'
import { writeContract } from '../../../src/protocol/contract-files/write-contract.ts'
import { missingLines, presentReleases } from '../../../src/protocol/present-sources.ts'
import { Schemas } from '../../../src/protocol/schemas.ts'
import { releaseFiles, writeTarGz } from '../../support/archives.ts'

const folder = mkdtempSync(join(tmpdir(), 'add-release-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))
const data = join(folder, 'data')
const sources = [{ line: '3.1', folder: join(folder, 'built') }]

beforeEach(async () => {
  rmSync(data, { recursive: true, force: true })
  const [built] = await readReleases(await bundle('3.1.5'))
  writeContract(sources[0]!.folder, contractDocuments(built!), { patch: '3.1.5', file: '3.1.5.tgz', sha256: '' })
})

async function bundle(patch: string, schemas = {}): Promise<string> {
  const file = join(folder, `${patch}.tgz`)
  await writeTarGz(file, `adcp-${patch}/schemas`, releaseFiles(patch, schemas))
  return file
}

const hashOf = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex')
const add = (file: string, sha256 = hashOf(file)) =>
  addReleases(file, { dataFolder: data, sha256, present: presentReleases(data, sources), tasks: ['ask'] })

describe('a later patch', () => {
  it('is served from the data folder in place of the one of the build', async () => {
    const request = { type: 'object', properties: { brief: { type: 'string' }, offer: { type: 'integer' } } }
    expect(await add(await bundle('3.1.12', { 'media-buy/ask-request.json': request }))).toEqual(['3.1.12'])
    const [release] = presentReleases(data, sources)
    expect(release).toMatchObject({ patch: '3.1.12', origin: '3.1.12.tgz', place: 'data folder', tools: 1 })
    const schemas = new Schemas(release!.source)
    expect(schemas.request('ask')({ offer: 1 })).toEqual([])
    expect(schemas.request('ask')({ offer: 'one' })).toHaveLength(1)
    expect(readdirSync(join(data, 'contracts'))).toEqual(['3.1.12'])
  })

  it('leaves the schemas of the patch before it as they are: a running server reads them when it needs them', async () => {
    await add(await bundle('3.1.9'))
    const [running] = presentReleases(data, sources)
    const request = { type: 'object', properties: { brief: { type: 'string', maxLength: 3 } } }
    const loose = new Schemas(running!.source)
    await expect(add(await bundle('3.1.10', { 'media-buy/ask-request.json': request }))).rejects.toThrow('maxLength')
    await add(await bundle('3.1.11', { 'core/later.json': {} }))
    expect(presentReleases(data, sources)).toMatchObject([{ patch: '3.1.11' }])
    expect(loose.manifest.adcp_version).toBe('3.1.9')
    expect(loose.request('ask')({ brief: 7 })).toHaveLength(1)
  })

  it('of another hash, an earlier one and one of another line are refused', async () => {
    const later = await bundle('3.1.12')
    await expect(add(later, 'ab'.repeat(32))).rejects.toThrow(`has the SHA-256 ${hashOf(later)}, not abab`)
    await expect(add(await bundle('3.1.5'))).rejects.toThrow('holds 3.1.5; there are 3.1.5.')
    await expect(add(await bundle('3.2.9'))).rejects.toThrow('holds no release of a line that can be added to')
    expect(existsSync(join(data, 'contracts'))).toBe(false)
  })

  it('that changed a served task in an unknown way, or does not compile, is refused', async () => {
    const request = { type: 'object', required: ['brief'], properties: { brief: { type: 'string' } } }
    await expect(add(await bundle('3.1.12', { 'media-buy/ask-request.json': request }))).rejects.toThrow(
      /^AdCP 3\.1\.12 changed tasks .* since 3\.1\.5;.*\n {2}media-buy\/ask-request\.json\/required: "brief" is required$/,
    )
    await expect(add(await bundle('3.1.12', { 'media-buy/ask-request.json': { type: 'wordy' } }))).rejects.toThrow(
      'do not compile: media-buy/ask-request.json: ',
    )
    expect(existsSync(join(data, 'contracts'))).toBe(false)
  })
})

it('says which lines the build did not have', () => {
  expect(missingLines(sources)).toEqual([])
  expect(missingLines([...sources, { line: '3.2', folder: join(folder, 'nothing') }])).toEqual(['3.2'])
})
