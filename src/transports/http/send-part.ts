import type { IncomingHttpHeaders, ServerResponse } from 'node:http'
import parseRange from 'range-parser'
import { respondEmpty, respondPieces } from './respond.ts'

/** A part of a file, both ends included; `unsatisfiable`: there is no such part. */
export type FilePart = { readonly start: number; readonly end: number } | 'unsatisfiable'

/** The part that a request asks for; undefined for all of it (RFC 9110 §14.2: several ranges may be answered by the whole). */
export function requestedPart(headers: IncomingHttpHeaders, size: number, tag: string): FilePart | undefined {
  const { range, 'if-range': ifRange } = headers
  if (range === undefined || (ifRange !== undefined && ifRange !== tag)) return undefined
  const ranges = parseRange(size, range)
  if (ranges === -1) return 'unsatisfiable'
  if (ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined
  return ranges[0]
}

export interface SentFile {
  /** Length in bytes. */
  readonly size: number
  /** The bytes from `start` to `end`, both included. */
  read(start: number, end: number): AsyncIterable<Uint8Array>
}

export interface Sending {
  readonly headers: Readonly<Record<string, string>>
  /** Absent: the whole file. */
  readonly part: FilePart | undefined
}

/** Answers with a file or the part of it that was asked for (RFC 9110 §14). */
export async function sendPart(file: SentFile, response: ServerResponse, { headers, part }: Sending): Promise<void> {
  if (part === 'unsatisfiable') {
    respondEmpty(response, 416, { 'Content-Range': `bytes */${file.size}` })
    return
  }
  const { start, end } = part ?? { start: 0, end: file.size - 1 }
  const range = part && { 'Content-Range': `bytes ${start}-${end}/${file.size}` }
  const all = { ...headers, ...range, 'Content-Length': end - start + 1 }
  await respondPieces(response, part ? 206 : 200, all, () => file.read(start, end))
}
