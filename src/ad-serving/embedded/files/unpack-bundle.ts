import { decode } from '../../../platform/decode/decode.ts'
import { DecodeFault } from '../../../platform/decode/decode-fault.ts'
import { AdcpError } from '../../../protocol/errors.ts'

/** Media types of what an HTML5 bundle may hold, by the ending of the name. */
const TYPES: Readonly<Record<string, string>> = {
  html: 'text/html; charset=utf-8',
  htm: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  json: 'application/json',
  txt: 'text/plain; charset=utf-8',
  png: 'image/png',
  jpg: 'image/jpeg',
  jpeg: 'image/jpeg',
  gif: 'image/gif',
  webp: 'image/webp',
  svg: 'image/svg+xml',
  woff: 'font/woff',
  woff2: 'font/woff2',
  ttf: 'font/ttf',
  otf: 'font/otf',
  mp3: 'audio/mpeg',
  mp4: 'video/mp4',
  webm: 'video/webm',
}

/** More than any banner needs; archives that unpack to gigabytes stop here. */
export const MOST_BUNDLE_FILES = 200
export const MOST_BUNDLE_BYTES = 20_000_000
const LONGEST_PATH = 200

export interface BundleRules {
  /** Relative path of the page that is shown; absent: the `index.html` nearest to the top. */
  readonly entryPoint?: string
  /** Endings that the buyer allows; absent: every one that is served here. */
  readonly extensions?: readonly string[]
}

/** The files of an archive and the path of its page. */
export interface Bundle {
  readonly entryPoint: string
  readonly files: readonly BundleFile[]
}

/** A file of a bundle. */
export interface BundleFile {
  readonly path: string
  readonly mimeType: string
  readonly content: Buffer
}

/**
 * The files of a zip archive with an HTML5 creative. Folders, and what packers of macOS add, are left out. Throws CREATIVE_REJECTED naming what is wrong:
 * no archive, a path that leaves it, a type that is not served, too many files or bytes, no entry page. `sender`: as the buyer of `decode`.
 */
export async function unpackBundle(
  archive: Buffer,
  { entryPoint: page, extensions }: BundleRules,
  sender?: string,
): Promise<Bundle> {
  const files = new Map((await filesIn(archive, sender)).filter(([name]) => !isLeftOut(name)))
  for (const name of files.keys()) requireServable(name, extensions)
  const names = [...files.keys()]
  if (names.length === 0) throw rejected('is no zip archive that can be read, or is empty')
  const entryPoint = page ?? nearestIndex(names) ?? 'index.html'
  if (!names.includes(entryPoint) || typeOf(entryPoint) !== TYPES.html)
    throw rejected(`has no page ${entryPoint}; its files are ${names.slice(0, 10).join(', ')}`)
  const unpacked = [...files].map(([path, content]) => ({ path, mimeType: typeOf(path) ?? '', content: Buffer.from(content) }))
  return { entryPoint, files: unpacked }
}

/** Packers put a folder around what they pack. */
function nearestIndex(names: readonly string[]): string | undefined {
  const pages = names.filter((name) => /(^|\/)index\.html$/.test(name))
  return pages.toSorted((a, b) => a.split('/').length - b.split('/').length)[0]
}

function isLeftOut(name: string): boolean {
  return name.endsWith('/') || /(^|\/)(__MACOSX\/|\.DS_Store$)/.test(name)
}

async function filesIn(archive: Buffer, sender: string | undefined): Promise<(readonly [string, Uint8Array])[]> {
  try {
    return await decode('archive', { bytes: archive, maxFiles: MOST_BUNDLE_FILES, maxBytes: MOST_BUNDLE_BYTES }, sender)
  } catch (error) {
    if (!(error instanceof DecodeFault) || error.limit === 'queue') throw error
    throw rejected(error.message)
  }
}

function requireServable(name: string, extensions: readonly string[] | undefined): void {
  const parts = name.split('/')
  if (name.length > LONGEST_PATH || /[\\\0]/.test(name) || parts.some((part) => part === '' || part === '.' || part === '..'))
    throw rejected(`has the path ${JSON.stringify(name.slice(0, LONGEST_PATH))}, which leads out of it or is too long`)
  const ending = endingOf(name)
  if (TYPES[ending] === undefined) throw rejected(`has ${name}; files may end with ${Object.keys(TYPES).join(', ')}`)
  if (extensions && !extensions.some((each) => each.replace(/^\./, '').toLowerCase() === ending))
    throw rejected(`has ${name}, which allowed_inner_extensions does not list`)
}

function typeOf(name: string): string | undefined {
  return TYPES[endingOf(name)]
}

function endingOf(name: string): string {
  return /\.([^./]+)$/.exec(name)?.[1]?.toLowerCase() ?? ''
}

function rejected(what: string): AdcpError {
  return new AdcpError('CREATIVE_REJECTED', `the HTML5 archive ${what}`)
}
