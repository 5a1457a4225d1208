import { strToU8, zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { decode } from '../../../src/platform/decode/decode.ts'

const LIMITS = { maxFiles: 10, maxBytes: 1_000_000 }
const unzip = async (bytes: Uint8Array) => new Map(await decode('archive', { bytes, ...LIMITS }))

describe('archives', () => {
  it('give their files whole', async () => {
    const long = 'abc'.repeat(20_000)
    const files = await unzip(zipSync({ 'b/c.txt': strToU8(long), 'stored.txt': [strToU8('two'), { level: 0 }] }))
    expect([...files.keys()]).toEqual(['b/c.txt', 'stored.txt'])
    expect([...files.values()].map((content) => Buffer.from(content).toString())).toEqual([long, 'two'])
  })

  it('count by what comes out, not by what they declare', async () => {
    const archive = Buffer.from(zipSync({ 'zeros.txt': new Uint8Array(30_000_000) }))
    const declared = Buffer.alloc(4)
    declared.writeUInt32LE(30_000_000)
    for (let at = archive.indexOf(declared); at >= 0; at = archive.indexOf(declared, at + 4)) archive.writeUInt32LE(10, at)
    await expect(unzip(archive)).rejects.toMatchObject({ limit: 'size', message: 'unpacks to more than 1000000 bytes' })
  })

  it('are refused with too many files', async () => {
    const archive = zipSync(Object.fromEntries(Array.from({ length: 11 }, (_, index) => [`${index}`, strToU8('')])))
    await expect(unzip(archive)).rejects.toMatchObject({ limit: 'size', message: 'has more than 10 files' })
  })

  it('that are cut off are refused; other bytes have no files', async () => {
    const archive = zipSync({ 'a.txt': strToU8('abc'.repeat(10_000)) })
    await expect(unzip(archive.subarray(0, 60))).rejects.toMatchObject({ limit: 'content' })
    expect(await unzip(strToU8('no archive at all'))).toEqual(new Map())
  })
})
