import { expect, it } from 'vitest'
import { fileTypeOf } from '../../../src/ad-serving/embedded/files/file-type.ts'

/** A JPEG of segments as short as they may be, each of which the reader has to skip (ITU-T T.81, B.1.1.4). */
const segments = (count: number) => Buffer.concat([Buffer.from('ffd8', 'hex'), Buffer.from('ffe10002'.repeat(count), 'hex')])

it('the size of an image is read from its headers', async () => {
  const png = Buffer.from('89504e470d0a1a0a0000000d494844520000012c000000fa0806000000', 'hex')
  expect(await fileTypeOf(png)).toEqual({ kind: 'image', mimeType: 'image/png', size: { width: 300, height: 250 } })
})

it('an image of nothing but headers has no size', async () => {
  expect(await fileTypeOf(segments(475_000))).toBeUndefined()
})

it.each(['avif', 'avis', 'mif1', 'heic'])(
  'tells an image of the brand %s from a video: both begin as MP4 does',
  async (brand) => {
    const file = (name: string) => Buffer.concat([Buffer.from([0, 0, 0, 24]), Buffer.from(`ftyp${name}`), Buffer.alloc(64)])
    expect(await fileTypeOf(file(brand))).toBeUndefined()
    expect(await fileTypeOf(file('isom'))).toEqual({ kind: 'video', mimeType: 'video/mp4' })
    expect(await fileTypeOf(file('qt  '))).toEqual({ kind: 'video', mimeType: 'video/quicktime' })
  },
)
