import { crc32, deflateSync } from 'node:zlib'
import { FetchFailure } from '../../src/platform/net/fetch-policy.ts'
import type { FetchAnswer, SafeFetch } from '../../src/platform/net/safe-fetch.ts'

/** A PNG image of one colour (W3C PNG, 5.3). */
export function pngOf(width: number, height: number, grey = 128): Buffer {
  const header = Buffer.alloc(13)
  header.writeUInt32BE(width, 0)
  header.writeUInt32BE(height, 4)
  // Eight bits of grey.
  header[8] = 8
  const row = Buffer.concat([Buffer.of(0), Buffer.alloc(width, grey)])
  const pixels = deflateSync(Buffer.concat(Array.from({ length: height }, () => row)))
  const signature = Buffer.from('89504e470d0a1a0a', 'hex')
  return Buffer.concat([signature, chunk('IHDR', header), chunk('IDAT', pixels), chunk('IEND', Buffer.alloc(0))])
}

function chunk(type: string, data: Buffer): Buffer {
  const body = Buffer.concat([Buffer.from(type, 'latin1'), data])
  const [length, sum] = [Buffer.alloc(4), Buffer.alloc(4)]
  length.writeUInt32BE(data.length)
  sum.writeUInt32BE(crc32(body))
  return Buffer.concat([length, body, sum])
}

/** What servers of advertisers have: a file, an HTTP status, or a failure of the fetch. */
export type AtAddress = Buffer | number | FetchFailure

/** Fetches from a list of addresses, within the size that is asked for; every other one is a host that does not exist. */
export function fetchFrom(files: ReadonlyMap<string, AtAddress>): SafeFetch {
  return async (url, { policy }): Promise<FetchAnswer> => {
    const found = files.get(url) ?? new FetchFailure('dns', 'no such host')
    if (found instanceof FetchFailure) throw found
    if (typeof found !== 'number' && found.length > policy.maxBytes)
      throw new FetchFailure('too_large', 'the answer is too large')
    const [status, body] = typeof found === 'number' ? [found, Buffer.alloc(0)] : [200, found]
    const unknown = { etag: undefined, lastModified: undefined, retryAfter: undefined }
    return { status, url, body, contentType: 'application/octet-stream', ...unknown }
  }
}
