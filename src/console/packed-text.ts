import { promisify } from 'node:util'
import { gunzip, gzip } from 'node:zlib'
import { AdcpError } from '../protocol/errors.ts'

// Apart from the main thread: a page would have to escape each character of a file that a browser carries from step to step.
const [packs, unpacks] = [promisify(gzip), promisify(gunzip)]

/** Bytes of a text that a form carries: twice what a file may have, since tables are written anew. */
const MOST_BYTES = 40_000_000

/** A text of any length for a hidden input: gzip (RFC 1952) in base64. */
export async function pack(text: string): Promise<string> {
  return (await packs(text, { level: 1 })).toString('base64')
}

/** The text that {@link pack} made an input of. Throws INVALID_REQUEST for anything else, and for a text that is too long. */
export async function unpack(packed: string): Promise<string> {
  try {
    return (await unpacks(Buffer.from(packed, 'base64'), { maxOutputLength: MOST_BYTES })).toString('utf8')
  } catch {
    throw new AdcpError(
      'INVALID_REQUEST',
      'the form does not carry the file as a page of the console made it: choose the file again',
      {
        field: 'packed',
      },
    )
  }
}
