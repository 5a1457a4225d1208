import { decode } from '../../../platform/decode/decode.ts'
import { DecodeFault } from '../../../platform/decode/decode-fault.ts'
import type { Size } from '../line.ts'

/** What the content of a file is; its name and what a server says of it do not count. */
export interface FileType {
  readonly kind: 'image' | 'video' | 'zip'
  readonly mimeType: string
  /** Pixels of an image. */
  readonly size?: Size
}

const IMAGES = [
  { mimeType: 'image/png', at: 0, bytes: '89504e470d0a1a0a' },
  { mimeType: 'image/jpeg', at: 0, bytes: 'ffd8ff' },
  { mimeType: 'image/gif', at: 0, bytes: '47494638' },
  { mimeType: 'image/webp', at: 8, bytes: '57454250' },
] as const

/** A local file header of a zip archive (APPNOTE 4.3.7). */
const ZIP = '504b0304'
/** An EBML header (RFC 8794); its first bytes name the document type. */
const EBML = '1a45dfa3'
const EBML_HEADER = 256
/** Brands of still and moving images in the container of MP4: AVIF (AV1 Image File Format, §6) and HEIF (ISO/IEC 23008-12, 10). No browser plays them as videos. */
const IMAGE_BRANDS: ReadonlySet<string> = new Set([
  ...['avif', 'avis', 'miaf', 'mif1', 'mif2', 'msf1'],
  ...['heic', 'heix', 'heim', 'heis', 'hevc', 'hevx', 'hevm', 'hevs'],
])

/** The type of a file by its first bytes; undefined for what no creative is made of. Images that cannot be read have none. `sender`: as the buyer of `decode`. Throws DecodeFault for an image that exceeds a limit. */
export async function fileTypeOf(content: Buffer, sender?: string): Promise<FileType | undefined> {
  const starts = (at: number, bytes: string) => content.subarray(at, at + bytes.length / 2).toString('hex') === bytes
  const image = IMAGES.find(({ at, bytes }) => starts(at, bytes))
  if (image) {
    const size = await pixelsOf(content, sender)
    return size && { kind: 'image', mimeType: image.mimeType, size }
  }
  if (starts(0, ZIP)) return { kind: 'zip', mimeType: 'application/zip' }
  // ISO/IEC 14496-12, 4.3: a file begins with its brand.
  if (content.subarray(4, 8).toString('latin1') === 'ftyp') {
    const brand = content.subarray(8, 12).toString('latin1')
    if (IMAGE_BRANDS.has(brand)) return undefined
    return { kind: 'video', mimeType: brand.startsWith('qt') ? 'video/quicktime' : 'video/mp4' }
  }
  if (starts(0, EBML) && content.subarray(0, EBML_HEADER).includes('webm')) return { kind: 'video', mimeType: 'video/webm' }
  return undefined
}

/** Throws DecodeFault for an image that exceeds a limit. */
async function pixelsOf(content: Buffer, sender: string | undefined): Promise<Size | undefined> {
  try {
    const [size] = await decode('image', { bytes: content }, sender)
    return size
  } catch (error) {
    if (error instanceof DecodeFault && error.limit === 'content') return undefined
    throw error
  }
}

const EXTENSIONS: Readonly<Record<string, string>> = {
  'image/png': 'png',
  'image/jpeg': 'jpg',
  'image/gif': 'gif',
  'image/webp': 'webp',
  'video/mp4': 'mp4',
  'video/quicktime': 'mov',
  'video/webm': 'webm',
}

/** How the name of a file of a type ends. */
export function extensionOf(mimeType: string): string {
  return EXTENSIONS[mimeType] ?? 'bin'
}
