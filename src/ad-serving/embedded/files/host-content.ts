import { createHash } from 'node:crypto'
import { DecodeFault } from '../../../platform/decode/decode-fault.ts'
import { AdcpError } from '../../../protocol/errors.ts'
import type { WantedTerms, ZipContent } from '../creative-terms.ts'
import { type CreativeContent, type CreativeTerms, HOSTED, type Size } from '../line.ts'
import type { FetchCreativeFile } from './fetch-creative-file.ts'
import { extensionOf, type FileType, fileTypeOf } from './file-type.ts'
import type { StoreFile } from './store-files.ts'
import { type BundleRules, unpackBundle } from './unpack-bundle.ts'

/** Largest files that are hosted, in bytes. A minute of video at 5 Mbit/s has 38 MB, and pages do not wait for larger images and banners. */
export const MOST_BYTES = { image: 5_000_000, video: 40_000_000, zip: 10_000_000 } as const

/** Rounding to whole pixels moves the ratio of an image by less than this. */
const RATIO_TOLERANCE = 0.02

/** What is served of a creative, and the hosted files and bundles that it uses. */
export interface HostedTerms {
  readonly terms: CreativeTerms
  readonly fileIds: readonly string[]
}

export interface HostParts {
  readonly fetchFile: FetchCreativeFile
  readonly storeFile: StoreFile
  /** Whose files they are, among those who wait for the decoding threads. */
  readonly sender: string
}

/**
 * Fetches the files of a creative, checks that each is what it says, and stores them, so that what was approved is what is served. Addresses of trackers, VAST tags
 * and whatever code loads stay where they are. Throws CREATIVE_REJECTED for a file that is not served, and what the fetch throws.
 */
export async function hostContent(wanted: WantedTerms, parts: HostParts): Promise<HostedTerms> {
  const fileIds: string[] = []
  const host = async (url: string, kind: 'image' | 'video', size?: Size): Promise<{ url: string; mimeType: string }> => {
    const content = await parts.fetchFile(url, MOST_BYTES[kind])
    const type = await checkedType(content, kind, url, parts.sender)
    if (size) requireRatio(type, size, url)
    const { mimeType } = type
    const fileId = await parts.storeFile(content, mimeType)
    fileIds.push(fileId)
    return { url: `${HOSTED}${fileId}.${extensionOf(mimeType)}`, mimeType }
  }
  const { content } = wanted
  const hosted = async (): Promise<CreativeContent> => {
    switch (content.kind) {
      case 'image':
        return { ...content, url: (await host(content.url, 'image', wanted.size)).url }
      case 'video':
        return { ...content, ...(await host(content.url, 'video')) }
      case 'native': {
        const { image, logo } = content
        return {
          ...content,
          ...(image !== undefined && { image: (await host(image, 'image')).url }),
          ...(logo !== undefined && { logo: (await host(logo, 'image')).url }),
        }
      }
      case 'zip': {
        const bundle = await hostBundle(content, parts)
        fileIds.push(bundle.bundleId)
        return bundle
      }
      default:
        return content
    }
  }
  return { terms: { ...wanted, content: await hosted() }, fileIds }
}

/** A creative whose files stay where the buyer put them. Throws CREATIVE_REJECTED for an archive: its files have to lie somewhere. */
export function linkedContent({ content, ...others }: WantedTerms): HostedTerms {
  if (content.kind === 'zip')
    throw new AdcpError(
      'CREATIVE_REJECTED',
      'an HTML5 archive is served only where files of creatives are hosted (ads.creativeFiles: hosted); send its HTML as an html asset',
    )
  return { terms: { ...others, content }, fileIds: [] }
}

/** The type of a file that has to be of one kind. `sender`: as the buyer of `decode`. Throws CREATIVE_REJECTED. */
export async function checkedType(content: Buffer, kind: FileType['kind'], name: string, sender: string): Promise<FileType> {
  const type = await fileTypeOf(content, sender).catch((error: unknown) => {
    if (!(error instanceof DecodeFault) || error.limit === 'queue') throw error
    throw new AdcpError('CREATIVE_REJECTED', `the file ${name} ${error.message}`)
  })
  if (type?.kind === kind) return type
  const wanted = { image: 'a PNG, JPEG, GIF or WebP image', video: 'an MP4, WebM or QuickTime video', zip: 'a zip archive' }[kind]
  throw new AdcpError(
    'CREATIVE_REJECTED',
    `the file ${name} is ${type ? `of type ${type.mimeType}` : 'of an unknown type'}, not ${wanted}`,
  )
}

/** An image of twice the pixels is a sharper one; another shape would be distorted. */
export function requireRatio({ size: file }: FileType, { width, height }: Size, url: string): void {
  if (!file || Math.abs((file.width * height) / (file.height * width) - 1) <= RATIO_TOLERANCE) return
  throw new AdcpError(
    'CREATIVE_REJECTED',
    `the image ${url} has ${file.width}x${file.height} pixels; the place takes ${width}x${height}, or a multiple of it`,
  )
}

async function hostBundle(
  zip: ZipContent,
  { fetchFile, storeFile, sender }: HostParts,
): Promise<Extract<CreativeContent, { kind: 'bundle' }>> {
  const archive = await fetchFile(zip.url, Math.min(zip.maxBytes ?? MOST_BYTES.zip, MOST_BYTES.zip))
  await checkedType(archive, 'zip', zip.url, sender)
  const digest = createHash('sha256').update(archive).digest('hex')
  if (zip.digest !== undefined && zip.digest !== digest)
    throw new AdcpError('CREATIVE_REJECTED', `the archive ${zip.url} has the digest sha256:${digest}, not sha256:${zip.digest}`)
  return storeBundle(archive, zip, storeFile, sender)
}

/** Unpacks and stores an HTML5 archive. Throws CREATIVE_REJECTED for one that is not served. */
export async function storeBundle(
  archive: Buffer,
  rules: BundleRules,
  storeFile: StoreFile,
  sender?: string,
): Promise<Extract<CreativeContent, { kind: 'bundle' }>> {
  const { entryPoint, files } = await unpackBundle(archive, rules, sender)
  const named = new Map<string, string>()
  for (const { path, mimeType, content } of files) named.set(path, await storeFile(content, mimeType))
  return { kind: 'bundle', bundleId: await storeFile.bundle(named), entryPoint }
}
