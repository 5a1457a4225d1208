import type { Readable, Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createBrotliDecompress, createGunzip, createInflate } from 'node:zlib'
import { yieldToEventLoop } from '../concurrency/yield-to-event-loop.ts'
import { FetchFailure } from './fetch-policy.ts'

/** What `Accept-Encoding` offers: exactly what {@link readBody} undoes. */
export const ACCEPTED_ENCODINGS = 'gzip, deflate, br'

/** Bytes that wait to be read. */
const HIGH_WATER = 8_192
/** Interim answers (RFC 9110 §15.2) before the one that counts: those that servers send are early hints. */
export const MOST_INTERIM = 8

/** How one request is made whose answer is read here: what comes in chunks of a byte each waits, and is not taken apart all at once; interim answers without end are a failure. */
export function readInParts() {
  let interim = 0
  return {
    highWaterMark: HIGH_WATER,
    onInfo() {
      interim += 1
      if (interim > MOST_INTERIM) throw tooManyInterim()
    },
  }
}

export function tooManyInterim(): FetchFailure {
  return new FetchFailure('network', `more than ${MOST_INTERIM} interim answers came`)
}

/** Parts that are smaller come of small chunks, which cost as much each as large ones: others are served between them. */
const SMALL_PART = 2 * HIGH_WATER

export interface BodyLimit {
  /** Bytes after decompression. */
  readonly maxBytes: number
  /** A file that is too large is refused; the page of an error may be cut. */
  readonly whenLarger: 'refuse' | 'cut'
}

/**
 * Reads a response body, undoing its content coding, and stops as soon as more than `maxBytes` have come out: a few
 * kilobytes of gzip can be gigabytes of text. Throws FetchFailure `too_large` or `bad_encoding`.
 */
export async function readBody(body: Readable, contentEncoding: string, limit: BodyLimit): Promise<Buffer> {
  const decoder = decoderFor(contentEncoding)
  const chunks: Buffer[] = []
  let size = 0
  // Stored separately: when a stage stops early, the pipeline may report the abort of the body before the reason for it.
  let tooLarge: FetchFailure | undefined
  const collect = async (source: AsyncIterable<Buffer>) => {
    for await (const chunk of source) {
      size += chunk.length
      if (size > limit.maxBytes) {
        tooLarge = new FetchFailure('too_large', `the file is larger than ${limit.maxBytes} bytes`)
        throw tooLarge
      }
      if (chunks.length > 0 && chunk.length < SMALL_PART) await yieldToEventLoop()
      chunks.push(chunk)
    }
  }
  try {
    await (decoder ? pipeline(body, decoder, collect) : collect(body))
  } catch (error) {
    if (tooLarge && limit.whenLarger === 'cut') return Buffer.concat(chunks)
    if (tooLarge) throw tooLarge
    throw isCodingError(error) ? new FetchFailure('bad_encoding', 'the content coding is broken', error) : error
  }
  return Buffer.concat(chunks)
}

function isCodingError(error: unknown): boolean {
  return error instanceof Error && 'code' in error && /^(Z_|ERR_BROTLI|ERR__ERROR|ERR_PADDING)/.test(String(error.code))
}

function decoderFor(contentEncoding: string): Transform | undefined {
  const codings = contentEncoding
    .toLowerCase()
    .split(',')
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  // One layer is what servers send; stacked codings only multiply the work of a bomb.
  if (codings.length > 1) throw new FetchFailure('bad_encoding', 'more than one content coding')
  switch (codings[0]) {
    case undefined:
      return undefined
    case 'gzip':
    case 'x-gzip':
      return createGunzip()
    case 'deflate':
      return createInflate()
    case 'br':
      return createBrotliDecompress()
    default:
      throw new FetchFailure('bad_encoding', 'unknown content coding')
  }
}
