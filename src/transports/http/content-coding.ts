import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'

/** Codings of a body that are offered, best first. */
export const CODINGS = ['br', 'gzip'] as const
export type ContentCoding = (typeof CODINGS)[number]

/** A body below this size fits one packet as it is. */
export const SMALLEST_CODED = 1_400

/** Of a page of JSON these levels leave a tenth, at about a millisecond; higher ones take ten times as long for a few percent. */
const BROTLI = { params: { [constants.BROTLI_PARAM_QUALITY]: 4 } }
const GZIP = { level: 5 }

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

/** The coding that an `Accept-Encoding` header prefers of those offered; undefined for the body as it is. Source: RFC 9110 §12.5.3. */
export function chooseCoding(accepted: string | undefined): ContentCoding | undefined {
  if (accepted === undefined || accepted.length > 1_000) return undefined
  const weights = new Map(accepted.toLowerCase().split(',').map(weightOf))
  const weigh = (coding: string) => weights.get(coding) ?? weights.get('*') ?? 0
  let best: ContentCoding | undefined
  for (const coding of CODINGS) if (weigh(coding) > (best === undefined ? 0 : weigh(best))) best = coding
  return best
}

function weightOf(item: string): readonly [string, number] {
  const [name = '', ...parameters] = item.split(';').map((part) => part.trim())
  const weight = parameters.find((parameter) => parameter.startsWith('q='))
  const value = weight === undefined ? 1 : Number(weight.slice(2))
  return [name, value >= 0 && value <= 1 ? value : 0]
}

/** The body in a coding; off the main thread. */
export function encodeBody(body: Buffer, coding: ContentCoding): Promise<Buffer> {
  return coding === 'br' ? compressBrotli(body, BROTLI) : compressGzip(body, GZIP)
}

/** The strong validator of a coded body: another representation has another tag (RFC 9110 §8.8.3.3). */
export function codedTag(tag: string, coding: ContentCoding | undefined): string {
  return coding === undefined ? tag : `${tag.slice(0, -1)}-${coding}"`
}
