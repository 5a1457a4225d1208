import { strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { ArchiveTooLarge, unzip } from '../../src/platform/unzip.ts'

const ALL = { wants: () => true, maxFiles: 10, maxBytes: 1_000_000 }

describe('unzip', () => {
  it('gives the wanted files whole', async () => {
    const long = 'abc'.repeat(20_000)
    const archive = zipSync({ 'a.txt': strToU8('one'), 'b/c.txt': strToU8(long), 'stored.txt': [strToU8('two'), { level: 0 }] })
    const files = await unzip(archive, { ...ALL, wants: (name) => name !== 'a.txt' })
    expect([...files.keys()]).toEqual(['b/c.txt', 'stored.txt'])
    expect(Buffer.concat(files.get('b/c.txt') ?? []).toString()).toBe(long)
    expect(Buffer.concat(files.get('stored.txt') ?? []).toString()).toBe('two')
  })

  it('counts what comes out, not what the archive declares', async () => {
    const archive = Buffer.from(zipSync({ 'zeros.txt': new Uint8Array(30_000_000) }))
    const declared = Buffer.alloc(4)
    declared.writeUInt32LE(30_000_000)
    for (let at = archive.indexOf(declared); at >= 0; at = archive.indexOf(declared, at + 4)) archive.writeUInt32LE(10, at)
    await expect(unzip(archive, { ...ALL, wants: () => false })).rejects.toThrow(
      new ArchiveTooLarge('unpacks to more than 1000000 bytes'),
    )
  })

  it('refuses too many files', async () => {
    const archive = zipSync(Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`${index}`, strToU8('')])))
    await expect(unzip(archive, ALL)).rejects.toThrow(new ArchiveTooLarge('has more than 10 files'))
  })

  it('throws for a truncated archive, and finds nothing in other bytes', async () => {
    const archive = zipSync({ 'a.txt': strToU8('abc'.repeat(10_000)) })
    await expect(unzip(archive.subarray(0, 60), ALL)).rejects.toThrow()
    expect(await unzip(strToU8('no archive at all'), ALL)).toEqual(new Map())
  })
})
